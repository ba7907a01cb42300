# SPDX-License-Identifier: GPL-3.0-or-later
"""A thickness at which everything is near everything is refused, with one that is not."""

from __future__ import annotations

import re

import contact_scenes as scenes
import naive
import numpy as np
import pytest

import core


def add(cells: int, thickness: float, **options: bool) -> core.Cloth:
    positions, faces = naive.quad_grid(cells, cells, 1.0, 1.0)
    return core.Model().add_cloth(positions, faces, thickness=thickness, name="Felt", **options)


@pytest.mark.parametrize("cells", [63, 150])
def test_a_metre_is_too_thick_for_a_fine_sheet_of_a_metre(cells: int) -> None:
    with pytest.raises(core.ModelError, match="'Felt' is too thick for cells of") as refused:
        add(cells, 1.0)
    told = re.search(r"to ([\d.]+) m or less", str(refused.value))
    assert told is not None
    add(cells, float(told[1]))
    with pytest.raises(core.ModelError, match="too thick"):
        add(cells, 1.2 * float(told[1]))


@pytest.mark.parametrize("cells", [20, 63, 300])
def test_a_cell_and_a_half_is_not(cells: int) -> None:
    add(cells, 1.5 / cells)


def test_few_cells_may_all_be_near_each_other() -> None:
    add(19, 1.0)


def test_what_does_not_collide_with_itself_may_be_of_any_thickness() -> None:
    add(63, 1.0, self_collision=False)


def test_a_collider_of_any_thickness_keeps_particles_off_and_costs_no_more() -> None:
    """Its edges and corners look no farther than the cells of the cloth."""
    positions, faces = naive.quad_grid(30, 30, 0.4, 0.4)
    ball, triangles = scenes.ball(16)
    model = core.Model()
    model.add_cloth(np.add(positions, (-0.2, -0.2, 1.303)), faces, thickness=0.001)
    model.add_collider(0.3 * ball, triangles, thickness=1.0)
    simulation = core.Simulation(model, core.XPBD(substeps=10))
    capacity = simulation.state.contact.surface.capacity
    for _ in range(6):
        simulation.advance(1 / 24)
    distances = np.linalg.norm(simulation.positions, axis=1)
    np.testing.assert_allclose(distances, 1.3, atol=0.01)
    assert simulation.state.contact.surface.capacity == capacity
