# SPDX-License-Identifier: GPL-3.0-or-later
"""What a collider would tear apart is named, with the cure; what it can lead out is led out."""

from __future__ import annotations

import contact_scenes as scenes
import naive
import numpy as np
import pytest
from contact_scenes import Mesh

import core
from core.linear import NotConverged, NotPositiveDefinite

BALL = 0.3 * scenes.ball(24)[0], scenes.ball(24)[1]


def inside_of(mesh: Mesh, height: float) -> core.Simulation:
    """A sheet of 0.2 m inside of something around the origin."""
    model = core.Model()
    points, faces = naive.quad_grid(19, 19, 0.2, 0.2)
    model.add_cloth(np.add(points, (-0.0963, -0.0977, height)), faces, name="Napkin")
    model.add_collider(*scenes.box((-9.0, -9.0, -9.0), (9.0, 9.0, -8.0)), name="Ground")
    model.add_collider(*mesh, thickness=0.0, name="Body")
    return core.Simulation(model, core.XPBD(substeps=400, largest_stretch=0.03))


@pytest.mark.parametrize("mesh", [BALL, scenes.box((-0.5, -0.5, -0.5), (0.5, 0.5, 0.5))])
def test_what_is_in_the_middle_is_refused_before_it_is_torn(mesh: Mesh) -> None:
    simulation = inside_of(mesh, 0.0)
    with pytest.raises(
        core.SimulationError, match=r"'Napkin' is inside of the collider 'Body'.*: move it out"
    ):
        simulation.advance(1 / 24)


def test_what_is_near_a_side_comes_out_whole() -> None:
    simulation = inside_of(scenes.box((-0.5, -0.5, -0.5), (0.5, 0.5, 0.1)), 0.0)
    for _ in range(8):
        simulation.advance(1 / 24)
    assert simulation.positions[:, 2].min() > 0.1
    (cloth,) = simulation.model.cloths
    strain = core.edge_strain(simulation.positions, cloth.edges, cloth.rest_lengths)
    assert np.abs(strain).max() < 0.02


@pytest.mark.jit_off
@pytest.mark.parametrize("error", [NotPositiveDefinite, NotConverged])
def test_equations_that_can_not_be_solved_name_the_object_and_the_cure(
    error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(matrix: object) -> None:
        raise error("it is singular")

    monkeypatch.setattr("core.solvers.projective.solver.solver_for", fail)
    model = core.Model()
    model.add_cloth(*naive.quad_grid(2, 2, 1.0, 1.0), name="Napkin")
    simulation = core.Simulation(model, core.ProjectiveDynamics())
    with pytest.raises(
        core.SimulationError, match=r"'Napkin' can't be solved.*it is singular.*: merge vertices"
    ):
        simulation.advance(1 / 24)


@pytest.mark.jit_off
def test_only_particles_have_to_be_finite() -> None:
    """Rows behind the last particle fill lanes that are not used."""
    model = core.Model()
    points, faces = naive.quad_grid(2, 2, 1.0, 1.0)
    model.add_cloth(points, faces, name="Napkin")
    simulation = core.Simulation(model)
    simulation.state.rows[len(points) :] = np.nan
    simulation.advance(1 / 24)
    assert np.isfinite(simulation.positions).all()
    simulation.positions[4] = np.inf
    with pytest.raises(core.SimulationError, match="'Napkin' became unstable"):
        simulation.advance(1 / 24)


def test_more_contacts_than_memory_holds_name_the_objects_and_the_cure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("core.contact.surface.memory.MOST_PAIRS", 100)
    model = core.Model()
    points, faces = naive.quad_grid(8, 8, 0.2, 0.2)
    for name, height in (("Napkin", 0.0), ("Towel", 0.004)):
        model.add_cloth(points + np.array([0.0, 0.0, height]), faces, thickness=0.1, name=name)
    simulation = core.Simulation(model, core.XPBD(substeps=4))
    with pytest.raises(core.SimulationError, match=r"'Napkin' and 'Towel' may touch in.*: let"):
        simulation.advance(1 / 24)
