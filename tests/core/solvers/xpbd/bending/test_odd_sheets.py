# SPDX-License-Identifier: GPL-3.0-or-later
"""Sheets that are curved at rest, broken, or many; and what a solve must keep."""

from __future__ import annotations

from typing import Any

import naive
import numpy as np
import pytest
from bent_sheets import fabric, held, strip

import core
from bench.default_settings import SOLVER

DENIM = fabric("denim")


def advanced(model: core.Model, frames: int, gravity: float = 0.0) -> core.Simulation:
    simulation = core.Simulation(model, core.XPBD(**SOLVER), gravity=(0.0, 0.0, -gravity))
    for _ in range(frames):
        simulation.advance(1 / 24)
    assert np.isfinite(np.asarray(simulation.positions)).all()
    return simulation


def tube(turn: float) -> tuple[np.ndarray, np.ndarray]:
    """A part of a tube of 50 mm."""
    points, quads = naive.quad_grid(24, 6, 1.0, 0.03)
    angle = turn * points[:, 0]
    x, z = 0.05 * np.sin(angle), 0.05 * np.cos(angle)
    return np.stack([x, points[:, 1], z], axis=1), np.asarray(quads)


@pytest.mark.parametrize("turn", [0.5 * np.pi, np.pi])
def test_what_is_curved_at_rest_stays_so_and_comes_back(turn: float) -> None:
    points, quads = tube(turn)
    for kick in (0.0, 0.5):
        model = core.Model()
        speed = kick * np.sin(40.0 * points[:, :1]) * np.array([[0.0, 0.0, 1.0]])
        model.add_cloth(points, quads, velocities=speed, drag=2.0, thickness=1e-4, **DENIM)
        simulation = advanced(model, 48 if kick else 6)
        found = np.asarray(simulation.positions, np.float64)
        ends = np.linalg.norm(found[0] - found[24])
        assert ends == pytest.approx(np.linalg.norm(points[0] - points[24]), rel=0.01)


def test_momentum_is_kept() -> None:
    points, faces = strip("irregular", 20, 0.1, 10)
    model = core.Model(np.float64)
    noise = np.random.default_rng(0).standard_normal(points.shape)
    model.add_cloth(points, faces, velocities=0.1 * noise, thickness=1e-5, **DENIM)
    before = model.masses @ (0.1 * noise)
    after = model.masses @ np.asarray(advanced(model, 12).velocities)
    np.testing.assert_allclose(after, before, atol=0.003 * 0.1 * model.masses.sum())


@pytest.mark.parametrize("kind", ["quads", "irregular"])
@pytest.mark.parametrize("size", [0.024, 0.4])
def test_noise_dies_out(kind: Any, size: float) -> None:
    """Without drag and damping of any kind energy never grows."""
    points, faces = strip(kind, 24, size, 24)
    model = core.Model()
    noise = 0.1 * np.random.default_rng(0).standard_normal(points.shape)
    material = DENIM | {"bend_damping": 0.0, "stretch_damping": 0.0, "shear_damping": 0.0}
    model.add_cloth(points, faces, velocities=noise, thickness=1e-5, **material)
    energies = []
    simulation = advanced(model, 0)
    for _ in range(30):
        simulation.advance(1 / 24)
        energies.append(model.masses @ np.sum(np.asarray(simulation.velocities) ** 2, axis=1))
    assert max(energies) < model.masses @ np.sum(noise**2, axis=1)


def test_broken_meshes_stay_calm() -> None:
    """Faces given twice, three at an edge, without area, loose vertices, in parts."""
    points, faces = strip("irregular", 8, 0.1)
    fin = np.array([[0.05, 0.02, 0.03], [0.5, 0.5, 0.5]])
    start, end = faces[len(faces) // 2, :2]
    flat = [start, end, start]
    broken = np.concatenate([faces, faces[:3], [[start, end, len(points)], flat]])
    model = core.Model()
    pins = held(points)
    model.add_cloth(np.concatenate([points, fin]), broken, pins=pins, thickness=1e-4, **DENIM)
    model.add_cloth(points + np.array([0.0, 1.0, 0.0]), faces, pins=pins, thickness=1e-4, **DENIM)
    simulation = advanced(model, 24, 9.81)
    assert np.abs(np.asarray(simulation.velocities)[: len(points)]).max() < 3.0


def test_many_pins_leave_what_is_between_them_free() -> None:
    """Single vertices among pins, pairs, and a free part."""
    points, faces = strip("quads", 40, 0.2, 12)
    column, row = np.rint(points[:, :2] / 0.005).astype(int).T
    pins = np.flatnonzero(((column % 3 != 0) | (row % 2 != 0)) & (column < 20))
    model = core.Model()
    model.add_cloth(points, faces, pins=pins, thickness=1e-4, **DENIM)
    found = np.asarray(advanced(model, 12, 9.81).positions)
    np.testing.assert_array_equal(found[pins], points[pins].astype(np.float32))
    between = np.setdiff1d(np.flatnonzero(column < 18), pins)
    assert np.abs(found[between] - points[between]).max() < 1e-3


def test_a_sheet_hangs_the_same_beside_another_one() -> None:
    """Of another material, in the same island or not."""
    points, faces = strip("quads", 20, 0.08)
    drops = []
    for apart in (None, 0.02, 5.0):
        model = core.Model()
        model.add_cloth(points, faces, pins=held(points), drag=6.0, thickness=1e-4, **DENIM)
        if apart is not None:
            beside = points + np.array([0.0, apart + np.ptp(points[:, 1]), 0.0])
            other = fabric("leather", drag=6.0, thickness=1e-4)
            model.add_cloth(beside, faces, pins=held(points), **other)
        found = np.asarray(advanced(model, 60, 9.81).positions)[: len(points)]
        drops.append(-found[:, 2].min())
    assert drops[1] == pytest.approx(drops[0], rel=0.005)
    assert drops[2] == drops[0]


def test_a_sheet_hangs_beside_what_carries_a_skin() -> None:
    """Carried particles have no mass, and bend nothing."""
    points, faces = strip("quads", 8, 0.08)
    corners = np.stack(np.meshgrid(*[[0.0, 0.1]] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    cube = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    model = core.Model()
    model.add_cloth(points, faces, pins=held(points), thickness=1e-4, **DENIM)
    model.add_soft_body(corners - 0.05, cube, cell_size=0.05, young_modulus=2e4, thickness=1e-4)
    advanced(model, 3, 9.81)


def test_a_clamp_carries_its_sheet_along() -> None:
    """Moved and turned by 90° it looks as before, seen from the clamp."""
    points, faces = strip("quads", 12, 0.1)
    pins = held(points)
    model = core.Model()
    cloth = model.add_cloth(
        points, faces, pins=pins, drag=4.0, thickness=1e-4, **(DENIM | {"bend_compliance": 1.0})
    )
    simulation = core.Simulation(model, core.XPBD(**SOLVER), gravity=(0.0, 0.0, 0.0))
    for frame in range(1, 73):
        angle = min(frame / 24.0, 1.0) * 0.5 * np.pi
        turn = np.array(
            [[np.cos(angle), -np.sin(angle), 0.0], [np.sin(angle), np.cos(angle), 0.0], [0, 0, 1]]
        )
        simulation.set_targets(cloth.pins, points[pins] @ turn.T + np.array([0.0, 0.0, angle]))
        simulation.advance(1 / 24)
    expected = points @ turn.T + np.array([0.0, 0.0, angle])
    assert np.abs(np.asarray(simulation.positions) - expected).max() < 0.002


def test_a_tiny_card_may_be_damped_for_long() -> None:
    """It hangs on one side, and swings. What h (h + β) K is beside M, single precision can't solve
    with, and a card is as flat with less damping.
    """
    points, quads = naive.quad_grid(6, 6, 0.01, 0.01)
    pins, model = held(np.asarray(points)), core.Model()
    options: dict[str, Any] = {"thickness": 1e-5, "density": 0.05, "bend_compliance": 0.0}
    model.add_cloth(points, quads, pins=pins, bend_damping=1000.0, **options)
    found = np.asarray(advanced(model, 12, 9.81).positions, np.float64)
    off_plane = np.linalg.svd(found - found.mean(axis=0), compute_uv=False)[2]
    assert off_plane < 1e-3 * 0.01


@pytest.mark.jit_off
def test_a_sheet_bends_in_python_too() -> None:
    points, faces = tube(1.0)
    chosen = np.asarray(faces)[:8]
    model = core.Model()
    model.add_cloth(points, chosen, pins=[0, 25], thickness=1e-4, **DENIM)
    solver = core.XPBD(substeps=2, implicit_bending=True)
    simulation = core.Simulation(model, solver, gravity=(0.0, 0.0, -9.81))
    simulation.advance(1 / 24)
    assert np.isfinite(np.asarray(simulation.positions)).all()
    assert np.asarray(simulation.positions)[8, 2] < points[8, 2]


def test_a_swinging_board_of_infinite_stiffness_is_not_drawn_in_its_plane() -> None:
    """It hangs on the hinges of one side, so that it swings as a whole."""
    points, quads = naive.quad_grid(20, 20, 2.0, 2.0)
    points = np.asarray(points)
    model = core.Model()
    pins = np.flatnonzero(points[:, 1] == points[:, 1].min())
    model.add_cloth(points, quads, pins=pins, thickness=1e-3, density=0.3, bend_compliance=0.0)
    simulation = core.Simulation(model, core.XPBD(**SOLVER | {"substeps": 40}))
    strains = []
    for _ in range(12):
        simulation.advance(1 / 24)
        (body,) = model.bodies
        lengths = simulation.rest_lengths(body)
        positions = np.asarray(simulation.positions)
        strains.append(core.edge_strain(positions, body.edges, lengths).max())
        across = positions[:, 0] - points[:, 0]
        assert np.abs(across).max() < 0.01
    assert max(strains) < 0.02
