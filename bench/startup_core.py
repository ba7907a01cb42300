# SPDX-License-Identifier: GPL-3.0-or-later
"""Run by the core's Python: RESULT_FILE START_TIME KERNEL_FOLDER. How long until a frame."""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Callable
from pathlib import Path

from .blenders import write_result
from .default_settings import DRAG, FRAME, SOLVER
from .scenes import square, square_corners


def main(started: float, folder: Path) -> dict[str, float]:
    """Return the seconds of each stage; ``started``: time.time() before this process began."""
    stages = {"start Python": time.time() - started}
    stages["import core"] = _timed(lambda: _import_core(folder))
    stages["kernels"] = _timed(_load_kernels)
    stages["first frame"] = _timed(_first_frame)
    return stages | {"processor": time.process_time()}


def _timed(action: Callable[[], object]) -> float:
    start = time.time()
    action()
    return time.time() - start


def _import_core(folder: Path) -> None:
    from core import warm_up

    warm_up.use_cache(folder)
    importlib.import_module("core.simulation")


def _load_kernels() -> None:
    from core import warm_up

    warm_up.warm_up(**SOLVER)


def _first_frame() -> None:
    import core

    positions, quads = square(32)
    model = core.Model()
    model.add_cloth(positions, quads, pins=square_corners(32), drag=DRAG)
    core.Simulation(model, core.XPBD(**SOLVER)).advance(FRAME)


if __name__ == "__main__":
    write_result(main(float(sys.argv[2]), Path(sys.argv[3])))
