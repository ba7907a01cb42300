# SPDX-License-Identifier: GPL-3.0-or-later
"""One pass along a rod and one back solve what a dense matrix of differences does."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from core.solvers.xpbd.bending import kirchhoff
from core.vector.interpreter import interpret_recurrence

COUNT, EDGE = 7, 0.01
MASSES = np.array([np.inf, np.inf, 2.0, 1.0, 3.0, 2.0, 1.0])
SPIN, BEND, TWIST, STRETCH = 1e-5, 4e-4, 3e-4, 50.0


def rotation_vector(matrix: np.ndarray) -> np.ndarray:
    """The logarithm of a rotation by less than half a turn."""
    axis = np.array(
        [matrix[2, 1] - matrix[1, 2], matrix[0, 2] - matrix[2, 0], matrix[1, 0] - matrix[0, 1]]
    )
    sine, cosine = 0.5 * np.linalg.norm(axis), 0.5 * (np.trace(matrix) - 1.0)
    return np.arctan2(sine, cosine) * axis / (2.0 * sine) if sine > 0.0 else axis


def turned(a: np.ndarray, rotation: np.ndarray) -> np.ndarray:
    angle = np.linalg.norm(rotation)
    if angle == 0.0:
        return a
    axis = rotation / angle
    across = np.cross(axis, a)
    return np.cos(angle) * a + np.sin(angle) * across + (1.0 - np.cos(angle)) * (axis @ a) * axis


def frame_of(u: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Its columns are u, t × u and t."""
    return np.stack([u, np.cross(t, u), t], axis=1)


def moved_frames(x: np.ndarray, spins: np.ndarray, frames: np.ndarray) -> list[np.ndarray]:
    """Frames, (u, t) each, carried to where particles are, and spun."""
    found = []
    for edge, spin, (u, before) in zip(np.diff(x, axis=0), spins, frames):
        t = edge / np.linalg.norm(edge)
        axis = np.cross(before, t)
        sine = np.linalg.norm(axis)
        if sine > 0.0:
            u = turned(u, np.arctan2(sine, before @ t) / sine * axis)
        found.append(frame_of(turned(u, spin * t), t))
    return found


def strains(unknowns: np.ndarray, x: np.ndarray, frames: np.ndarray) -> np.ndarray:
    """Rotation vectors from frame to frame, as the frames see them, and lengths."""
    points = x + unknowns[: x.size].reshape(x.shape)
    found = moved_frames(points, unknowns[x.size :], frames)
    turns = [a.T @ rotation_vector(b @ a.T) for a, b in pairwise(found)]
    lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
    return np.concatenate([*turns, lengths])


def derivatives(x: np.ndarray, frames: np.ndarray) -> np.ndarray:
    size, small = x.size + len(frames), 1e-7
    columns = [
        strains(small * one, x, frames) - strains(-small * one, x, frames) for one in np.eye(size)
    ]
    return np.stack(columns, axis=1) / (2.0 * small)


def rod(bent: float) -> tuple[np.ndarray, np.ndarray]:
    """Points in a row, and a director and tangent of each edge."""
    random = np.random.default_rng(3)
    x = EDGE * np.cumsum(
        np.concatenate([[[0, 0, 0]], [1, 0, 0] + bent * random.normal(size=(COUNT - 1, 3))]), axis=0
    )
    t = np.diff(x, axis=0)
    t /= np.linalg.norm(t, axis=1)[:, None]
    u = np.array([0.0, 1.0, 0.0]) + bent * random.normal(size=t.shape)
    u -= np.einsum("ij,ij->i", u, t)[:, None] * t
    return x, np.stack([u / np.linalg.norm(u, axis=1)[:, None], t], axis=1)


def solved(
    x: np.ndarray, ways: np.ndarray, frames: np.ndarray, rest: np.ndarray, lengths: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Steps of particles, and λ of edges."""
    rows = COUNT + 2
    given = np.zeros((rows, kirchhoff.GIVEN, 1))
    points = np.zeros((rows, kirchhoff.POINTS, 1))
    frame = np.tile([0.0, 1.0, 0.0, 1.0, 0.0, 0.0], (rows, 1))[..., None]
    kept = np.zeros((rows, kirchhoff.KEPT, 1))
    given[:, : kirchhoff.SPIN + 1] = kirchhoff.HELD
    given[2:COUNT, kirchhoff.MASS, 0] = MASSES[2:]
    given[2:COUNT, kirchhoff.SPIN] = SPIN
    given[1:COUNT, kirchhoff.LENGTH, 0] = lengths
    given[1:COUNT, kirchhoff.STRETCH : kirchhoff.STRETCH_HELD + 1] = STRETCH
    given[2:COUNT, kirchhoff.BEND : kirchhoff.BEND_HELD + 1] = BEND
    given[2:COUNT, kirchhoff.TWIST : kirchhoff.TWIST_HELD + 1] = TWIST
    given[2:COUNT, kirchhoff.REST :, 0] = rest
    places = np.minimum(np.arange(rows), COUNT - 1)
    points[:, :3, 0], points[:, 3:6, 0] = x[places], ways[places]
    frame[1:COUNT, :, 0] = frames.reshape(-1, 6)
    arrays = [each.ravel() for each in (given, points, frame, kept)]
    for specification in (kirchhoff.ALONG, kirchhoff.BACK):
        interpret_recurrence(specification, 1)(None, None, *arrays, 1.0, rows)
    return kept[:COUNT, :3, 0], kept[1:COUNT, 3, 0]


def expected(
    x: np.ndarray, ways: np.ndarray, frames: np.ndarray, rest: np.ndarray, lengths: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The same from (M + Jᵀ W J) d = -Jᵀ W (C + J way)."""
    J = derivatives(x, frames)
    C = strains(np.zeros(J.shape[1]), x, frames) - np.concatenate([rest.ravel(), lengths])
    W = np.diag([*[BEND, BEND, TWIST] * (COUNT - 2), *[STRETCH] * (COUNT - 1)])
    M = np.diag([*np.repeat(MASSES, 3), np.inf, *[SPIN] * (COUNT - 2)])
    free = np.flatnonzero(np.isfinite(np.diag(M)))
    far = np.concatenate([ways.ravel(), np.zeros(COUNT - 1)])
    A, y = J.T @ W @ J, -J.T @ W @ (C + J @ far)
    d = np.zeros(len(y))
    d[free] = np.linalg.solve((A + np.where(np.isfinite(M), M, 0.0))[np.ix_(free, free)], y[free])
    multipliers = -W @ (C + J @ (far + d))
    return d[: x.size].reshape(x.shape), multipliers[-(COUNT - 1) :]


@pytest.mark.jit_off
@pytest.mark.parametrize("bent", [0.0, 0.05])
def test_a_rod_moves_as_a_dense_matrix_says(bent: float) -> None:
    x, frames = rod(bent)
    random = np.random.default_rng(5)
    ways = 1e-3 * EDGE * random.normal(size=x.shape)
    rest = strains(np.zeros(x.size + COUNT - 1), x, frames)[: 3 * (COUNT - 2)].reshape(-1, 3)
    rest += 0.02 * random.normal(size=rest.shape)
    lengths = np.linalg.norm(np.diff(x, axis=0), axis=1) * (1.0 + 1e-3 * random.normal(size=6))
    steps, multipliers = solved(x, ways, frames, rest, lengths)
    wanted, forces = expected(x, ways, frames, rest, lengths)
    assert np.abs(wanted).max() > 1e-6
    np.testing.assert_allclose(steps, wanted, atol=0.02 * np.abs(wanted).max())
    np.testing.assert_allclose(multipliers, forces, atol=0.02 * np.abs(forces).max())


@pytest.mark.jit_off
def test_what_is_as_at_rest_stays() -> None:
    x, frames = rod(0.4)
    rest = strains(np.zeros(x.size + COUNT - 1), x, frames)[: 3 * (COUNT - 2)].reshape(-1, 3)
    lengths = np.linalg.norm(np.diff(x, axis=0), axis=1)
    steps, multipliers = solved(x, np.zeros_like(x), frames, rest, lengths)
    # Sines in the place of angles: to 0.1 %.
    assert np.abs(steps).max() < 1e-3 * EDGE
    assert np.abs(multipliers).max() < 1e-3 * STRETCH * EDGE


@pytest.mark.jit_off
@pytest.mark.parametrize("off", [0.0, 1e-5, 1e-3])
def test_edges_that_fold_over_each_other_hold_what_they_can(
    off: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It twists more easily than it bends. Nothing is flung about by next to no way, whatever T."""
    monkeypatch.setitem(globals(), "TWIST", 0.2 * BEND)
    random = np.random.default_rng(1)
    x = EDGE * (np.arange(COUNT) % 2)[:, None] * [1.0, 0.0, 0.0]
    x += off * EDGE * random.normal(size=x.shape)
    t = np.diff(x, axis=0) / np.linalg.norm(np.diff(x, axis=0), axis=1)[:, None]
    across = np.cross(t, random.normal(size=t.shape))
    u = across / np.linalg.norm(across, axis=1)[:, None]
    ways = 1e-6 * EDGE * random.normal(size=x.shape)
    rest = np.zeros((COUNT - 2, 3))
    lengths = np.linalg.norm(np.diff(x, axis=0), axis=1)
    steps, multipliers = solved(x, ways, np.stack([u, t], axis=1), rest, lengths)
    assert np.isfinite(multipliers).all()
    assert np.abs(steps).max() < 3.0 * EDGE
