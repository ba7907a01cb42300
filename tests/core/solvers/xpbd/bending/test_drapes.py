# SPDX-License-Identifier: GPL-3.0-or-later
"""Sheets that bend in two directions at once, on meshes with slivers."""

from __future__ import annotations

import numpy as np
import pytest
from bent_sheets import KINDS, Kind, disc, fabric, strip
from round_drapes import drape

import core
from bench.default_settings import SOLVER
from core.solvers.xpbd.bending.plates import SLIVER, plates_of

pytestmark = pytest.mark.long


@pytest.mark.parametrize("kind", KINDS)
def test_a_disc_hangs_in_folds_and_at_rest(kind: Kind) -> None:
    """Not crumpled from cell to cell; the converged run has 80%."""
    found = drape("denim", kind, 32, core.XPBD(**SOLVER))
    assert 72.0 < found.coefficient < 82.0
    assert 4 <= found.folds <= 8
    assert found.speed < 2e-3


@pytest.mark.parametrize("substeps", [20, 80])
def test_slivers_of_stiff_cloth_are_calm(substeps: int) -> None:
    settings = SOLVER | {"substeps": substeps, "iterations": 1, "largest_stretch": 0.0}
    found = drape("leather", "cut", 48, core.XPBD(**settings))
    assert np.isfinite(found.points).all()
    assert found.coefficient > 85.0
    assert found.speed < 0.01


def largest(points: np.ndarray, faces: np.ndarray) -> float:
    """The largest entry of M⁻¹ K beside the median of them."""
    model = core.Model()
    model.add_cloth(points, faces, **fabric("denim"))
    hinges = [group for group in model.groups if group.constraint.kind == "bending"]
    stiffness = plates_of(hinges, np.asarray(points, float), model.masses).stiffness
    own = stiffness.rows == stiffness.columns
    each = stiffness.values[own] / model.masses[stiffness.rows[own]]
    return float(each.max() / np.median(each))


@pytest.mark.jit_off
def test_slivers_are_hardly_stiffer_than_what_is_around() -> None:
    assert largest(*disc("cut", 32, 0.15)) < 4.0 * SLIVER


@pytest.mark.jit_off
def test_cells_that_get_smaller_little_by_little_are_as_they_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By a fifth from one to the next, from 20 mm to 1 mm."""
    points, faces = strip("quads", 16, 0.3)
    points[:, 0] = np.interp(
        points[:, 0], np.unique(points[:, 0]), np.cumsum(0.02 * 0.82 ** np.arange(18))
    )
    found = largest(points, np.asarray(faces))
    monkeypatch.setattr("core.solvers.xpbd.bending.plates.SLIVER", np.inf)
    assert found == pytest.approx(largest(points, np.asarray(faces)), rel=1e-6)
