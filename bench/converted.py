# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects that Blender simulates, before and after they are converted: docs/converted.md."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from string import Template
from typing import Any

from .blenders import run_script
from .report import ROOT, Bar, Table, at_most
from .setting import Setting

Found = dict[str, Any]
"""What was found of a set-up."""

PAGE = ROOT / "docs" / "converted.md"
TEMPLATE = Path(__file__).with_name("converted_page.md")
LATE, MIDDLE = 0.06, 0.11
"""How far vertices may be from where Blender has them, root mean square, in sizes of the object: at
the end and on any frame. Blender's own shapes differ by 0.01 to 0.07 when one number is nudged."""

CHAOTIC = ("table",)
"""In names of set-ups in which folds fall where chance has them: only the drape is compared."""

DRAPE = 0.07
"""How much lower or higher the lowest point may be, in sizes of the object."""


def measure(setting: Setting) -> list[Table]:
    """Play all set-ups in Blender, write the page; nothing without a Blender with the extension."""
    if setting.blenders.extended is None:
        return []
    found: dict[str, list[Found]] = {}
    for part in ("fabrics", "hobbyists"):
        picture = ROOT / "docs" / "images" / f"converted-{part}.png"
        found[part] = run_script(setting.blenders.extended, "converted_blender", str(picture), part)
    tables = [_table(part.capitalize(), results) for part, results in found.items()]
    tables[0].bars = list(_bars(found["fabrics"]))
    PAGE.write_text(_page(tables, [*found["fabrics"], *found["hobbyists"]]), encoding="utf-8")
    return tables


def _table(title: str, found: Sequence[Found]) -> Table:
    frames = max((each["apart"].keys() for each in found if "apart" in each), key=len)
    table = Table(
        title,
        (
            "set-up", "kg/m²", "stretch N/m", "bending µN·m", "lowest m: Blender", "XPBD",
            "spread m: Blender", "XPBD", *(f"apart on {frame} %" for frame in frames),
        ),
    )  # fmt: skip
    for each in found:
        if "refused" in each:
            table.rows.append((each["name"], *[None] * (len(table.columns) - 1)))
            continue
        apart = [100.0 * part for part in each["apart"].values()]
        row = (each["name"], each["density"], each["stretch"], 1e6 * each["bend"])
        table.rows.append((*row, *each["low"], *each["spread"], *apart))
    return table


def _bars(found: Iterable[Found]) -> Iterable[Bar]:
    for each in found:
        before, after = each["low"]
        yield at_most(f"{each['name']}: lowest", abs(after - before) / each["size"], DRAPE)
        if not any(word in each["name"] for word in CHAOTIC):
            apart = list(each["apart"].values())
            yield at_most(f"{each['name']}: at the end", apart[-1], LATE)
            yield at_most(f"{each['name']}: on the way", max(apart), MIDDLE)


def _page(tables: Sequence[Table], found: Iterable[Found]) -> str:
    fabrics, scenes = map(_markdown, tables)
    lost = [
        f"- *{each['name']}*: {each.get('refused') or '; '.join(each['lost'])}"
        for each in found
        if each.get("refused") or each["lost"]
    ]
    template = Template(TEMPLATE.read_text(encoding="utf-8"))
    return template.substitute(fabrics=fabrics, scenes=scenes, lost="\n".join(lost))


def _markdown(table: Table) -> str:
    lines = [table.columns, ["---"] * len(table.columns), *(map(_cell, row) for row in table.rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(cell: object) -> str:
    if cell is None:
        return "–"
    if isinstance(cell, float):
        return f"{cell:.3g}" if abs(cell) < 100.0 else f"{cell:,.0f}"
    return str(cell)
