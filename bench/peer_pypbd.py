# SPDX-License-Identifier: GPL-3.0-or-later
"""Run by a Python with pyPBD: RESULT_FILE. The paper's cloth by PositionBasedDynamics' XPBD."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import numpy as np
import pypbd as pbd

from .blenders import write_result
from .paper_case import COMPLIANCE, STEP, springs, timed, vertices


def main() -> dict[str, Any]:
    """Return seconds of steps, and where the cloth hangs then."""
    simulation = pbd.Simulation.getCurrent()
    simulation.initDefault()
    model = simulation.getModel()
    positions, inverse = vertices()
    particles = model.getParticles()
    for x, y, z in positions:
        particles.addVertex([x, z, -y])  # its gravity pulls along -y
    for number, weight in enumerate(inverse.tolist()):
        particles.setMass(number, 1.0 / weight if weight > 0.0 else 0.0)
    for a, b in springs()[0].tolist():
        model.addDistanceConstraint_XPBD(a, b, 1.0 / COMPLIANCE)
    pbd.TimeManager.getCurrent().setTimeStepSize(STEP)
    stepper = simulation.getTimeStep()
    stepper.setValueUInt(pbd.TimeStepController.NUM_SUB_STEPS, 1)

    def step(iterations: int) -> None:
        stepper.setValueUInt(pbd.TimeStepController.MAX_ITERATIONS, iterations)
        stepper.step(model)

    found = timed(step)
    lowest = min(float(particles.getPosition(k)[1]) for k in range(len(inverse)))
    kind = np.asarray(particles.getPosition(0)).dtype.name
    return found | {"version": f"{version('pypbd')}, {kind}", "lowest": lowest}


if __name__ == "__main__":
    write_result(main())
