# SPDX-License-Identifier: GPL-3.0-or-later
"""`core` stays free of Blender: nothing below core/ imports bpy or the add-on."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

CORE = Path(__file__).resolve().parent.parent / "core"
FORBIDDEN = {
    "addon_utils", "aud", "bl_ext", "bl_ui", "blf", "bmesh", "bpy", "bpy_extras", "gpu",
    "idprop", "imbuf", "mathutils", "xpbd_addon",
}  # fmt: skip


def forbidden_imports(source: str, depth: int) -> Iterator[str]:
    """Yield the imports in `source` that leave core; `depth` 1 means a file directly in core/."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level > depth:
            yield "." * node.level + (node.module or "")
            continue
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names = [node.module or ""]
        elif isinstance(node, ast.Call) and _imports_by_name(node):
            names = [str(node.args[0].value)]
        else:
            continue
        yield from (name for name in names if name.split(".")[0] in FORBIDDEN)


def _imports_by_name(call: ast.Call) -> bool:
    function = call.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return (
        name in {"import_module", "__import__"}
        and bool(call.args)
        and isinstance(call.args[0], ast.Constant)
    )


@pytest.mark.parametrize("path", sorted(CORE.rglob("*.py")), ids=lambda path: path.name)
def test_core_does_not_import_blender(path: Path) -> None:
    depth = len(path.relative_to(CORE).parts)
    found = list(forbidden_imports(path.read_text(encoding="utf-8"), depth))
    assert not found, f"{path} imports {', '.join(found)}"


@pytest.mark.parametrize(
    "line",
    [
        "import bpy",
        "import numpy, bpy.types",
        "from mathutils import Vector",
        "def late():\n    import bmesh as mesh",
        "from ..xpbd_addon import session",
        "from .. import xpbd_addon",
        "import xpbd_addon.simulation.session",
        "importlib.import_module('bpy.app')",
        "__import__('bpy')",
    ],
)
def test_the_check_sees_a_forbidden_import(line: str) -> None:
    assert list(forbidden_imports(line, depth=1))


@pytest.mark.parametrize("line", ["import numpy", "from . import mesh", "from .mesh import edges"])
def test_the_check_lets_others_pass(line: str) -> None:
    assert not list(forbidden_imports(line, depth=1))


def test_a_deeper_file_may_reach_up_to_core() -> None:
    assert not list(forbidden_imports("from ..mesh import edges", depth=2))
    assert list(forbidden_imports("from ...xpbd_addon import session", depth=2))
