# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes of contact in which pins or colliders force the cloth; see ``contact_scenes``."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from .contact_meshes import (
    bent,
    box,
    closed_tube,
    cone,
    folds,
    moved,
    rectangle,
    ring,
    rotation,
    tube,
)
from .contact_objects import Cloth, Collider, Scene
from .scenes import Positions, sphere


def crumpled_ball(n: int = 57, irregular: bool = False) -> Scene:
    """A sheet of 1 m is crumpled by a hollow sphere that shrinks from 0.75 to 0.25 m, and rests."""
    sheet = rectangle(n, n, 1.0, 1.0, irregular)
    x, y, _ = sheet.positions.T
    positions = np.stack([x, y, 0.01 * np.sin(9.0 * x + 2.0) + 0.01 * np.sin(7.0 * y)], axis=1)
    vertices, triangles = sphere(4)

    def shrunk(time: float) -> Positions:
        return vertices * (0.75 - 0.5 * progress(time, 0.0, 1.0))

    hollow = Collider("hollow sphere", shrunk(0.0), triangles[:, ::-1], shrunk)
    cloth = Cloth("sheet", positions, sheet.triangles, sheet.edges)
    return Scene("crumpled_ball", (cloth,), (hollow,), frames=48)


def pull_through_ring(n: int = 64) -> Scene:
    """A sheet of 1 m is pulled by its middle at 0.5 m/s through a ring of radius 0.12 m inside."""
    sheet = rectangle(n, n, 1.0, 1.0)
    positions = moved(sheet.positions, z=0.03)
    pins = np.flatnonzero(np.hypot(positions[:, 0], positions[:, 1]) < 0.05)

    def pulled(time: float) -> Positions:
        return moved(positions[pins], z=-progress(time, 0.0, 2.0))

    cloth = Cloth("sheet", positions, sheet.triangles, sheet.edges, pins, pulled, friction=0.2)
    torus = Collider("ring", *ring(48, 16, 0.14, 0.02), friction=0.2)
    return Scene("pull_through_ring", (cloth,), (torus,), frames=60)


def trouser_leg(n: int = 48, degrees: float = 80.0) -> Scene:
    """A wide tube of cloth, held at its top, over a leg whose knee bends, and straightens again.

    Args:
        n: vertices around the cloth.
        degrees: by how much the knee bends; beyond a right angle the leg goes through itself.
    """
    sheet = tube(n, round(n * 76 / 48), 0.095, 0.93)
    top = np.arange(len(sheet.positions) - n, len(sheet.positions))
    leg, triangles = closed_tube(32, 61, 0.08, 1.2)
    knee = np.array([0.0, 0.0, 0.6])
    bend_share = smooth((knee[2] + 0.1 - leg[:, 2]) / 0.2)

    def posed(time: float) -> Positions:
        phase = smooth(progress(time, 0.25, 1.25)) - smooth(progress(time, 1.5, 2.5))
        angle = np.radians(degrees * phase * bend_share)
        x, y, z = (leg - knee).T
        turned_x = np.cos(angle) * x + np.sin(angle) * z
        turned_z = np.cos(angle) * z - np.sin(angle) * x
        return knee + np.stack([turned_x, y, turned_z], axis=1)

    cloth = Cloth("trouser leg", moved(sheet.positions, z=0.2), sheet.triangles, sheet.edges, top)
    return Scene("trouser_leg", (cloth,), (Collider("leg", leg, triangles, posed),), frames=64)


def twisted_towel(n: int = 64, turns: float = 4.0) -> Scene:
    """A towel of 1.6 x 1 m is wound by its ends, which come 0.5 m closer meanwhile.

    Args:
        n: vertices across.
        turns: of one end against the other, in 3.75 s.
    """
    columns = round(1.6 * n)
    sheet = rectangle(columns, n, 1.6, 1.0)
    ends = np.array([0, columns - 1])
    pins = (np.arange(n)[:, None] * columns + ends).ravel()

    def wound(time: float) -> Positions:
        phase = progress(time, 0.0, 3.75)
        x, y, _ = sheet.positions[pins].T
        angle = np.sign(x) * math.pi * turns * phase
        closer = x - 0.25 * phase * np.sign(x)
        return np.stack([closer, y * np.cos(angle), y * np.sin(angle)], axis=1)

    cloth = Cloth("towel", sheet.positions, sheet.triangles, sheet.edges, pins, wound)
    return Scene("twisted_towel", (cloth,), frames=96)


def spike(n: int = 20) -> Scene:
    """A cone comes up 0.25 m beneath the middle of a coarse sheet of 1 m, held by its corners."""
    sheet = rectangle(n, n, 1.0, 1.0)
    vertices, triangles = cone(24, 0.12, 0.35)

    def raised(time: float) -> Positions:
        return moved(vertices, 0.01, 0.007, -0.03 + 0.28 * progress(time, 0.0, 0.5))

    pins = np.array([0, n - 1, n * n - n, n * n - 1])
    cloth = Cloth("sheet", sheet.positions, sheet.triangles, sheet.edges, pins)
    return Scene("spike", (cloth,), (Collider("cone", raised(0.0), triangles, raised),), frames=36)


def crossing_fast(n: int = 48) -> Scene:
    """Two sheets hang by their upper edges, which change sides at 25 m/s, wait, and change back.

    The one of n x n vertices ends up hanging over the edge of the smaller one, and slides off.
    """
    travel = 25.0 / 24.0

    def hung(name: str, vertices: int, size: float, top: float, side: float) -> Cloth:
        sheet = rectangle(vertices, vertices, size, size)
        upright = sheet.positions @ (rotation("z", 90.0) @ rotation("x", 90.0)).T
        positions = moved(upright, x=0.7 * side, z=top - 0.5 * size)
        pins = np.arange(vertices * (vertices - 1), vertices * vertices)

        def changed(time: float) -> Positions:
            phase = progress(time, 4 / 24, 5 / 24) - progress(time, 17 / 24, 18 / 24)
            return moved(positions[pins], x=-side * travel * phase)

        return Cloth(name, positions, sheet.triangles, sheet.edges, pins, changed)

    small = round(n * 28 / 48)
    cloths = (hung("large", n, 1.0, 1.0, -1.0), hung("small", small, 0.58, 0.6, 1.0))
    return Scene("crossing_fast", cloths, frames=40)


def pinch(n: int = 48) -> Scene:
    """A sheet of 1 m, folded in four, lies on a box; a second one presses down on it, closes
    completely for a quarter of a second, and rises again.
    """
    sheet = rectangle(n, n, 1.0, 1.0)
    start = moved(bent(sheet, folds(4, 0.2, 0.04)), x=0.5, z=0.006)
    lower = box((0.0, -0.3, -0.2), (0.2, 0.3, 0.0))
    upper = box((0.0, -0.3, 0.0), (0.2, 0.3, 0.2))

    def pressed(time: float) -> Positions:
        phase = progress(time, 0.5, 1.0) - progress(time, 1.25, 1.75)
        return moved(upper[0], z=0.3 * (1.0 - phase))

    cloth = Cloth("sheet", sheet.positions, sheet.triangles, sheet.edges, start=start)
    colliders = (
        Collider("lower box", *lower),
        Collider("upper box", pressed(0.0), upper[1], pressed),
    )
    return Scene("pinch", (cloth,), colliders, frames=60)


def progress(time: float, begin: float, end: float) -> float:
    """How much of the time between two moments [s] has passed: 0 before, 1 after."""
    return min(max((time - begin) / (end - begin), 0.0), 1.0)


def smooth(phase: NDArray[np.float64] | float) -> NDArray[np.float64]:
    """From 0 to 1 with no jolt at either end."""
    t = np.clip(phase, 0.0, 1.0)
    return np.asarray(t * t * (3.0 - 2.0 * t))
