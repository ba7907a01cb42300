# SPDX-License-Identifier: GPL-3.0-or-later
"""Soft bodies in motion, at the settings that artists get."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import core
from core.mesh.lattice import body_centred_box
from core.solvers.xpbd.waves import substeps_for

pytestmark = pytest.mark.long

YOUNG, DENSITY, GRAVITY = 3e6, 1000.0, 9.81
FRAME = 1 / 24

SAG = {0.0: 38.692, 0.45: 37.66}
"""Of a clamped beam of 1 × 0.2 × 0.2 m, times E / (ρ g): hexahedra of 27 nodes, graded, on three
grids, small strains."""


def automatic(**options: Any) -> core.XPBD:
    return core.XPBD(
        substeps=400, largest_stretch=0.03, near_pins=True, implicit_bending=True,
        second_order=True, **options,
    )  # fmt: skip


def bar(cells: tuple[int, int, int], cell: float, **options: Any) -> tuple[core.Model, np.ndarray]:
    x, tetrahedra = body_centred_box(cells, tuple(cell * count for count in cells))  # type: ignore[arg-type]
    model = core.Model()
    model.add_soft_body(x, tetrahedra=tetrahedra, density=DENSITY, thickness=0.0,
                        self_collision=False, **options)  # fmt: skip
    return model, x


@pytest.mark.parametrize("ratio", SAG)
def test_a_beam_sags_as_solid_finite_elements_do(ratio: float) -> None:
    """Three cells across: plain tetrahedra sag 17% too little."""
    x, _ = body_centred_box((15, 3, 3), (1.0, 0.2, 0.2))
    model, x = bar((15, 3, 3), 0.2 / 3, young_modulus=YOUNG, poisson_ratio=ratio, drag=8.0,
                   pins=np.flatnonzero(x[:, 0] == 0.0))  # fmt: skip
    simulation = core.Simulation(model, automatic(), gravity=(0, 0, -GRAVITY))
    for _ in range(40):
        simulation.advance(FRAME)
    tip = x[:, 0] > 1.0 - 1e-9
    masses = model.masses[tip]
    sag = masses @ (x[tip, 2] - simulation.positions[tip, 2]) / masses.sum()
    assert sag * YOUNG / (DENSITY * GRAVITY) == pytest.approx(SAG[ratio], rel=0.03)


def test_substeps_are_as_many_as_waves_need() -> None:
    """C = √((λ + 2 μ) / ρ) passes 0.75 of a cell of 0.1 m in a substep."""
    model, _ = bar((2, 2, 2), 0.1, young_modulus=YOUNG, poisson_ratio=0.25)
    needed = int(np.ceil(np.sqrt(1.2 * YOUNG / DENSITY) * FRAME / 0.075))
    assert needed > 20
    assert substeps_for(model.soft_bodies, FRAME) == needed
    assert substeps_for([], FRAME) == 0
    simulation = core.Simulation(model, automatic(), gravity=(0, 0, 0))
    for _ in range(6):
        simulation.advance(FRAME)
        assert simulation.report().needed == needed
    assert simulation.report().substeps == needed


def test_limits_bound_the_substeps_and_the_report_says_what_was_needed() -> None:
    model, _ = bar((2, 2, 2), 0.1, young_modulus=1e3 * YOUNG, poisson_ratio=0.25)
    simulation = core.Simulation(model, automatic(), gravity=(0, 0, 0))
    simulation.advance(FRAME)
    assert simulation.report().substeps == 400
    assert simulation.report().needed == int(np.ceil(np.sqrt(1.2e3 * YOUNG / DENSITY) / 24 / 0.075))


def twisted(x: np.ndarray) -> np.ndarray:
    turn, y, z = 2.0 * np.pi * x[:, 0] / 0.4, x[:, 1] - 0.05, x[:, 2] - 0.05
    c, s = np.cos(turn), np.sin(turn)
    return np.stack([x[:, 0], c * y - s * z, s * y + c * z], axis=1)


EXTREMES = {
    "twisted by 360 degrees": twisted,
    "flattened": lambda x: x * (1.0, 1.0, 0.0),
    "three times as long": lambda x: x * (3.0, 1.0, 1.0),
    "half a cell of noise": lambda x: x + np.random.default_rng(1).uniform(-0.025, 0.025, x.shape),
}


@pytest.mark.parametrize("ratio", [0.0, 0.45])
@pytest.mark.parametrize("extreme", EXTREMES)
def test_it_comes_back_from_extremes(extreme: str, ratio: float) -> None:
    model, x = bar((8, 2, 2), 0.05, young_modulus=5e4, poisson_ratio=ratio, drag=2.0)
    simulation = core.Simulation(model, automatic(), gravity=(0, 0, 0))
    simulation.positions[:] = EXTREMES[extreme](x)
    for _ in range(144):
        simulation.advance(FRAME)
    assert farthest_from_rigid(x, simulation.positions.astype(float)) < 0.01 * 0.4


def test_scrambled_it_stays_finite() -> None:
    model, x = bar((8, 2, 2), 0.05, young_modulus=5e4, poisson_ratio=0.45, drag=2.0)
    simulation = core.Simulation(model, automatic(), gravity=(0, 0, 0))
    simulation.positions[:] = np.random.default_rng(0).permutation(x)
    for _ in range(48):
        simulation.advance(FRAME)
    assert np.isfinite(simulation.positions).all()


def farthest_from_rigid(rest: np.ndarray, now: np.ndarray) -> float:
    """The largest distance [m] from the rigid image of the rest shape that fits best."""
    a, b = rest - rest.mean(axis=0), now - now.mean(axis=0)
    U, _, V = np.linalg.svd(b.T @ a)
    R = U @ np.diag([1.0, 1.0, np.linalg.det(U @ V)]) @ V
    return float(np.linalg.norm(b - a @ R.T, axis=1).max())


@pytest.mark.parametrize("ratio", [0.45, 0.49])
def test_squeezed_by_half_it_has_the_volume_of_least_energy(ratio: float) -> None:
    """Between plates on which it slides, as if without friction."""
    wide = least_width(ratio)
    x, _ = body_centred_box((4, 4, 4), (0.2, 0.2, 0.2))
    held = np.flatnonzero((x[:, 2] < 1e-9) | (x[:, 2] > 0.2 - 1e-9))
    model, x = bar((4, 4, 4), 0.05, young_modulus=3e4, poisson_ratio=ratio, drag=8.0, pins=held)
    simulation = core.Simulation(model, automatic(), gravity=(0, 0, 0))
    squeezed = x * (wide, wide, 0.5)
    for frame in range(60):
        part = min(1.0, (frame + 1) / 24)
        simulation.set_targets(held, (x + part * (squeezed - x))[held])
        simulation.advance(FRAME)
    (body,) = model.soft_bodies
    corners = simulation.positions[body.tetrahedra].astype(float)
    volume = np.linalg.det(corners[:, 1:] - corners[:, :1]).sum() / 6.0
    assert volume == pytest.approx(0.5 * wide**2 * 0.2**3, rel=0.01)
    assert abs(simulation.positions - squeezed).max() < 0.002


def least_width(ratio: float) -> float:
    """The stretch a to the sides at which diag(a, a, ½) costs least energy."""
    lame = 2.0 * ratio / (1.0 - 2.0 * ratio)  # for μ = 1
    a = np.linspace(1.0, 1.5, 50_001)
    squares, J = 2.0 * a**2 + 0.25, 0.5 * a**2
    with_shape = min(lame, 1.5) + 14 / 15
    energy = 0.5 * 16 / 15 * squares**2 / (squares + 1.0)
    energy += 0.5 * with_shape * (J - 1.0 - 1.0 / with_shape) ** 2
    energy += 0.5 * max(lame - 1.5, 0.0) * (J - 1.0) ** 2
    return float(a[np.argmin(energy)])
