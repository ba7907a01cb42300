# SPDX-License-Identifier: GPL-3.0-or-later
"""Soft bodies with fine skins: they may be crushed, and still do not go through themselves."""

from __future__ import annotations

import contact_scenes as scenes
import numpy as np
import pytest
from naive.crossings import crossing_pairs
from numpy.typing import NDArray

import core
from core.contact.surface.candidates import LISTED

pytestmark = pytest.mark.long

FRAME = 1 / 24
RADIUS, TUBE = 0.2, 0.07  # m
THICKNESS = 0.004

Points = NDArray[np.float64]


def ring(around: int = 60, across: int = 28) -> tuple[Points, NDArray[np.int64]]:
    """A torus whose faces are smaller than the thickness of both sides."""
    i, j = np.meshgrid(np.arange(around), np.arange(across), indexing="ij")
    u, v = 2 * np.pi * i / around, 2 * np.pi * j / across
    far = RADIUS + TUBE * np.cos(v)
    points = np.stack([far * np.cos(u), far * np.sin(u), TUBE * np.sin(v)], axis=-1)
    corners = [(0, 0), (1, 0), (1, 1), (0, 1)]
    faces = [((i + a) % around) * across + (j + b) % across for a, b in corners]
    return points.reshape(-1, 3), np.stack(faces, axis=-1).reshape(-1, 4)


def squeezed(frames: int, threads: int = 1) -> tuple[core.Simulation, list[int]]:
    """A ring between two plates that close on it; and its crossings on some frames."""
    model = core.Model()
    points, faces = ring()
    body = model.add_soft_body(points, faces, cell_size=0.035, thickness=THICKNESS, damping=0.004)
    far = RADIUS + TUBE + 0.01
    plates = []
    for side in (-1.0, 1.0):
        low, high = sorted([side * far, side * (far + 0.3)])
        vertices, triangles = scenes.box((low, -0.5, -0.5), (high, 0.5, 0.5))
        plates.append((model.add_collider(vertices, triangles, thickness=0.002), vertices, side))
    solver = core.XPBD(substeps=20, second_order=True, threads=threads)
    simulation = core.Simulation(model, solver, gravity=(0.0, 0.0, 0.0))
    found = []
    for frame in range(frames):
        for plate, vertices, side in plates:
            plate.set_target(vertices - (side * 0.2 * min(1.0, (frame + 1) / 16), 0.0, 0.0))
        simulation.advance(FRAME)
        if frame % 4 == 3:
            triangles = model.touching(body).triangles
            found.append(len(crossing_pairs(simulation.positions.astype(float), triangles)))
    return simulation, found


def test_a_ring_that_is_squeezed_touches_itself_and_is_not_crossed() -> None:
    simulation, crossings = squeezed(20)
    assert crossings == [0] * 5
    (skin,) = simulation.model.skins
    inner = skin.particles.reshape(-1, 28)[:, 14]
    x = simulation.positions[inner].astype(float)
    right, left = x[[0, 1, 59]], x[[29, 30, 31]]
    gap = np.linalg.norm(right[:, None] - left, axis=2).min()
    assert THICKNESS < gap < 3.0 * THICKNESS
    # Hardly any of those that are next to each other are listed.
    arrays = next(iter(simulation.islands)).state.contact.surface.arrays
    assert arrays.candidates.listed[0, :, LISTED].sum() < 20 * len(skin.triangles)


@pytest.mark.parametrize("threads", [2, 3])
def test_the_same_for_any_number_of_threads(threads: int) -> None:
    one, other = squeezed(6)[0], squeezed(6, threads)[0]
    np.testing.assert_array_equal(one.positions, other.positions)
