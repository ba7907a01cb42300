# SPDX-License-Identifier: GPL-3.0-or-later
"""Cloth that is caught on something narrow, which more substeps free."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import naive
import numpy as np
from numpy.typing import NDArray

import core
from bench.default_settings import SOLVER
from bench.scenes import sphere
from core.solvers.xpbd.effort import AIM, CAUGHT, CAUGHT_CLIMB, PAUSE, Effort, Plateau, next_effort

WIDE, HIGH = 1.8, 2.0
HEAD = np.array([0.22, 0.154, 0.79])
"""Half the axes of what walks through the curtain [m]."""

ALLOWED, MOST = 0.03, Effort(400, 8)


def walk_through_a_curtain(**options: Any) -> NDArray[np.float64]:
    """The longest link of each frame, as a part of its length."""
    points, faces = naive.quad_grid(60, 50, WIDE, HIGH)
    x, y = points[:, 0] - WIDE / 2, points[:, 1]
    pleats = 0.05 * np.sin(2.0 * math.pi * x / 0.18)
    pins = np.flatnonzero((y > HIGH - 1e-6) & (np.arange(len(x)) % 61 % 3 == 0))
    model = core.Model()
    curtain = model.add_cloth(
        np.stack([x, pleats, y + 0.1], axis=1),
        faces,
        pins=pins,
        friction=0.4,
        density=0.15,
        stretch_compliance=1 / 2000.0,
        shear_compliance=1 / 28.0,
        drag=0.5,
    )
    vertices, triangles = sphere(3)
    body = HEAD * vertices + [0.1, 0.0, 1.0]
    head = model.add_collider(body - [0.0, 1.0, 0.0], triangles, friction=0.4, thickness=0.0)
    simulation = core.Simulation(model, core.XPBD(**SOLVER | options))
    longest = []
    for moment in np.linspace(0.0, 1.0, 37)[1:]:
        way = 3.0 * moment**2 * (3.0 - 2.0 * moment) - 1.0
        head.set_target(body + np.array([0.0, way, 0.0]))
        simulation.advance(1 / 24)
        a, b = simulation.positions[curtain.edges].swapaxes(0, 1).astype(np.float64)
        stretched = np.linalg.norm(a - b, axis=1) / curtain.rest_lengths
        longest.append(float(stretched.max()) - 1.0)
    return np.array(longest)


def test_a_curtain_that_is_dragged_over_a_head_gets_free() -> None:
    longest = walk_through_a_curtain()
    assert np.count_nonzero(longest > 0.4) <= 4
    assert longest[-16:].max() < 0.15


def spent_on(law: Callable[[float], float], steps: int) -> list[float]:
    """The work of steps that leave an overstretch, which depends on it, of what is caught."""
    plateau, work = Plateau(math.inf, CAUGHT_CLIMB), [20.0]
    for _ in range(steps):
        last = Effort(round(work[-1]), 1, AIM * ALLOWED * law(work[-1]) / CAUGHT)
        work.append(next_effort(plateau.heeded(last, ALLOWED), ALLOWED, MOST).work)
    return work


def test_it_is_judged_by_what_twice_the_work_does() -> None:
    """A little more makes it worse, until all of it gets free."""
    found = spent_on(lambda work: 0.5 + 0.01 * work if work < 45.0 else 0.1, 8)
    assert max(found) > 45.0


def test_where_work_does_not_help_it_is_given_back() -> None:
    found = spent_on(lambda _work: 1.0, PAUSE)
    assert max(found) <= 2.0 * CAUGHT_CLIMB * found[0]
    assert np.mean(found) < 1.2 * found[0]
