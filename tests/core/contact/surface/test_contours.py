# SPDX-License-Identifier: GPL-3.0-or-later
"""What goes through what, along which contour."""

from __future__ import annotations

import naive
import numpy as np
from contact_scenes import box
from numpy.typing import NDArray

import core


def loop(along: NDArray[np.float64], across: NDArray[np.float64]) -> NDArray[np.float64]:
    """A sheet whose every section is a loop, which crosses itself at t = -1 and t = 1."""
    t = -1.31 + 2.68 * along
    return np.stack([0.1 * (t**3 - t), across, 0.1 * t**2], axis=1)


def test_two_that_go_through_one_body_do_not_go_through_each_other() -> None:
    """One of them goes through itself where it goes through the body."""
    points, faces = naive.quad_grid(13, 5, 1.0, 0.3)
    points = np.asarray(points)
    model = core.Model()
    looped = model.add_cloth(points, faces)
    other = model.add_cloth(np.add(points, (-0.5, 0.0, 0.189)), faces)
    model.add_collider(*box((-1.0, 0.16, -1.0), (1.0, 1.0, 1.0)))
    simulation = core.Simulation(model, core.XPBD(substeps=1))
    simulation.positions[looped.particles] = loop(points[:, 0], points[:, 1])
    simulation.advance(1e-5)
    shape, moving = simulation.state.contact.surface.arrays
    own, others = shape.bits[looped.particles[0]], shape.bits[other.particles[0]]
    assert np.any(moving.tangled[looped.particles] & own)
    assert np.any(moving.lost[looped.particles])
    assert not np.any(moving.tangled[looped.particles] & others)
