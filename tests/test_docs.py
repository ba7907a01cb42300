# SPDX-License-Identifier: GPL-3.0-or-later
"""What the README and docs/architecture.md say of the code is so."""

import re
from pathlib import Path

import pytest

from core.constraints import REGISTRY

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def rooms_of_the_map() -> dict[str, str]:
    """What README's map says of each folder, by its path."""
    rooms: dict[str, str] = {}
    room = top = ""
    for line in README.split("```\ncore/ ")[1].split("```")[0].splitlines():
        if found := re.match(r"(core|xpbd_addon|\w+)/(\s|$)", line):
            top = room = found[1]
        elif found := re.match(r"  ([a-z_]+(?:/[a-z_]+)*)/\s", line):
            room = f"{top}/{found[1]}"
        elif re.match(r"  \S", line):
            room = top
        top = top or "core"
        room = room or top
        rooms[room] = f"{rooms.get(room, '')} {line}"
    return rooms


@pytest.mark.parametrize(
    "path",
    [
        path.relative_to(ROOT)
        for top in ("core", "xpbd_addon")
        for path in sorted((ROOT / top).rglob("*.py"))
        if path.name != "__init__.py"
    ],
    ids=str,
)
def test_the_map_names_every_file(path: Path) -> None:
    words = re.findall(r"[a-z_]+", rooms_of_the_map().get(path.parent.as_posix(), ""))
    assert path.stem in words, f"README's map does not name {path}"


def test_files_that_recipes_name_exist() -> None:
    named = re.findall(r"`((?:core|xpbd_addon|tests|docs)/[\w/]+\.(?:py|md))`", README)
    assert len(named) > 10
    for name in named:
        assert (ROOT / name).is_file(), name


def test_the_table_of_orders_is_that_of_the_constraints() -> None:
    rows = re.findall(r"^\| (\d+) \| ((?:`\w+`(?:, )?)+) \|", ARCHITECTURE, flags=re.MULTILINE)
    table = {kind: int(order) for order, kinds in rows for kind in re.findall(r"\w+", kinds)}
    assert table == {kind: constraint.order for kind, constraint in REGISTRY.items()}
