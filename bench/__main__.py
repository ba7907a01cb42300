# SPDX-License-Identifier: GPL-3.0-or-later
"""Measure and print: `python -m bench [NAMES] [--output FILE]`, from the repository's root.

``XPBD_BLENDER_PYTHON``: an interpreter with bpy in whose user folder the extension is installed.
``XPBD_BENCH_BPY``: further interpreters with bpy to compare with, a comma between them.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from . import drape, growth, kinds, paper_cloth, report, sheet, startup, substeps
from .blenders import Blenders
from .setting import Setting

MEASUREMENTS: dict[str, Callable[[Setting], list[report.Table]]] = {
    "sheet": sheet.measure,
    "substeps": substeps.measure,
    "paper_cloth": paper_cloth.measure,
    "kinds": kinds.measure,
    "startup": startup.measure,
    "growth": growth.measure,
    "drape": drape.measure,
}


def main(arguments: Sequence[str]) -> int:
    """Run the measurements named, or all; return the exit status."""
    options = _parser().parse_args(arguments)
    setting = Setting(options.rounds, Blenders.from_environment())
    for key, value in report.circumstances().items():
        print(f"{key}: {value}")
    measured: dict[str, list[report.Table]] = {}
    for name in options.names or MEASUREMENTS:
        before = report.load()
        measured[name] = MEASUREMENTS[name](setting)
        for table in measured[name]:
            table.remarks.append(f"Load of the computer: {before} before, {report.load()} after.")
            print(f"\n{table}", flush=True)
        report.write(options.output, measured)
    print(f"\n{options.output.resolve()}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(MEASUREMENTS))
    parser.add_argument("--rounds", type=int, default=3, help="runs of each (default: 3)")
    parser.add_argument("--output", type=Path, default=report.ROOT / "dist" / "bench.json")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
