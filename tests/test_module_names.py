# SPDX-License-Identifier: GPL-3.0-or-later
"""What a file takes from a module of its package exists there.

mypy can't say so of the add-on: it does not know what Blender registers, and so is told to look
away from attributes.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def modules_of(path: Path, tree: ast.Module) -> dict[str, Path]:
    """Modules of the package that a file imports, by the names that mean nothing else there."""
    bound = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)} | stored(tree)
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            home = path.parents[node.level - 1].joinpath(*(node.module or "").split("."))
            for alias in node.names:
                name, target = alias.asname or alias.name, home / f"{alias.name}.py"
                if target.is_file() and name not in bound:
                    found[name] = target
    return found


def stored(tree: ast.AST) -> set[str]:
    """All names that are given a value."""
    names = (node for node in ast.walk(tree) if isinstance(node, ast.Name))
    return {name.id for name in names if isinstance(name.ctx, ast.Store)}


def offered(tree: ast.Module) -> set[str]:
    """The names that a module has, wherever in it they are made."""
    found = stored(tree)
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            found |= {alias.asname or alias.name for alias in node.names}
    return found


def missing(path: Path, tree: ast.Module) -> list[str]:
    """What a file takes from modules that do not have it."""
    modules = modules_of(path, tree)
    names = {
        name: offered(ast.parse(target.read_text(encoding="utf-8")))
        for name, target in modules.items()
    }
    return [
        f"{node.value.id}.{node.attr}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in names
        and node.attr not in names[node.value.id]
    ]


@pytest.mark.parametrize("package", ["core", "xpbd_addon"])
def test_what_is_taken_from_modules_exists(package: str) -> None:
    for path in (ROOT / package).rglob("*.py"):
        lacking = missing(path, ast.parse(path.read_text(encoding="utf-8")))
        assert not lacking, f"{path.relative_to(ROOT)} takes what is not there: {lacking}"


def test_what_is_not_there_is_noticed() -> None:
    path = ROOT / "xpbd_addon" / "simulation" / "made_up.py"
    tree = ast.parse("from . import session\nsession.of(1)\nsession.nonsense()\n")
    assert missing(path, tree) == ["session.nonsense"]
