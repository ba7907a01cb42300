# SPDX-License-Identifier: GPL-3.0-or-later
"""``cache.json``: what a cache holds.

It is believed only where it is what :func:`write` writes, to the last field: its folder may come
from anywhere, and the files that it names are overwritten and deleted. One that is damaged is known
by how it begins, and replaced; one of another program is left alone.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import asdict, dataclass, field
from pathlib import Path

from . import plain_file
from .encodings import FULL, LATTICE
from .errors import in_the_way

FORMAT = 4
_LARGEST = 2**31 - 1  # number that a PC2 file holds
_PLAIN_NAME = re.compile(r"[\w-]{1,100}", re.ASCII)
_FIELDS = {"format": int, "fingerprint": str, "source": str, "frame_start": int}
_FIELDS_OF = {
    1: _FIELDS | {"point_counts": dict},
    2: _FIELDS | {"point_counts": dict, "measures": list},
    3: _FIELDS | {"measures": list, "objects": dict},
    FORMAT: _FIELDS | {"measures": list, "objects": dict, "document": str},
}
_BEGIN = re.compile(rb'\s*\{\s*"format":\s*\d+,\s*"fingerprint":|\0*$')
_FIELDS_OF_OBJECT = {"points": int, "fingerprint": str, "met": list}
_FIELDS_ON_LATTICE = _FIELDS_OF_OBJECT | {"encoding": str}


@dataclass(frozen=True)
class CachedObject:
    """What is known of an object's frames.

    Attributes:
        points: how many it has.
        fingerprint: identifies what its frames are simulated from, beside what all share.
        met: ids of those that had a part in them.
        encoding: how their positions are stored, `encodings.FULL` or `LATTICE`.
    """

    points: int
    fingerprint: str = ""
    met: list[str] = field(default_factory=list)
    encoding: str = FULL


@dataclass(frozen=True)
class Description:
    """What ``cache.json`` holds; of an earlier format only what tells the names of its files.

    Attributes:
        document: the user's file that the frames belong to, empty where it was never saved.
    """

    format: int
    fingerprint: str
    source: str
    frame_start: int
    measures: list[str]
    objects: dict[str, CachedObject]
    document: str = ""


def read(path: Path) -> Description | None:
    """None where there is no cache, or none that this or an earlier version wrote.

    Raises OSError where it can't be read.
    """
    try:
        content = json.loads(_bytes(path))
    except (FileNotFoundError, NotADirectoryError, ValueError, RecursionError):
        return None
    if not _is_ours(content):
        return None
    counts = content.pop("point_counts", {})
    objects = content.pop("objects", {key: {"points": counts[key]} for key in counts})
    read_objects = {key: CachedObject(**fields) for key, fields in objects.items()}
    return Description(**({"measures": []} | content), objects=read_objects)


def is_plain_name(text: object) -> bool:
    """Whether a file may be called so, anywhere, without leaving its folder."""
    return type(text) is str and _PLAIN_NAME.fullmatch(text) is not None


def _is_ours(content: object) -> bool:
    """Whether every field is there, of its type and in its range, and no other."""
    if not isinstance(content, dict) or type(content.get("format")) is not int:
        return False
    if _types(content) != _FIELDS_OF.get(content["format"]):
        return False
    measures = content.get("measures", [])
    objects, counts = content.get("objects", {}), content.get("point_counts", {})
    return (
        abs(content["frame_start"]) <= _LARGEST
        and all(map(is_plain_name, [*objects, *counts]))
        and all(map(_is_object, objects.values()))
        and all(map(_is_count, counts.values()))
        and all(type(name) is str for name in measures)
        and len(set(measures)) == len(measures)
    )


def _is_object(content: object) -> bool:
    return (
        isinstance(content, dict)
        and _types(content) in (_FIELDS_OF_OBJECT, _FIELDS_ON_LATTICE)
        and content.get("encoding", LATTICE) == LATTICE
        and _is_count(content["points"])
        and all(map(is_plain_name, content["met"]))
    )


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value <= _LARGEST


def _types(content: dict[str, object]) -> dict[str, type]:
    return {key: type(value) for key, value in content.items()}


def write(path: Path, description: Description) -> None:
    """Replace the file at once, whole or not at all. Raises OSError."""
    check(path)
    with plain_file.opened(temporary(path), "wb") as file:
        file.write(_text(description))
    os.replace(temporary(path), path)


def check(path: Path) -> None:
    """Raise CacheError where a file of another program would be overwritten."""
    for each in (path, temporary(path)):
        if plain_file.exists(each) and not is_written_here(each):
            raise in_the_way(each)


def remove(path: Path) -> None:
    """Delete the file and what may be left of writing it, if it is not another program's."""
    for each in (temporary(path), path):
        if is_written_here(each):
            plain_file.remove(each)


def is_written_here(path: Path) -> bool:
    """Whether a file begins as this one does, damaged or half written as it may be."""
    if not plain_file.is_plain(path):
        return False
    content = _bytes(path)
    return _BEGIN.match(content) is not None or _text(_EMPTY).startswith(content)


def temporary(path: Path) -> Path:
    """What a program that died while writing may have left."""
    return path.with_suffix(".tmp")


def _bytes(path: Path) -> bytes:
    with plain_file.opened(path, "rb") as file:
        return file.read()


def _text(description: Description) -> bytes:
    content = asdict(description)
    for each in content["objects"].values():
        if each["encoding"] == FULL:  # as before there were others: those who knew none read it
            del each["encoding"]
    return json.dumps(content, indent=1).encode()


_EMPTY = Description(FORMAT, "", "", 0, [], {})
