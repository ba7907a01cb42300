# SPDX-License-Identifier: GPL-3.0-or-later
"""Threads wait for each other where some have more contacts to see to than others."""

from __future__ import annotations

import contact_scenes as scenes
import naive
import numpy as np

import core


def bytes_after(threads: int) -> bytes:
    """A cloth of which one half, thus the particles of one thread, lies on a ball."""
    positions, faces = naive.quad_grid(64, 64, 2.0, 2.0)
    order = np.argsort(positions[:, 0], kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    model = core.Model(np.float32)
    sheet = positions[order] - positions.mean(axis=0) + (0.0, 0.0, 1.01)
    model.add_cloth(sheet, place[np.asarray(faces)], thickness=0.005)
    vertices, triangles = scenes.ball(48)
    model.add_collider(vertices + (1.2, 0.0, 0.0), triangles, thickness=0.01)
    solver = core.XPBD(substeps=10, iterations=6, threads=threads)
    simulation = core.Simulation(model, solver)
    for _ in range(4):
        simulation.advance(1 / 24)
    return simulation.positions.tobytes()


def test_contacts_of_some_threads_give_the_same_bytes() -> None:
    alone = bytes_after(1)
    for threads in (2, 3, 2, 3):
        assert bytes_after(threads) == alone
