# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/map.md: what each folder and file of the source is for, in the words of its docstring."""

import ast
from collections.abc import Iterator
from pathlib import Path

from .project import ROOT

PAGE = ROOT / "docs" / "map.md"
TOPS = "core", "xpbd_addon", "bench", "validation", "stress", "build_tasks"

HEAD = """# The map

What is in which file, in the words of the files themselves. Written by `python build.py map`; a
test says where it is no longer true. How the folders go together stands in the
[README](../README.md#the-architecture-in-one-screen).
"""


def page() -> str:
    """The page as the source is now."""
    return "\n".join([HEAD, *(section for top in TOPS for section in _sections(ROOT / top))])


def write() -> Path:
    """Write the page; return where it is."""
    PAGE.write_text(page(), encoding="utf-8")
    return PAGE


def _sections(top: Path) -> Iterator[str]:
    folders = sorted(path.parent for path in top.rglob("__init__.py"))
    for folder in folders:
        name = folder.relative_to(ROOT).as_posix()
        rows = [f"| [{path.stem}](../{name}/{path.name}) | {_told(path)} |" for path in _in(folder)]
        table = "\n".join(["| | |", "|---|---|", *rows]) + "\n" if rows else ""
        yield f"## {name}/\n\n{_told(folder / '__init__.py')}\n\n{table}"


def _in(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*.py") if path.name != "__init__.py")


def _told(path: Path) -> str:
    """The first paragraph of a module's docstring, in one line that a table can hold."""
    told = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return " ".join(told.split("\n\n")[0].split()).replace("``", "`").replace("|", "\\|")
