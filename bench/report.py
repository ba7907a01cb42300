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
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
Cell = str | int | float | None


@dataclass
class Table:
    """Figures of one measurement; units stand in the column names."""

    title: str
    columns: Sequence[str]
    rows: list[Sequence[Cell]] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

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
        return "\n".join([self.title, rule, body[0], rule, *body[1:], rule, *notes])

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


def write(path: Path, measurements: Mapping[str, Sequence[Table]]) -> None:
    """Write all figures as JSON."""
    tables = {name: [asdict(table) for table in found] for name, found in measurements.items()}
    path.parent.mkdir(parents=True, exist_ok=True)
    content = circumstances() | {"load_at_the_end": load(), "measurements": tables}
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
