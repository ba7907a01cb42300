# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables on the terminal and in a file."""

from __future__ import annotations

import datetime
import json
import os
import platform
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

ROOT = Path(__file__).resolve().parent.parent
Cell = str | int | float | None


@dataclass
class Bar:
    """What a figure is held against; ``sense`` says on which side of the bound it must lie."""

    what: str
    figure: float
    sense: Literal["at most", "at least"]
    bound: float
    holds: bool

    def __str__(self) -> str:
        verdict = "holds " if self.holds else "MISSED"
        return f"{verdict}  {self.what}: {_text(self.figure)}, {self.sense} {_text(self.bound)}"


def at_most(what: str, figure: float, bound: float) -> Bar:
    """Return a bar that a figure must not pass."""
    return Bar(what, figure, "at most", bound, figure <= bound)


def at_least(what: str, figure: float, bound: float) -> Bar:
    """Return a bar that a figure must reach."""
    return Bar(what, figure, "at least", bound, figure >= bound)


@dataclass
class Table:
    """Figures of one measurement; units stand in the column names."""

    title: str
    columns: Sequence[str]
    rows: list[Sequence[Cell]] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    bars: list[Bar] = field(default_factory=list)

    def __str__(self) -> str:
        lines = [self.columns, *([_text(cell) for cell in row] for row in self.rows)]
        widths = [max(len(line[k]) for line in lines) for k in range(len(self.columns))]
        left = [k for k in range(len(self.columns)) if self._is_text(k)]
        body = [
            "  ".join(
                cell.ljust(width) if k in left else cell.rjust(width)
                for k, (cell, width) in enumerate(zip(line, widths))
            ).rstrip()
            for line in lines
        ]
        rule = "-" * max(len(line) for line in body)
        notes = [f"* {remark}" for remark in self.remarks]
        bars = [str(bar) for bar in self.bars]
        return "\n".join([self.title, rule, body[0], rule, *body[1:], rule, *bars, *notes])

    def _is_text(self, column: int) -> bool:
        return any(isinstance(row[column], str) for row in self.rows)


def _text(cell: Cell) -> str:
    if cell is None:
        return "-"
    if isinstance(cell, float):
        return f"{cell:.3g}" if abs(cell) < 100 else f"{cell:.0f}"
    return f"{cell:,}" if isinstance(cell, int) else cell


def circumstances() -> dict[str, Any]:
    """Return what a reader needs to judge the figures."""
    import llvmlite
    import numba
    import numpy as np

    from core.vector.compiler import native_lanes

    return {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "commit": _commit(),
        "processor": _processor(),
        "processors": os.cpu_count(),
        "lanes": native_lanes(),
        "system": platform.platform(),
        "python": sys.version.split()[0],
        "numpy": np.__version__,
        "numba": numba.__version__,
        "llvmlite": llvmlite.__version__,
    }


def load() -> float | None:
    """Return how many processes wanted to run in the last minute; None where unknown."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None


def write(
    path: Path,
    measurements: Mapping[str, Sequence[Table]],
    versions: Mapping[str, Any] | None = None,
) -> None:
    """Write all figures as JSON, with the circumstances and the versions of others."""
    tables = {name: [asdict(table) for table in found] for name, found in measurements.items()}
    path.parent.mkdir(parents=True, exist_ok=True)
    about = circumstances() | {"load_at_the_end": load()} | dict(versions or {})
    content = about | {"measurements": tables}
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def _commit() -> str | None:
    command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty"]
    try:
        found = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return None
    return found.stdout.strip() or None


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    if information.is_file():
        for line in information.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
