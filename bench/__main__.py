# SPDX-License-Identifier: GPL-3.0-or-later
"""Measure and print: `python -m bench [NAMES] [--output FILE]`, from the repository's root.

``XPBD_BLENDER_PYTHON``: an interpreter with bpy in whose user folder the extension is installed.
``XPBD_BENCH_BPY``: further interpreters with bpy to compare with, a comma between them.
``XPBD_BENCH_PEERS``: interpreters with other libraries: ``warp=PYTHON,newton=PYTHON,pypbd=PYTHON``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from . import (
    cages,
    constraint_kernels,
    contact,
    converted,
    drape,
    equal_stretch,
    frame_share,
    garments,
    growth,
    kinds,
    laying_out,
    paper_cloth,
    report,
    sheet,
    soft,
    startup,
    substeps,
    sweep,
    window,
)
from .blenders import Blenders
from .setting import Setting, peers_from_environment

MEASUREMENTS: dict[str, Callable[[Setting], list[report.Table]]] = {
    "cages": cages.measure,
    "constraint_kernels": constraint_kernels.measure,
    "sheet": sheet.measure,
    "equal_stretch": equal_stretch.measure,
    "soft": soft.measure,
    "substeps": substeps.measure,
    "paper_cloth": paper_cloth.measure,
    "kinds": kinds.measure,
    "laying_out": laying_out.measure,
    "startup": startup.measure,
    "frame_share": frame_share.measure,
    "growth": growth.measure,
    "drape": drape.measure,
    "contact": contact.measure,
    "garments": garments.measure,
    "window": window.measure,
    "sweep": sweep.measure,
    "converted": converted.measure,
}


def main(arguments: Sequence[str]) -> int:
    """Run the measurements named, or all; return the exit status."""
    options = _parser().parse_args(arguments)
    setting = Setting(options.rounds, Blenders.from_environment(), peers_from_environment())
    versions = setting.versions()
    for key, value in (report.circumstances() | versions).items():
        print(f"{key}: {value}")
    measured: dict[str, list[report.Table]] = {}
    for name in options.names or MEASUREMENTS:
        before = report.load()
        measured[name] = MEASUREMENTS[name](setting)
        for table in measured[name]:
            table.remarks.append(f"Load of the computer: {before} before, {report.load()} after.")
            print(f"\n{table}", flush=True)
        report.write(options.output, measured, versions)
    print(f"\n{_conclusion(measured)}")
    print(f"\n{options.output.resolve()}")
    return 0


def _conclusion(measured: Mapping[str, Sequence[report.Table]]) -> str:
    """Return which bars were missed."""
    bars = [bar for tables in measured.values() for table in tables for bar in table.bars]
    missed = [bar for bar in bars if not bar.holds]
    lines = [f"{len(bars) - len(missed)} bars hold, {len(missed)} are missed", *map(str, missed)]
    return "\n".join(lines)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(MEASUREMENTS))
    parser.add_argument("--rounds", type=int, default=3, help="runs of each (default: 3)")
    parser.add_argument("--output", type=Path, default=report.ROOT / "dist" / "bench.json")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
