# SPDX-License-Identifier: GPL-3.0-or-later
"""The report as Markdown, from the results alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .report import Cell, Check, Table, number
from .store import Entry, checks_of, holds, tables_of

_INTRODUCTION = """\
# Validation

Every figure on this page was computed by `python build.py validate`, which writes it; nothing is
typed in. References are closed forms, or slow and obvious double-precision code in
[tests/naive](../tests/naive) and beside the cases in [validation](../validation).
Expectations stand in code as bounds; the command fails where one is missed.
`python build.py validate --case NAME` renews one section."""


def report(entries: Mapping[str, Entry], pictures: str) -> str:
    """Return the page; `pictures` is the way from it to the folder of the pictures."""
    sections = [_section(entry, pictures) for entry in entries.values()]
    return "\n\n".join([_INTRODUCTION, _overview(entries), *sections]) + "\n"


def _overview(entries: Mapping[str, Entry]) -> str:
    groups: list[dict[str, Any]] = []
    rows: list[Sequence[str]] = []
    for name, entry in entries.items():
        machine = {key: value for key, value in entry["circumstances"].items() if key != "date"}
        if machine not in groups:
            groups.append(machine)
        checks = checks_of(entry)
        kept = sum(check.holds for check in checks)
        outcome = "did not finish" if entry["error"] else f"{kept} of {len(checks)}"
        rows.append(
            (
                f"[{entry['title']}](#{_anchor(entry['title'])})",
                f"`{name}`",
                outcome if holds(entry) else f"**{outcome}**",
                entry["circumstances"]["date"],
                f"{entry['seconds']:.0f}",
                str(groups.index(machine) + 1),
            )
        )
    head = ("case", "name", "bounds that hold", "computed", "seconds", "with")
    machines = [
        f"{index}. {', '.join(f'{key} {value}' for key, value in machine.items())}"
        for index, machine in enumerate(groups, 1)
    ]
    return "\n\n".join([_rows(head, rows), "Computed with:", "\n".join(machines)])


def _section(entry: Entry, pictures: str) -> str:
    parts = [f"## {entry['title']}", entry["shows"]]
    if entry["error"]:
        parts.append(f"**Did not finish:** {entry['error']}")
    if entry["checks"]:
        parts.append(_checks(checks_of(entry)))
    parts += entry["findings"]
    parts += [
        f"![{entry['title']}]({pictures}/{plot['file']})\n\n*{plot['caption']}*"
        for plot in entry["plots"]
    ]
    parts += [_table(table) for table in tables_of(entry)]
    return "\n\n".join(parts)


def _checks(checks: Iterable[Check]) -> str:
    rows = [
        (
            check.what,
            _quantity(check.value, check.unit),
            f"{'≤' if check.relation == 'at most' else '≥'} {_quantity(check.bound, check.unit)}",
            check.reason,
            "holds" if check.holds else "**fails**",
        )
        for check in checks
    ]
    return _rows(("expected", "found", "bound", "why this bound", ""), rows)


def _table(table: Table) -> str:
    rows = [[_text(cell) for cell in row] for row in table.rows]
    return f"**{table.title}**\n\n{_rows(table.columns, rows)}"


def _rows(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    safe = [[cell.replace("|", "\\|") for cell in line] for line in (head, *rows)]
    lines = [safe[0], ["---"] * len(head), *safe[1:]]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _quantity(value: float, unit: str) -> str:
    return f"{number(value)} {unit}".rstrip()


def _text(cell: Cell) -> str:
    if cell is None:
        return "–"
    return cell if isinstance(cell, str) else number(cell, 4)


def _anchor(title: str) -> str:
    """The anchor that a heading gets where Markdown is shown."""
    kept = "".join(letter for letter in title.lower() if letter.isalnum() or letter in " -_")
    return kept.replace(" ", "-")
