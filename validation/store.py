# SPDX-License-Identifier: GPL-3.0-or-later
"""What the cases found, kept in docs/validation/results.json so that one can be renewed alone."""

from __future__ import annotations

import json
import time
import traceback
from collections.abc import Collection
from dataclasses import asdict
from pathlib import Path
from typing import Any

from .report import Case, Check, Result, Table

Entry = dict[str, Any]
"""A case's section: what it shows and found, when, with what and how long it took."""

RESULTS = "results.json"
_PICTURE = {"dpi": 150, "metadata": {"Software": None}}


def run(case: Case, pictures: Path, circumstances: dict[str, Any]) -> Entry:
    """Compute a case and draw its plots into the folder; what it raises becomes the entry's error.

    The traceback goes to the terminal: a broken case must not take the others' results with it.
    """
    started = time.monotonic()
    error = None
    result = Result()
    try:
        result = case.run()
    except Exception as problem:
        traceback.print_exc()
        error = f"{type(problem).__name__}: {problem}"
    for plot in result.plots:
        plot.figure.savefig(pictures / f"{case.name}-{plot.name}.png", **_PICTURE)
    return {
        "title": case.title,
        "order": case.order,
        "shows": case.shows,
        "error": error,
        "findings": result.findings,
        "checks": [asdict(check) for check in result.checks],
        "tables": [asdict(table) for table in result.tables],
        "plots": [
            {"file": f"{case.name}-{plot.name}.png", "caption": plot.caption}
            for plot in result.plots
        ],
        "seconds": time.monotonic() - started,
        "circumstances": circumstances,
    }


def read(folder: Path) -> dict[str, Entry]:
    """Return all entries by name in the order of the report; empty where there are none yet."""
    path = folder / RESULTS
    if not path.is_file():
        return {}
    entries: dict[str, Entry] = json.loads(path.read_text(encoding="utf-8"))
    return _sorted(entries)


def renew(folder: Path, name: str, entry: Entry, known: Collection[str]) -> dict[str, Entry]:
    """Put a case's entry in place of its old one, and return what `read` would.

    Entries and pictures of cases that are not known any more go, as do the case's own pictures
    that it does not draw any more.
    """
    kept = {other: old for other, old in read(folder).items() if other in known}
    entries = _sorted(kept | {name: entry})
    content = json.dumps(entries, indent=1, ensure_ascii=False, default=_plain)
    (folder / RESULTS).write_text(content + "\n", encoding="utf-8")
    used = {plot["file"] for plot in entry["plots"]}
    for picture in folder.glob("*.png"):
        owner = picture.name.partition("-")[0]
        if owner not in known or (owner == name and picture.name not in used):
            picture.unlink()
    return read(folder)


def checks_of(entry: Entry) -> list[Check]:
    """Return a case's checks."""
    return [Check(**check) for check in entry["checks"]]


def tables_of(entry: Entry) -> list[Table]:
    """Return a case's tables."""
    return [Table(**table) for table in entry["tables"]]


def holds(entry: Entry) -> bool:
    """Whether a case ran and all its bounds hold."""
    return entry["error"] is None and all(check.holds for check in checks_of(entry))


def _sorted(entries: dict[str, Entry]) -> dict[str, Entry]:
    return dict(sorted(entries.items(), key=lambda item: (item[1]["order"], item[0])))


def _plain(value: Any) -> Any:
    """A numpy number as Python's own."""
    return value.item()
