# SPDX-License-Identifier: GPL-3.0-or-later
"""What every measurement gets."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .blenders import Blenders
from .c_kernels import compiler_version

PEERS = "XPBD_BENCH_PEERS"
DISTRIBUTIONS = {"warp": "warp-lang", "newton": "newton", "pypbd": "pypbd"}


@dataclass(frozen=True)
class Setting:
    """How to measure.

    Attributes:
        rounds: how often each thing is measured, in turn with the others.
        blenders: those to compare with; may be none.
        peers: interpreters with other libraries, by the library's name; may be none.
    """

    rounds: int
    blenders: Blenders
    peers: Mapping[str, Path] = field(default_factory=dict)

    def versions(self) -> dict[str, Any]:
        """Return what is compared with: Blenders, libraries, the C compiler."""
        libraries = {
            DISTRIBUTIONS[library]: _version(python, DISTRIBUTIONS[library])
            for library, python in self.peers.items()
        }
        return {
            "blenders": [_version(python, "bpy") for python in self.blenders.plain],
            **libraries,
            "c_compiler": compiler_version(),
        }


def _version(python: Path, distribution: str) -> str:
    """Return the version of what an interpreter has installed."""
    code = f"import importlib.metadata; print(importlib.metadata.version({distribution!r}))"
    ended = subprocess.run([str(python), "-c", code], capture_output=True, text=True, check=True)
    return ended.stdout.strip()


def peers_from_environment() -> dict[str, Path]:
    """Read ``XPBD_BENCH_PEERS``: "warp=PYTHON,pypbd=PYTHON"."""
    entries = [entry.partition("=") for entry in os.environ.get(PEERS, "").split(",")]
    return {library: Path(python) for library, _, python in entries if python}


def thread_counts() -> list[int]:
    """Return one, and all processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        processors = len(os.sched_getaffinity(0))
    else:
        processors = os.cpu_count() or 1
    return sorted({1, min(processors, 8)})
