# SPDX-License-Identifier: GPL-3.0-or-later
"""What a carried surface may be given, and what its handle tells."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import core
from core.bodies.skin import Skin

CORNERS = np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)])


def model_with_cage() -> tuple[core.Model, Any]:
    model = core.Model()
    model.add_particles([(5.0, 5.0, 5.0)], 1.0)
    return model, model.add_particles(CORNERS, 2.0, (1.0, 0.0, 0.0))


def add(model: core.Model, cage: Any, **changes: Any) -> Skin:
    given: dict[str, Any] = {
        "corners": np.tile(np.arange(4), (3, 1)),
        "weights": [(0.7, 0.1, 0.1, 0.1), (0.1, 0.7, 0.1, 0.1), (0.1, 0.1, 0.7, 0.1)],
        "faces": [(0, 1, 2)],
        "name": "pudding",
    }
    return model.add_skin(cage, **(given | changes))


def test_its_vertices_are_means_of_corners() -> None:
    model, cage = model_with_cage()
    skin = add(model, cage)
    np.testing.assert_allclose(model.positions[skin.particles][1], (0.7, 0.1, 0.1))
    np.testing.assert_array_equal(skin.triangles - skin.particles[0], [(0, 1, 2)])
    np.testing.assert_array_equal(model.masses[skin.particles], 0.0)
    state = model.state()
    np.testing.assert_allclose(state.rows[skin.particles, 3], (0.49 + 0.03) / 2.0, rtol=1e-6)
    np.testing.assert_allclose(state.velocities[skin.particles], [(1.0, 0.0, 0.0)] * 3)


@pytest.mark.jit_off
def test_it_goes_where_its_corners_do() -> None:
    model, cage = model_with_cage()
    skin = add(model, cage)
    simulation = core.Simulation(model, gravity=(0.0, 0.0, -9.81))
    simulation.advance(0.1)
    expected = np.einsum("nk,nkd->nd", skin.weights, simulation.positions[skin.corners])
    np.testing.assert_allclose(simulation.positions[skin.particles], expected, atol=1e-6)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"weights": [(0.7, 0.1, 0.1, 0.1)] * 2}, "'pudding' has 3 vertices"),
        ({"weights": [(0.9, 0.7, 0.0, -0.6)] * 3}, "The weights of vertex 0 of 'pudding'"),
        ({"weights": [(0.9, 0.2, 0.0, 0.1)] * 3}, "The weights of vertex 0 of 'pudding'"),
        ({"weights": [(np.nan, 0.2, 0.0, 0.1)] * 3}, "Weights of 'pudding': vertex 0"),
        ({"corners": [(0, 1, 2, 4)] * 3}, "carried by a corner that its cage doesn't have"),
        ({"corners": [(0, 1, 2)] * 3}, "The corners of 'pudding' must have shape"),
        ({"faces": [(0, 1, 3)]}, "A face of 'pudding' refers to a vertex"),
        ({"faces": []}, "'pudding' has no faces"),
        ({"faces": [(0, 1)]}, "'pudding' has a face of 2 corners"),
        ({"cage": [0, 99]}, "The cage of 'pudding' has a particle that doesn't exist"),
        ({"cage": []}, "The cage of 'pudding' must be particles"),
    ],
)
def test_what_can_not_be_carried_is_named(changes: dict[str, Any], message: str) -> None:
    model, cage = model_with_cage()
    chosen = changes.pop("cage", cage)
    with pytest.raises(core.ModelError, match=message):
        add(model, chosen, **changes)
    assert not model.skins
