# SPDX-License-Identifier: GPL-3.0-or-later
"""Imports run in one direction, also those in functions and for types only."""

from __future__ import annotations

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).resolve().parent.parent

FLOORS = {
    "core": (
        "errors", "interruption", "lasting", "remembered", "native", "checks", "vector", "mesh",
        "materials", "constraints", "linear", "contact", "forces", "earlier", "state", "layout",
        "builder", "bodies", "assembly", "starting", "model", "going_on", "rest_states",
        "solvers", "islands", "readings", "simulation", "warm_up", "frame_cache", "__init__",
    ),
    "xpbd_addon": (
        "errors", "log", "main_thread", "settings", "scene", "simulation", "show", "bake",
        "farm", "interface", "handlers", "__init__",
    ),
}  # fmt: skip
"""Folders and files of each package, the lowest first."""

each_package = pytest.mark.parametrize("package", FLOORS)


def imported(path: PurePosixPath, source: str, files: set[PurePosixPath]) -> set[PurePosixPath]:
    """The files of its package that a file imports."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.ImportFrom) or not 0 < node.level <= len(path.parts):
            continue
        folder = PurePosixPath(*path.parts[: len(path.parts) - node.level])
        home = folder.joinpath(*(node.module or "").split("."))
        for target in (home, *(home / alias.name for alias in node.names)):
            found |= {target.with_name(f"{target.name}.py")} & files if target.name else set()
    return found


Graph = dict[PurePosixPath, set[PurePosixPath]]


def graph(package: str) -> Graph:
    """Of each file of a package those that it imports."""
    sources = {
        PurePosixPath(path.relative_to(ROOT / package).as_posix()): path.read_text(encoding="utf-8")
        for path in (ROOT / package).rglob("*.py")
    }
    return {path: imported(path, text, set(sources)) for path, text in sources.items()}


def floor(package: str, path: PurePosixPath) -> int:
    name = path.parts[0].removesuffix(".py")
    assert name in FLOORS[package], f"{package}/{path} stands on no floor"
    return FLOORS[package].index(name)


@each_package
def test_no_file_imports_from_a_floor_above_its_own(package: str) -> None:
    arrows = [(here, there) for here, targets in graph(package).items() for there in targets]
    assert len(arrows) > 100
    upward = [(a, b) for a, b in arrows if floor(package, a) < floor(package, b)]
    assert upward == []


@each_package
def test_no_files_import_each_other_in_a_circle(package: str) -> None:
    try:
        TopologicalSorter(graph(package)).prepare()
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
