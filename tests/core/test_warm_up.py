# SPDX-License-Identifier: GPL-3.0-or-later
"""What the warm-up prepares is what a simulation needs."""

from __future__ import annotations

import naive

import core
from core import warm_up
from core.mesh import surface


def test_the_strain_of_a_cloth_is_ready_after_the_warm_up() -> None:
    warm_up._go_through(warm_up._simulation(core.XPBD(), "springs", 0.0))
    ready = list(surface._fill_strain.signatures)
    assert ready
    positions, faces = naive.quad_grid(3, 3, 1.0, 1.0)
    model = core.Model()
    cloth = model.add_cloth(positions, faces)
    moved = core.Simulation(model).positions
    core.edge_strain(moved, cloth.edges, cloth.rest_lengths)
    assert surface._fill_strain.signatures == ready
