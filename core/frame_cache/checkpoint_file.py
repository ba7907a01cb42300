# SPDX-License-Identifier: GPL-3.0-or-later
"""A file of named arrays: what a simulation goes on from, and which frames it belongs to.

It begins with a mark of 16 bytes that tells the version, the size of a JSON text and the text's
CRC-32; the text says what the file is of, and name, type and shape of each array. Their bytes
follow one after the other, and at the end is a CRC-32 of them. Nothing in it is ever run.
"""

from __future__ import annotations

import json
import math
import os
import re
import struct
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from . import plain_file
from .description import is_plain_name
from .errors import in_the_way

MARK = b"XPBD state\0\0\0\0\0\1"
_HEAD = struct.Struct("<16sII")  # mark, bytes of the text, its checksum
_SUM = struct.Struct("<I")
_MOST_BYTES_OF_TEXT = 2**24
_LARGEST = 2**31 - 1
_TYPES = {"<f4", "<f8", "<i4", "<i8", "<u4", "|u1", "|b1"}

_NAME = re.compile(r"checkpoint-(-?\d{1,10})\.state", re.ASCII)

Arrays = Mapping[str, NDArray[Any]]


@dataclass(frozen=True)
class CheckpointHead:
    """What a checkpoint is of.

    Attributes:
        frame: after which it was made.
        frames: of each object that it goes on with, in their order, its id and the mark of its
            frame: which of all frames that ever had this number it was.
    """

    frame: int
    frames: dict[str, str]


def path_of(folder: Path, frame: int) -> Path:
    """Where the checkpoint of a frame lies."""
    return folder / f"checkpoint-{frame}.state"


def frame_of(path: Path) -> int:
    """Of which frame a file of such a name is."""
    match = _NAME.fullmatch(path.name)
    assert match is not None
    return int(match[1])


def files(folder: Path) -> list[Path]:
    """What is called so in a folder. Raises OSError."""
    return [path for path in folder.glob("checkpoint-*.state") if _NAME.fullmatch(path.name)]


def remove(path: Path) -> None:
    """Delete one, unless another program wrote it. Raises OSError."""
    if has_mark(path):
        plain_file.remove(path)


def remove_all(folder: Path) -> None:
    """Delete all of them, and what may be left of writing one. Raises OSError."""
    for path in (*files(folder), temporary(folder)):
        remove(path)


def write(path: Path, head: CheckpointHead, arrays: Arrays) -> None:
    """Replace a file at once, whole or not at all. Raises OSError."""
    plain = {name: _little(array) for name, array in arrays.items()}
    sizes = [[name, array.dtype.str, array.shape] for name, array in plain.items()]
    text = json.dumps({**asdict(head), "arrays": sizes}).encode()
    check(path)
    try:
        with plain_file.opened(temporary(path.parent), "wb") as file:
            file.write(_HEAD.pack(MARK, len(text), crc32(text)) + text)
            total = 0
            for array in plain.values():
                content = array.reshape(-1).view(np.uint8).data
                total = crc32(content, total)
                file.write(content)
            file.write(_SUM.pack(total))
        os.replace(temporary(path.parent), path)
    except OSError:
        plain_file.remove(temporary(path.parent))  # on a full disk it may take the last room
        raise


def read_head(path: Path) -> CheckpointHead | None:
    """What a file says that it is of; None where it is none, or damaged. Raises OSError."""
    try:
        with plain_file.opened(path, "rb") as file:
            found = _read_text(file)
    except FileNotFoundError:
        return None
    return found[0] if found else None


def read(path: Path) -> tuple[CheckpointHead, dict[str, NDArray[Any]]] | None:
    """All of a file; None where it is none, or damaged. Raises OSError."""
    try:
        with plain_file.opened(path, "rb") as file:
            found = _read_text(file)
            if found is None:
                return None
            head, sizes = found
            left = os.fstat(file.fileno()).st_size - file.tell()
            wanted = sum(_bytes_of(each) for each in sizes)
            if left != wanted + _SUM.size:
                return None  # before memory is taken for it
            content = file.read(wanted)
            (total,) = _SUM.unpack(file.read(_SUM.size))
    except (FileNotFoundError, struct.error):
        return None
    if len(content) != wanted or crc32(content) != total:
        return None
    return head, _arrays_of(content, sizes)


def has_mark(path: Path) -> bool:
    """Whether a file is one of these, however damaged. Raises OSError."""
    if not plain_file.is_plain(path):
        return False
    with plain_file.opened(path, "rb") as file:
        begin = file.read(len(MARK) - 1)
    return MARK[:-1].startswith(begin)


def check(path: Path) -> None:
    """Raise CacheError where a file of another program would be overwritten."""
    for each in (path, temporary(path.parent)):
        if plain_file.exists(each) and not has_mark(each):
            raise in_the_way(each)


def temporary(folder: Path) -> Path:
    """What a program that died while writing may have left."""
    return folder / "checkpoint.tmp"


def _little(array: NDArray[Any]) -> NDArray[Any]:
    """The same in little-endian order, one number after the other."""
    return np.ascontiguousarray(array, array.dtype.newbyteorder("<"))


def _read_text(file: BinaryIO) -> tuple[CheckpointHead, list[Any]] | None:
    """What a file is of, and its arrays' names, types and shapes; None unless all is right."""
    head = file.read(_HEAD.size)
    if len(head) < _HEAD.size:
        return None
    mark, size, checksum = _HEAD.unpack(head)
    if mark != MARK or size > _MOST_BYTES_OF_TEXT:
        return None
    text = file.read(size)
    if len(text) != size or crc32(text) != checksum:
        return None
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not _is_ours(content):
        return None
    return CheckpointHead(content["frame"], content["frames"]), content["arrays"]


def _is_ours(content: object) -> bool:
    """Whether every field is there, of its type and in its range, and no other."""
    return (
        isinstance(content, dict)
        and content.keys() == {"frame", "frames", "arrays"}
        and type(content["frame"]) is int
        and abs(content["frame"]) <= _LARGEST
        and isinstance(content["frames"], dict)
        and all(map(is_plain_name, content["frames"]))
        and all(type(mark) is str for mark in content["frames"].values())
        and isinstance(content["arrays"], list)
        and all(map(_is_array, content["arrays"]))
    )


def _is_array(content: object) -> bool:
    if not isinstance(content, list) or len(content) != 3 or type(content[0]) is not str:
        return False
    shape = content[2]
    return (
        content[1] in _TYPES
        and isinstance(shape, list)
        and len(shape) <= 4
        and all(type(length) is int and 0 <= length <= _LARGEST for length in shape)
    )


def _bytes_of(array: list[Any]) -> int:
    return math.prod(array[2]) * np.dtype(array[1]).itemsize


def _arrays_of(content: bytes, sizes: list[Any]) -> dict[str, NDArray[Any]]:
    found, place = {}, 0
    for each in sizes:
        name, kind, shape = each
        end = place + _bytes_of(each)
        own = np.frombuffer(content[place:end], kind).reshape(shape)
        found[name] = own.astype(np.dtype(kind).newbyteorder("="))
        place = end
    return found
