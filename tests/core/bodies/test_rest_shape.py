# SPDX-License-Identifier: GPL-3.0-or-later
"""Rest shapes that are not what a cloth starts as: given, shrunk, flattened."""

from __future__ import annotations

from typing import Any

import bent_sheets
import naive
import numpy as np
import pytest

import core
from core.constraints import REGISTRY

FRAME = 1.0 / 24.0

DEFAULTS: dict[str, Any] = {
    "substeps": 400, "iterations": 8, "largest_stretch": 0.03, "near_pins": True,
    "implicit_bending": True, "second_order": True,
}  # fmt: skip
"""The solver as the add-on has it."""


def rested(model: core.Model, seconds: float) -> core.Simulation:
    simulation = core.Simulation(model, core.XPBD(**DEFAULTS), gravity=(0.0, 0.0, 0.0))
    for _ in range(round(24 * seconds)):
        simulation.advance(FRAME)
    return simulation


def lengths_of(points: np.ndarray, edges: np.ndarray) -> np.ndarray:
    return np.linalg.norm(points[edges[:, 1]] - points[edges[:, 0]], axis=1)


@pytest.mark.parametrize("kind", ["quads", "irregular"])
def test_a_free_sheet_becomes_its_rest_shape(kind: Any) -> None:
    """It starts folded along a line and 20% too long; without any force it gets flat and short."""
    points, faces = bent_sheets.strip(kind, 12, 0.6)
    bent = 1.2 * points
    far = bent[:, 0] > 0.3
    bent[far, 2] = 0.5 * (bent[far, 0] - 0.3)
    model = core.Model()
    cloth = model.add_cloth(
        bent, faces, rest_positions=points, density=0.2, bend_compliance=10.0, drag=4.0
    )
    np.testing.assert_allclose(cloth.rest_lengths, lengths_of(points, cloth.edges))
    simulation = rested(model, 3.0)
    found = lengths_of(simulation.positions, cloth.edges)
    np.testing.assert_allclose(found, cloth.rest_lengths, rtol=0.01)
    flat = simulation.positions - simulation.positions.mean(axis=0)
    assert np.linalg.svd(flat)[1][2] < 0.01 * np.linalg.svd(flat)[1][1]


@pytest.mark.parametrize("kind", ["quads", "irregular"])
@pytest.mark.parametrize("shrinkage", [0.1, -0.3])
def test_a_free_sheet_shrinks_by_what_is_asked(kind: Any, shrinkage: float) -> None:
    points, faces = bent_sheets.strip(kind, 12, 0.3)
    model = core.Model()
    cloth = model.add_cloth(points, faces, shrinkage=shrinkage, drag=4.0, thickness=0.01)
    before = lengths_of(points, cloth.edges)
    found = lengths_of(rested(model, 2.0).positions, cloth.edges)
    np.testing.assert_allclose(found, (1.0 - shrinkage) * before, rtol=0.01)
    assert model.masses.sum() == pytest.approx(0.2 * 0.325 * 0.1)


def test_painted_shrinkage_is_that_of_each_place() -> None:
    """A strip that shrinks more and more along it: each edge by the mean of its ends.

    It crumples at first, and has to get out of its own way.
    """
    points, quads = naive.quad_grid(20, 1, 1.0, 0.05)
    painted = 0.4 * points[:, 0]
    model = core.Model()
    cloth = model.add_cloth(
        points, quads, shrinkage=painted, shear_compliance=1.0, poisson_ratio=0.0, drag=4.0
    )
    simulation = rested(model, 4.0)
    along = np.ptp(points[cloth.edges, 0], axis=1) > 0.01
    expected = (1.0 - painted[cloth.edges].mean(axis=1)) * lengths_of(points, cloth.edges)
    np.testing.assert_allclose(cloth.rest_lengths, expected)
    found = lengths_of(simulation.positions, cloth.edges)
    np.testing.assert_allclose(found[along], expected[along], rtol=0.01)


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_the_rest_angle_flattens_what_was_modelled(share: float) -> None:
    """An arc of 90°: at rest it turns by a share of that."""
    cells, angle = 12, 0.5 * np.pi
    points, quads = naive.quad_grid(cells, 2, 1.0, 0.15)
    arc = angle * points[:, 0]
    bent = np.stack([np.sin(arc), points[:, 1], 1.0 - np.cos(arc)], axis=1) / angle
    model = core.Model()
    model.add_cloth(bent, quads, rest_angle=share, bend_compliance=1.0, drag=5.0)
    found = rested(model, 4.0).positions[points[:, 1] == 0.0]
    first, last = found[1] - found[0], found[-1] - found[-2]
    turned = np.arctan2(np.linalg.norm(np.cross(first, last)), first @ last)
    between = angle * (cells - 1) / cells
    assert turned == pytest.approx(share * between, abs=0.02 * between)


@pytest.mark.jit_off
@pytest.mark.parametrize("kind", ["distance", "stretch_limit", "strain", "strain_limit", "bending"])
def test_a_rest_state_follows_its_shape(kind: str) -> None:
    """What is measured on one shape and reshaped to another has no strain there."""
    constraint = REGISTRY[kind]
    assert constraint.reshape is not None
    random = np.random.default_rng(0)
    before, now = random.normal(size=(2, 5, constraint.vertices, 3))
    rest = constraint.reshape(constraint.measure_rest(before), before, now)
    for points, own in zip(now, rest, strict=True):
        values, _ = naive.evaluate_body(constraint, points, own)
        np.testing.assert_allclose(values, 0.0, atol=1e-9)


@pytest.mark.jit_off
def test_what_is_no_rest_shape_is_refused() -> None:
    points, quads = naive.quad_grid(2, 2, 1.0, 1.0)
    model = core.Model()
    with pytest.raises(core.ModelError, match="rest shape of 'flag' has 4 vertices instead of 9"):
        model.add_cloth(points, quads, rest_positions=points[:4], name="flag")
    broken = np.where(np.arange(9)[:, None] == 2, np.nan, points)
    with pytest.raises(core.ModelError, match="rest shape of 'flag': vertex 2 is not a finite"):
        model.add_cloth(points, quads, rest_positions=broken, name="flag")
    with pytest.raises(core.ModelError, match="shrinkage must be less than 1"):
        model.add_cloth(points, quads, shrinkage=1.0)
    with pytest.raises(core.ModelError, match="rest angle must lie"):
        model.add_cloth(points, quads, rest_angle=np.nan)
