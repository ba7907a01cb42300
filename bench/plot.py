# SPDX-License-Identifier: GPL-3.0-or-later
"""Draw docs/benchmark.png: `python -m bench.plot [FILE]`, from what `python -m bench` wrote.

A copy of the file is kept beside the picture as docs/benchmark.json.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.ticker import FuncFormatter, NullFormatter

from validation.plots import canvas, label, legend_below, marked

from .report import ROOT
from .sheet_lines import LIVE, lines_of

PICTURE = ROOT / "docs" / "benchmark.png"
STRAINS = ("strain max %", "p99 %")


def main(arguments: Sequence[str]) -> int:
    """Draw the picture; return the exit status."""
    source = Path(arguments[0]) if arguments else ROOT / "dist" / "bench.json"
    content = json.loads(source.read_text(encoding="utf-8"))
    tables = content["measurements"].get("sheet")
    if not tables:
        print(f"{source} has no measurement of the sheet: {PICTURE.name} stays as it is")
        return 0
    draw(lines_of(tables[0]), PICTURE)
    shutil.copyfile(source, PICTURE.with_suffix(".json"))
    print(PICTURE)
    return 0


def draw(lines: dict[str, list[dict[str, Any]]], path: Path) -> None:
    """Draw milliseconds a frame and strain over the number of vertices."""
    figure, ((time, strain),) = canvas(columns=2, height=3.9)
    for number, (title, rows) in enumerate(lines.items()):
        vertices = [row["vertices"] for row in rows]
        look = marked(number) | {"linestyle": "-"}
        time.plot(vertices, [row["ms/frame"] for row in rows], **look, label=title)
        if title != LIVE:  # its strain is that of the solver
            largest, typical = ([row[column] for row in rows] for column in STRAINS)
            strain.plot(vertices, largest, **look)
            strain.plot(vertices, typical, **look | {"linestyle": ":", "markerfacecolor": "white"})
    label(time, "Time", "vertices", "milliseconds a frame")
    label(strain, "Strain of the edges", "vertices", "strain (%)")
    note = "full: largest\nhollow: 99th percentile"
    strain.text(0.03, 0.97, note, transform=strain.transAxes, va="top", fontsize=9)
    sizes = sorted({row["vertices"] for rows in lines.values() for row in rows})
    for axes in (time, strain):
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    legend_below(figure, time, columns=2)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
