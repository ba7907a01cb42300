# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes as artists make them: bad ones are refused by name, awkward ones simulate."""

from __future__ import annotations

import math
from typing import Any

import naive
import numpy as np
import pytest

import core

Mesh = tuple[np.ndarray, list[tuple[int, ...]]]


def cloth(mesh: Mesh, **material: Any) -> core.Model:
    model = core.Model(np.float64)
    model.add_cloth(*mesh, **material)
    return model


@pytest.mark.jit_off
@pytest.mark.parametrize(
    ("faces", "pins", "message"),
    [
        ([], None, "'sail' has no faces"),
        ([(0, 1)], None, "'sail' has a face of 2 corners"),
        ([(0, 1, 9)], None, "face of 'sail' refers to a vertex"),
        ([(0, 1, -1)], None, "face of 'sail' refers to a vertex"),
        ([(0, 1, 2)], [4], "pin of 'sail' refers to a vertex"),
        ([(0, 1, 2)], [-1], "pin of 'sail' refers to a vertex"),
        ([(0, 1, 1)], None, "'sail'"),
    ],
)
def test_bad_meshes_are_named(faces: list[Any], pins: Any, message: str) -> None:
    model = core.Model()
    with pytest.raises(core.ModelError, match=message):
        model.add_cloth([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)], faces, pins=pins, name="sail")
    assert model.particle_count == 0, "nothing is left behind"
    assert not model.cloths
    assert not model.groups


@pytest.mark.jit_off
def test_coordinates_that_are_not_numbers_are_named() -> None:
    model = core.Model()
    with pytest.raises(core.ModelError, match=r"'sail'.*vertex 1 .*\(2 in all\)"):
        model.add_cloth([(0, 0, 0), (np.nan, 0, 0), (0, np.inf, 0)], [(0, 1, 2)], name="sail")
    with pytest.raises(core.ModelError, match="'sail' must have shape"):
        model.add_cloth([(0, 0), (1, 0), (0, 1)], [(0, 1, 2)], name="sail")


@pytest.mark.jit_off
@pytest.mark.parametrize(
    ("material", "message"),
    [
        ({"density": 0.0}, "density must be positive"),
        ({"density": math.nan}, "density must be positive"),
        ({"poisson_ratio": 1.0}, "Poisson"),
        ({"stretch_compliance": -1.0}, "stretch compliance can't be -1.0"),
        ({"bend_damping": -1.0}, "bend damping can't be -1.0"),
        ({"shear_compliance": math.nan}, "shear compliance"),
        ({"bend_compliance": math.inf}, "bend compliance"),
        ({"membrane": "jelly"}, "'jelly'"),
    ],
)
def test_bad_materials_are_refused(material: dict[str, Any], message: str) -> None:
    with pytest.raises(core.ModelError, match=message):
        cloth(naive.quad_grid(1, 1, 1.0, 1.0), **material)


@pytest.mark.jit_off
def test_a_cloth_of_zero_area_is_refused_and_named() -> None:
    with pytest.raises(core.ModelError, match="'line' have zero area"):
        core.Model().add_cloth([(0, 0, 0), (1, 0, 0), (2, 0, 0)], [(0, 1, 2)], name="line")


def awkward_meshes() -> dict[str, Mesh]:
    positions, quads = naive.quad_grid(3, 3, 1.0, 1.0)
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    corner_on_edge = np.array(
        [(0, 0, 0), (0.3, 0, 0), (0.7, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], float
    )
    return {
        "loose vertex": (np.concatenate([positions, [(5, 5, 5)]]), quads),
        "a zero-area face": (positions, [*quads, (0, 1, 2)]),
        "coincident vertices": (
            np.where(np.arange(16)[:, None] == 5, positions[4], positions),
            quads,
        ),
        "three sheets at an edge": (
            np.concatenate([positions, [(0.5, -0.5, 0.5)]]),
            [*quads, (0, 1, 16), (0, 1, 5)],
        ),
        # Rotated, so that the area of the thin triangles is rounding, not zero.
        "corners on an edge": (
            (corner_on_edge @ turn.T).astype(np.float32).astype(float),
            [(0, 1, 2, 3, 4, 5)],
        ),
        "a stamp": (positions * 0.05, quads),
        "a sail": (positions * 30.0, quads),
        "the same face twice": (positions, [*quads, quads[4]]),
    }


@pytest.mark.parametrize("stretch_compliance", [0.0, 5e-4])
@pytest.mark.parametrize("membrane", ["continuum", "springs"])
@pytest.mark.parametrize("name", awkward_meshes())
def test_awkward_meshes_hang_and_stay_together(
    name: str, membrane: str, stretch_compliance: float
) -> None:
    positions, faces = awkward_meshes()[name]
    model = core.Model()
    sheet = model.add_cloth(
        positions, faces, pins=[0], membrane=membrane, stretch_compliance=stretch_compliance
    )
    simulation = core.Simulation(model)
    for _ in range(24):
        simulation.advance(1 / 24)
    used = np.isin(sheet.edges, np.unique(np.concatenate([list(f) for f in faces]))).all(axis=1)
    edges, rest = sheet.edges[used], sheet.rest_lengths[used]
    lengths = np.linalg.norm(np.subtract(*simulation.positions[edges.T].astype(float)), axis=1)
    # Gravity can't pull a cloth of this stiffness to twice its length.
    assert (lengths <= 2.0 * rest + 0.1 * np.ptp(positions)).all()


@pytest.mark.parametrize("damping", [0.002, 0.01])
def test_a_hanging_strip_stretches_under_its_weight(damping: float) -> None:
    """Whole simulation to rest: the end sinks by ρ g L² / 2k, however it was damped."""
    positions, faces = naive.quad_grid(2, 10, 0.2, 1.0)
    hanging = positions[:, [0, 2, 1]] * (1, 1, -1)
    model = core.Model(np.float64)
    model.add_cloth(
        hanging,
        faces,
        pins=np.flatnonzero(hanging[:, 2] == 0.0),
        density=0.5,
        stretch_compliance=1 / 200.0,
        shear_compliance=1 / 50.0,
        stretch_damping=damping,
        shear_damping=damping,
    )
    simulation = core.Simulation(model, core.XPBD(substeps=20, iterations=10))
    for _ in range(120):
        simulation.advance(1 / 24)
    sunk = -1.0 - simulation.positions[hanging[:, 2] == -1.0, 2].mean()
    # The pinned row can't narrow, which takes 0.9% (the converged solution of this mesh).
    assert sunk == pytest.approx(0.991 * 0.5 * 9.81 / (2 * 200.0), rel=2e-3)
    assert np.abs(simulation.velocities).max() < 1e-3


@pytest.mark.jit_off
def test_quads_touch_along_the_diagonal_that_is_drawn_where_that_is_asked_for() -> None:
    """They bend about the other one all the same, of squares about every second."""
    positions, faces = naive.quad_grid(5, 5, 1.0, 1.0)
    faces = [*faces[:-1], tuple(faces[-1][k] for k in (1, 2, 3, 0))]
    drawn = [(face[0], *face[k : k + 2]) for face in faces for k in (1, 2)]
    models = [cloth((positions, faces), as_drawn=as_drawn) for as_drawn in (True, False)]
    touching, bent = (sorted(model.cloths[0].triangles.tolist()) for model in models)
    assert touching == sorted(map(list, drawn)) != bent
    for one, other in zip(*(model.groups for model in models), strict=True):
        np.testing.assert_array_equal(one.indices, other.indices)
    one_cloth, other_cloth = (model.cloths[0] for model in models)
    np.testing.assert_array_equal(one_cloth.in_air, other_cloth.in_air)
    pieces = models[0].state().contact.surface.shape.faces.corners
    assert {tuple(sorted(each)) for each in pieces.tolist()} >= {tuple(sorted(d)) for d in drawn}


@pytest.mark.jit_off
@pytest.mark.parametrize("first", range(4))
def test_a_quad_with_a_corner_that_points_inwards_touches_where_it_is_drawn(first: int) -> None:
    """As by the other diagonal half of it would lie outside."""
    positions = np.array([[0.0, 0.0, 0.0], [1.0, -1.0, 0.0], [0.0, 2.0, 0.0], [-1.0, -1.0, 0.0]])
    face = tuple((first + k) % 4 for k in range(4))
    touching = cloth((positions, [face]), as_drawn=True).cloths[0].triangles
    assert sorted(map(sorted, touching.tolist())) == [[0, 1, 2], [0, 2, 3]]
