# SPDX-License-Identifier: GPL-3.0-or-later
"""Compute and write the report: ``python -m validation [--case NAME …]``, from the root.

Needs numba, matplotlib and scipy, which ``python build.py validate`` provides. The exit status is
1 where a bound fails.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from bench.report import circumstances

from . import ROOT, cases, markdown, store


def main(arguments: Sequence[str]) -> int:
    """Run the cases named, or all; return the exit status."""
    options = _parser().parse_args(arguments)
    return validate(options.case, ROOT / "docs")


def validate(chosen: Sequence[str] | None, docs: Path) -> int:
    """Compute the cases, all by default, renew their sections; return 1 where one fails."""
    folder = docs / "validation"
    folder.mkdir(parents=True, exist_ok=True)
    known = cases.names()
    computed = list(dict.fromkeys(chosen or known))
    succeeded = True
    for name in computed:
        print(f"{name} …", flush=True)
        # The commit would be that before the one with this report.
        machine = {key: value for key, value in circumstances().items() if key != "commit"}
        entry = store.run(cases.load(name), folder, machine)
        page = markdown.report(store.renew(folder, name, entry, known), folder.name)
        (docs / "validation.md").write_text(page, encoding="utf-8")
        print(_outcome(name, entry), flush=True)
        succeeded &= store.holds(entry)
    print(docs / "validation.md")
    return 0 if succeeded else 1


def _outcome(name: str, entry: store.Entry) -> str:
    lines = [f"{name}: {'holds' if store.holds(entry) else 'FAILS'} in {entry['seconds']:.0f} s"]
    lines += [
        f"  fails: {check.what}: {check.value:.4g} {check.unit}, {check.relation} {check.bound:.4g}"
        for check in store.checks_of(entry)
        if not check.holds
    ]
    return "\n".join(lines)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="validation", description=__doc__)
    parser.add_argument(
        "--case",
        action="append",
        metavar="NAME",
        choices=cases.names(),
        help=f"only this one (repeatable): {', '.join(cases.names())}",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
