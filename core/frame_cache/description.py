# SPDX-License-Identifier: GPL-3.0-or-later
"""``cache.json``: what a cache holds.

It is believed only where it is what :func:`write` writes, to the last field: its folder may come
from anywhere, and the files that it names are overwritten and deleted.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import asdict, dataclass
from pathlib import Path

FORMAT = 2
_LARGEST = 2**31 - 1  # number that a PC2 file holds
_PLAIN_NAME = re.compile(r"[\w-]{1,100}", re.ASCII)
_FIELDS = {"format": int, "fingerprint": str, "source": str, "frame_start": int}
_FIELDS_OF = {
    1: _FIELDS | {"point_counts": dict},
    2: _FIELDS | {"point_counts": dict, "measures": list},
}


@dataclass(frozen=True)
class Description:
    """What ``cache.json`` holds."""

    format: int
    fingerprint: str
    source: str
    frame_start: int
    point_counts: dict[str, int]
    measures: list[str]


def read(path: Path) -> Description | None:
    """None where there is no cache, or none that this or an earlier version wrote."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    return Description(**({"measures": []} | content)) if _is_ours(content) else None


def is_plain_name(text: str) -> bool:
    """Whether a file may be called so, anywhere, without leaving its folder."""
    return _PLAIN_NAME.fullmatch(text) is not None


def _is_ours(content: object) -> bool:
    """Whether every field is there, of its type and in its range, and no other."""
    if not isinstance(content, dict) or type(content.get("format")) is not int:
        return False
    if {key: type(value) for key, value in content.items()} != _FIELDS_OF.get(content["format"]):
        return False
    counts, measures = content["point_counts"], content.get("measures", [])
    return (
        abs(content["frame_start"]) <= _LARGEST
        and all(map(is_plain_name, counts))
        and all(type(points) is int and 0 <= points <= _LARGEST for points in counts.values())
        and all(type(name) is str for name in measures)
        and len(set(measures)) == len(measures)
    )


def write(path: Path, description: Description) -> None:
    """Replace the file at once, whole or not at all. Raises OSError."""
    temporary(path).write_text(json.dumps(asdict(description), indent=1), encoding="utf-8")
    os.replace(temporary(path), path)


def temporary(path: Path) -> Path:
    """What a program that died while writing may have left."""
    return path.with_suffix(".tmp")
