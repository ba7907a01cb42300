# SPDX-License-Identifier: GPL-3.0-or-later
"""Run by a Python with Newton: RESULT_FILE. The paper's cloth by SolverXPBD on the processor."""

from __future__ import annotations

from typing import Any

import newton
import numpy as np
import warp as wp

from .blenders import write_result
from .paper_case import COMPLIANCE, STEP, springs, timed, vertices


def main() -> dict[str, Any]:
    """Return seconds of steps, and where the cloth hangs then."""
    wp.config.quiet = True
    with wp.ScopedDevice("cpu"):
        model = _model()
        states = [model.state(), model.state()]
        control = model.control()
        solvers: dict[int, Any] = {}

        def step(iterations: int) -> None:
            if iterations not in solvers:
                solvers[iterations] = newton.solvers.SolverXPBD(model, iterations=iterations)
            states[0].clear_forces()
            solvers[iterations].step(states[0], states[1], control, None, STEP)
            states.reverse()

        found = timed(step)
        lowest = float(states[0].particle_q.numpy()[:, 2].min())
    return found | {"version": f"{newton.__version__}, Warp {wp.config.version}", "lowest": lowest}


def _model() -> Any:
    positions, inverse = vertices()
    pairs, _ = springs()
    masses = np.where(inverse > 0.0, 1.0 / np.maximum(inverse, 1e-30), 0.0)
    builder = newton.ModelBuilder()
    for place, mass in zip(positions.tolist(), masses.tolist()):
        builder.add_particle(pos=tuple(place), vel=(0.0, 0.0, 0.0), mass=mass, radius=0.0)
    for a, b in pairs.tolist():
        builder.add_spring(a, b, ke=1.0 / COMPLIANCE, kd=0.0, control=0.0)
    return builder.finalize(device="cpu")


if __name__ == "__main__":
    write_result(main())
