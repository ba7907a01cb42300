# SPDX-License-Identifier: GPL-3.0-or-later
"""Interpolation on surfaces, and the multigrid cycle made of it."""

from __future__ import annotations

from typing import Any

import naive
import numpy as np
import pytest
from bent_sheets import KINDS, Kind, held, strip
from written_out import dense

import core
from core.linear.compressed import from_entries
from core.linear.cycle import cycle
from core.linear.errors import NotPositiveDefinite
from core.linear.interpolation import interpolation, spread_points
from core.linear.levels import levels_of
from core.linear.multigrid import SOFT, SOFTEST, Multigrid
from core.native.compiled import native
from core.native.threads import run_on_threads
from core.solvers.xpbd.bending.plates import plates_of


@native
def solve(grids, team):  # type: ignore[no-untyped-def]
    cycle(grids, team)


def stiffness_of(kind: Kind, cells: int, length: float) -> tuple[Any, Any, Any]:
    """K, masses and positions of a clamped strip."""
    points, faces = strip(kind, cells, length, 8)
    model = core.Model()
    model.add_cloth(points, faces, pins=held(points), bend_compliance=1e4, thickness=1e-5)
    hinges = [group for group in model.groups if group.constraint.kind == "bending"]
    return plates_of(hinges, points, model.masses).stiffness, model.masses, points


@pytest.mark.jit_off
def test_interpolation_is_exact_for_affine_functions_and_keeps_layers_apart() -> None:
    """Two sheets on each other, neither of which sees the other."""
    points, _ = naive.quad_grid(8, 8, 0.1, 0.1)
    both = np.concatenate([points, points + np.array([0.0, 0.0, 1e-4])])
    near = np.linalg.norm(points[:, None] - points, axis=2) < 0.03
    rows, columns = np.nonzero(np.kron(np.eye(2), near))
    graph = from_entries(rows, columns, np.ones(len(rows)), (len(both), len(both)))
    free = np.ones(len(both), bool)
    chosen = spread_points(graph, both, free)
    assert 0.1 * len(both) < len(chosen) < 0.4 * len(both)
    weights = interpolation(graph, both, free, chosen)
    for field in (np.ones(len(both)), both[:, 0], both[:, 1] - 2.0 * both[:, 0]):
        np.testing.assert_allclose(weights @ field[chosen], field, atol=1e-6)
    layer = np.arange(len(both)) >= len(points)
    assert (layer[weights.rows] == layer[chosen[weights.columns]]).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("cell", [0.02, 0.005, 0.001])
def test_a_cycle_is_symmetric_and_takes_over_a_fourth_of_each_mode_and_never_more_than_all(
    kind: Kind, cell: float
) -> None:
    """Eigenvalues of P A lie between a fourth and 1: what the stability of bending rests on."""
    stiffness, masses, points = stiffness_of(kind, 30, 30 * cell)
    free = np.isfinite(masses)
    multigrid = Multigrid(levels_of(stiffness, masses, points, free), np.float64)
    tau = 1.0 / 240.0**2
    multigrid.assemble(np.full(len(points), tau))
    matrix = np.diag(np.where(free, masses, 0.0)) + tau * dense(stiffness)
    matrix = matrix[np.ix_(free, free)]
    grids, numbers = multigrid.grids, np.flatnonzero(free)
    inverse = np.zeros_like(matrix)
    for column, particle in enumerate(numbers):
        grids.right[:], grids.solution[:] = 0.0, 0.0
        grids.right[particle, 0] = 1.0
        run_on_threads(1, solve, grids)
        inverse[:, column] = grids.solution[numbers, 0]
    assert np.abs(inverse - inverse.T).max() < 1e-9 * np.abs(inverse).max()
    values = np.sort(np.linalg.eigvals(inverse @ matrix).real)
    assert values[0] > 0.25
    assert values[-1] < 1.02


@pytest.mark.parametrize("kind", KINDS)
def test_where_bending_is_soft_one_step_takes_over_each_mode(kind: Kind) -> None:
    """Smooth ones as they are, the shortest waves by a tenth too much at most, and hardly less."""
    stiffness, masses, points = stiffness_of(kind, 30, 0.6)
    free = np.isfinite(masses)
    levels = levels_of(stiffness, masses, points, free)
    multigrid = Multigrid(levels, np.float64)
    ratio = multigrid.assemble(np.ones(len(points)))
    tau = 0.99 * SOFTEST / (ratio * levels[0].largest_beside)
    multigrid.assemble(np.full(len(points), tau))
    grids, numbers = multigrid.grids, np.flatnonzero(free)
    assert grids.steps[0, 2] == 0.0
    matrix = np.diag(np.where(free, masses, 0.0)) + tau * dense(stiffness)
    inverse = np.zeros_like(matrix)
    for column in numbers:
        grids.right[:], grids.solution[:] = 0.0, 0.0
        grids.right[column, 0] = 1.0
        run_on_threads(1, solve, grids)
        inverse[:, column] = grids.solution[: len(points), 0]
    values = np.linalg.eigvals((inverse @ matrix)[np.ix_(free, free)]).real
    assert values.min() > 1.0 - 1e-9
    assert 1.08 < values.max() < 1.1


@pytest.mark.parametrize("kind", KINDS)
def test_smooth_waves_are_solved_without_coarser_levels_though_a_sliver_is_stiff(
    kind: Kind,
) -> None:
    """As long as what is around each point is soft, on average."""
    stiffness, masses, points = stiffness_of(kind, 30, 0.6)
    free = np.isfinite(masses)
    inner = dense(stiffness)[np.ix_(free, free)]
    joined, own = inner != 0.0, inner.diagonal()
    around = (joined @ own) / (joined @ masses[free])
    tau = 0.99 * SOFT / around.max()
    multigrid = Multigrid(levels_of(stiffness, masses, points, free), np.float64)
    largest = multigrid.assemble(np.full(len(points), tau))
    assert multigrid.grids.depth[0] == 1
    if kind == "irregular":
        assert largest > 2.0
    matrix = np.diag(masses[free]) + tau * inner
    _values, waves = np.linalg.eigh(inner)
    grids, numbers = multigrid.grids, np.flatnonzero(free)
    for wave in waves[:, [0, 3, 10, 30]].T:
        force = matrix @ wave
        grids.right[:], grids.solution[:] = 0.0, 0.0
        grids.right[numbers, 0] = force
        run_on_threads(1, solve, grids)
        found = grids.solution[numbers, 0]
        assert found @ force / (wave @ force) == pytest.approx(1.0, abs=0.16)


@pytest.mark.jit_off
@pytest.mark.parametrize("tau", [1e-5, 1e-13])
def test_the_last_level_alone_is_solved_exactly(tau: float) -> None:
    """Stiff or so soft that it would need no coarser level, and whatever was solved before."""
    stiffness, masses, points = stiffness_of("quads", 6, 0.006)
    free = np.isfinite(masses)
    multigrid = Multigrid(levels_of(stiffness, masses, points, free), np.float64)
    for each in (1e-4, tau):
        multigrid.assemble(np.full(len(points), each))
    right = np.random.default_rng(0).standard_normal((len(points), 4)) * free[:, None]
    grids = multigrid.grids
    grids.right[:] = right
    run_on_threads(1, solve, grids)
    matrix = np.diag(np.where(free, masses, 0.0)) + tau * dense(stiffness)
    expected = np.linalg.solve(matrix[np.ix_(free, free)], right[free])
    np.testing.assert_allclose(grids.solution[free], expected, rtol=1e-9)


@pytest.mark.jit_off
def test_masses_that_are_lost_in_rounding_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where numpy finds the matrix singular, which rounding decides."""

    def singular(_matrix: np.ndarray) -> None:
        raise np.linalg.LinAlgError("Singular matrix")

    stiffness, masses, points = stiffness_of("quads", 6, 0.006)
    multigrid = Multigrid(levels_of(stiffness, masses, points, np.isfinite(masses)), np.float64)
    monkeypatch.setattr(np.linalg, "inv", singular)
    with pytest.raises(NotPositiveDefinite, match="nothing of masses"):
        multigrid.assemble(np.full(len(points), 1e-5))


def test_levels_of_multiples_are_multiples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without working out again where points of coarser levels are, and how these interpolate;
    of two parts each by another factor.
    """
    own, masses, points = stiffness_of("irregular", 20, 0.4)
    count = len(masses)
    rows = np.concatenate([own.rows, count + own.rows])
    columns = np.concatenate([own.columns, count + own.columns])
    entries = rows, columns, np.tile(own.values, 2)
    both = from_entries(*entries, (2 * count, 2 * count))
    masses, points = np.tile(masses, 2), np.concatenate([points, points + 1.0])
    free, part = np.isfinite(masses), np.repeat([0, count], count)
    known = levels_of(both, masses, points, free, part)
    monkeypatch.setattr("core.linear.levels.spread_points", None)
    heavy, rigid = np.repeat([0.3, 2.0], count), np.repeat([7.0, 1e-3], count)
    found = levels_of(both, heavy * masses, points, free, part, rigid)
    assert len(found) == len(known) > 1
    for level, other in zip(found, known, strict=True):
        mass, stiffness = (dense(each) for each in (other.mass, other.stiffness))
        mass, stiffness = heavy[level.origin] * mass.T, rigid[level.origin] * stiffness.T
        np.testing.assert_allclose(dense(level.mass), mass.T, rtol=1e-14)
        np.testing.assert_allclose(dense(level.stiffness), stiffness.T, rtol=1e-14)
    whole = (rigid * dense(both).T).T[free]
    np.testing.assert_allclose(dense(found[0].stiffness)[free], whole, rtol=1e-12, atol=1e-9)
    np.testing.assert_allclose(np.diag(dense(found[0].mass))[free], (heavy * masses)[free])
