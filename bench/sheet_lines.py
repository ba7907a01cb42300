# SPDX-License-Identifier: GPL-3.0-or-later
"""How the methods that simulate the sheet are called in its table and in the picture."""

from __future__ import annotations

from typing import Any

OURS = "core, 1 thread"
EXTENSION = "our extension, live"
MODIFIER = "cloth modifier"
NODES = "Cloth Dynamics"
OURS_TOUCHING = "with self-collision: core, 1 thread"
MODIFIER_TOUCHING = "with self-collision: cloth modifier"

LIVE = "the same, live in Blender"
LINES = {
    "this extension's solver, one thread": OURS,
    LIVE: EXTENSION,
    "Blender's cloth modifier": MODIFIER,
    "Blender 5.2's Cloth Dynamics": NODES,
}
"""By title: how the names of the methods begin; of several Blenders the fastest is drawn."""


def lines_of(table: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Return for each method that was measured its rows by column, smallest mesh first."""
    rows = [dict(zip(table["columns"], row)) for row in table["rows"]]
    found: dict[str, list[dict[str, Any]]] = {}
    for title, name in LINES.items():
        mine = [row for row in rows if row["method"].startswith(name)]
        sizes = sorted({row["vertices"] for row in mine})
        fastest = [
            min((row for row in mine if row["vertices"] == size), key=lambda row: row["ms/frame"])
            for size in sizes
        ]
        if fastest:
            found[title] = fastest
    return found
