# SPDX-License-Identifier: GPL-3.0-or-later
"""What a sweep leaves in its folder: results of its variations, and the table of all.

::

    sweep.json, sweep.csv, sweep.png    the table, and its contact sheet
    sweep.blend                         what is simulated, where it was not saved before
    variation-<hash>/result.json        what a variation came to
    variation-<hash>/frames/            its cache
    variation-<hash>/still.png, log.txt

A variation's folder is named after its settings: another sweep in the same folder finds again what
was simulated before. A folder may be anybody's: what was not written here is never overwritten, and
a result is believed only where it is what :func:`write_result` writes.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ...core.frame_cache import plain_file
from ..errors import SceneError
from .varying import Variation

TABLE, LIST, PICTURE, SHOT = "sweep.json", "sweep.csv", "sweep.png", "sweep.blend"
RESULT, STILL, LOG = "result.json", "still.png", "log.txt"
_OURS = {TABLE: "xpbd sweep 1", RESULT: "xpbd variation 1"}
_LARGEST = 1 << 24  # bytes that are read of a file

Figures = dict[str, float]


@dataclass(frozen=True)
class Result:
    """What a variation came to.

    Attributes:
        settings: what was varied.
        frames: the first and the last one that were asked for.
        figures: as :mod:`figures` measures them; empty where it failed.
        error: why it could not be simulated; empty where it could.
        left_out: why objects, or the still, were left out, a sentence each.
        shot: tells the file that was simulated from others (:func:`checksum`).
    """

    settings: Variation
    frames: tuple[int, int]
    figures: Figures = field(default_factory=dict)
    error: str = ""
    left_out: tuple[str, ...] = ()
    shot: str = ""


@dataclass(frozen=True)
class Table:
    """A sweep: all its variations in order, None for the result of those that have none."""

    frames: tuple[int, int]
    variations: list[Variation]
    results: list[Result | None]
    shot: str = ""


def folder_of(output: Path, variation: Variation) -> Path:
    """The folder of a variation within that of the sweep."""
    text = json.dumps(sorted(variation.items()))
    return output / f"variation-{hashlib.sha256(text.encode()).hexdigest()[:16]}"


def prepare(output: Path, variations: Sequence[Variation]) -> None:
    """Make the folders. Raises SceneError where they, or files in them, are not ours to write."""
    try:
        output.mkdir(parents=True, exist_ok=True)
        if not plain_file.exists(output / TABLE):
            _refuse_any(output / LIST, output / PICTURE, output / SHOT)
        elif _content(output / TABLE) is None:
            raise _in_the_way(output / TABLE)
        for folder in (folder_of(output, each) for each in variations):
            if folder.is_symlink():
                raise _in_the_way(folder)
            folder.mkdir(exist_ok=True)
    except OSError as error:
        raise _unusable(output, error) from error


def write_result(output: Path, result: Result) -> None:
    """Leave a variation's result in its folder, whole or not at all. Raises SceneError."""
    _write(folder_of(output, result.settings) / RESULT, _text(RESULT, asdict(result)))


def checksum(shot: Path) -> str:
    """What tells a file from others, and from itself after a change. Raises SceneError."""
    try:
        with shot.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise SceneError(f"'{shot}' can't be read ({error.strerror}): save it again") from error


def read_result(
    output: Path, variation: Variation, frames: tuple[int, int], shot: str | None
) -> Result | None:
    """A variation's result on these frames; None where there is none that can be believed.

    Args:
        shot: the checksum of the file; None takes what any gave.
    """
    content = _content(folder_of(output, variation) / RESULT)
    try:
        result = _result(content) if content is not None else None
    except (TypeError, ValueError, KeyError, AttributeError):
        return None
    if result is None or (result.settings, result.frames) != (variation, frames):
        return None
    return result if shot in (None, result.shot) else None


def remove_result(output: Path, variation: Variation) -> None:
    """Before a variation is simulated: what it came to before counts no more. Raises SceneError."""
    try:
        for name in (RESULT, STILL):
            plain_file.remove(folder_of(output, variation) / name)
    except OSError as error:
        raise _unusable(output, error) from error


def write_table(output: Path, table: Table) -> None:
    """Write ``sweep.json`` and ``sweep.csv``. Raises SceneError."""
    rows = [
        {
            "number": number,
            "folder": folder_of(output, variation).name,
            "settings": variation,
            "figures": result.figures if result else {},
            "error": result.error if result else "",
            "left_out": result.left_out if result else (),
        }
        for number, (variation, result) in enumerate(zip(table.variations, table.results), 1)
    ]
    content = {"shot": table.shot, "frames": table.frames, "variations": rows}
    _write(output / TABLE, _text(TABLE, content))
    _write(output / LIST, _csv(rows))


def read_table(output: Path) -> Table:
    """The table of a sweep. Raises SceneError where a folder has none."""
    content = _content(output / TABLE)
    try:
        if content is None:
            raise ValueError
        frames, shot = _frames(content["frames"]), str(content["shot"])
        variations = [_variation(each["settings"]) for each in content["variations"]]
    except (TypeError, ValueError, KeyError, AttributeError):
        raise SceneError(
            f"There is no sweep in '{output}': choose the folder that a sweep was written to"
        ) from None
    results = [read_result(output, each, frames, shot) for each in variations]
    return Table(frames, variations, results, shot)


def chosen(table: Table, number: int) -> Variation:
    """One of a table's variations, from 1 on. Raises SceneError."""
    if not 1 <= number <= len(table.variations):
        raise SceneError(f"The sweep has {len(table.variations)} variations, and no {number}")
    return table.variations[number - 1]


def text(variation: Variation) -> str:
    """A variation for people."""
    return ", ".join(f"{setting} = {value}" for setting, value in variation.items())


def _csv(rows: list[dict[str, Any]]) -> str:
    settings = list(rows[0]["settings"]) if rows else []
    figures = list(dict.fromkeys(name for row in rows for name in row["figures"]))
    written = io.StringIO()
    lines = csv.writer(written, lineterminator="\n")
    lines.writerow(["number", *settings, *figures, "error", "folder"])
    for row in rows:
        values = [row["settings"].get(name, "") for name in settings]
        values += [row["figures"].get(name, "") for name in figures]
        lines.writerow([row["number"], *values, row["error"], row["folder"]])
    return written.getvalue()


def _result(content: dict[str, Any]) -> Result:
    """Raises TypeError, ValueError, KeyError or AttributeError where it is none."""
    return Result(
        settings=_variation(content["settings"]),
        frames=_frames(content["frames"]),
        figures={str(name): float(value) for name, value in content["figures"].items()},
        error=str(content["error"]),
        left_out=tuple(map(str, content["left_out"])),
        shot=str(content["shot"]),
    )


def _variation(content: dict[str, Any]) -> Variation:
    return {str(setting): str(value) for setting, value in content.items()}


def _frames(content: Any) -> tuple[int, int]:
    first, last = content
    return int(first), int(last)


def _text(name: str, content: dict[str, Any]) -> str:
    return json.dumps({"format": _OURS[name], **content}, indent=1) + "\n"


def _content(path: Path) -> dict[str, Any] | None:
    """What a file of ours holds; None where it is missing, damaged, or somebody else's."""
    try:
        with plain_file.opened(path, "rb") as file:
            content = json.loads(file.read(_LARGEST))
    except (OSError, ValueError, RecursionError):
        return None
    is_ours = isinstance(content, dict) and content.get("format") == _OURS[path.name]
    return content if is_ours else None


def _write(path: Path, text: str) -> None:
    unfinished = path.with_suffix(f".{os.getpid()}.tmp")
    try:
        with plain_file.opened(unfinished, "wb") as file:
            file.write(text.encode())
        os.replace(unfinished, path)
    except OSError as error:
        raise _unusable(path.parent, error) from error


def _refuse_any(*paths: Path) -> None:
    for path in paths:
        if plain_file.exists(path):
            raise _in_the_way(path)


def _in_the_way(path: Path) -> SceneError:
    return SceneError(
        f"'{path}' was not written by a sweep, and is left alone: move it away, or choose another "
        "folder"
    )


def _unusable(folder: Path, error: OSError) -> SceneError:
    reason = error.strerror or str(error)
    return SceneError(f"The folder '{folder}' can't be used ({reason}): choose another folder")
