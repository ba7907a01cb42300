# SPDX-License-Identifier: GPL-3.0-or-later
"""Threads wait for each other where some have more contacts to see to than others."""

from __future__ import annotations

import contact_scenes as scenes
import naive
import numpy as np

import core


def bytes_after(threads: int) -> bytes:
    """A net of which one thread's particles all lie on a ball, and another's none.

    Its springs come in any order, so that each thread moves particles of all.
    """
    positions, faces = naive.quad_grid(64, 64, 2.0, 2.0)
    by_x = np.argsort(positions[:, 0], kind="stable")
    place = np.empty_like(by_x)
    place[by_x] = np.arange(len(by_x))
    corners = place[np.asarray(faces)]
    sides = np.stack([corners, np.roll(corners, -1, axis=1)], axis=2).reshape(-1, 2)
    edges = np.unique(np.sort(sides, axis=1), axis=0)
    model = core.Model(np.float32)
    middle = positions.mean(axis=0)
    model.add_particles(positions[by_x] - middle + (0.0, 0.0, 1.0), 0.001, thickness=0.01)
    model.add_constraints("distance", np.random.default_rng(0).permutation(edges), compliance=1e-4)
    vertices, triangles = scenes.ball(48)
    model.add_collider(vertices + np.array([1.0, 0.0, 0.0]), triangles, thickness=0.01)
    simulation = core.Simulation(model, core.XPBD(substeps=10, iterations=10, threads=threads))
    for _ in range(4):
        simulation.advance(1 / 24)
    return simulation.positions.tobytes()


def test_contacts_of_some_threads_give_the_same_bytes() -> None:
    alone = bytes_after(1)
    for threads in (2, 3, 2, 3):
        assert bytes_after(threads) == alone
