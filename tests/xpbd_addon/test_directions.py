# SPDX-License-Identifier: GPL-3.0-or-later
"""Imports inside the add-on run in one direction, also those in functions and for types only."""

from __future__ import annotations

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path, PurePosixPath

import pytest

ADDON = Path(__file__).parents[2] / "xpbd_addon"
FLOORS = ("settings", "scene", "simulation", "show", "bake", "interface")


def imported(path: PurePosixPath, source: str, files: set[PurePosixPath]) -> set[PurePosixPath]:
    """The files of the add-on that a file imports."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.ImportFrom) or not 0 < node.level <= len(path.parts):
            continue
        folder = PurePosixPath(*path.parts[: len(path.parts) - node.level])
        home = folder.joinpath(*(node.module or "").split("."))
        for target in (home, *(home / alias.name for alias in node.names)):
            found |= {target.with_name(f"{target.name}.py")} & files if target.name else set()
    return found


def graph() -> dict[PurePosixPath, set[PurePosixPath]]:
    sources = {
        PurePosixPath(path.relative_to(ADDON).as_posix()): path.read_text(encoding="utf-8")
        for path in ADDON.rglob("*.py")
    }
    return {path: imported(path, text, set(sources)) for path, text in sources.items()}


def floor(path: PurePosixPath) -> int:
    if len(path.parts) > 1:
        return FLOORS.index(path.parts[0])
    return -1 if path.stem in {"errors", "log"} else len(FLOORS)


def test_no_file_imports_from_a_floor_above_its_own() -> None:
    arrows = [(here, there) for here, targets in graph().items() for there in targets]
    assert len(arrows) > 100
    assert [arrow for arrow in arrows if floor(arrow[0]) < floor(arrow[1])] == []


def test_no_files_import_each_other_in_a_circle() -> None:
    try:
        TopologicalSorter(graph()).prepare()
    except CycleError as error:
        pytest.fail(f"circle: {' <- '.join(map(str, error.args[1]))}")


def test_every_way_to_write_an_import_is_seen() -> None:
    files = {PurePosixPath(name) for name in ("a/b.py", "a/c.py", "d/e.py", "log.py")}
    source = """
from . import c
from .. import log
def lazily():
    from ..d.e import name
from ...core import Model
"""
    expected = {PurePosixPath(name) for name in ("a/c.py", "d/e.py", "log.py")}
    assert imported(PurePosixPath("a/b.py"), source, files) == expected
