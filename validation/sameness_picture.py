# SPDX-License-Identifier: GPL-3.0-or-later
"""Sheets drawn as lit surfaces, by a depth buffer: folds show which matplotlib's 3D axes lose."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

VIEW = (0.35, 1.0, -0.22)
"""The direction in which one looks."""

LIGHT = (0.75, -0.55, 0.6)
"""The direction to the light."""

CLOTH, INSIDE = (0.36, 0.55, 0.80), (0.80, 0.55, 0.36)
LINES, LINE = 8, 0.035
"""Squares drawn on the material, and the part of one that its outline takes."""

FINER = 3
"""Samples a pixel along each axis."""


def shaded(points: Array, pixels: float, window: Array) -> Array:
    """Draw a grid of points as a smooth surface, seen from afar.

    Args:
        points: [m], shape (rows, columns, 3).
        pixels: a metre.
        window: of the picture, (left, right, low, high) [m]; see :func:`window_of`.

    Returns:
        Red, green, blue and opacity, shape (height, width, 4).
    """
    right, up, ahead = axes_of(VIEW)
    samples = _samples(points, 1.5 * FINER * pixels)
    place, normal, material = samples[..., :3], samples[..., 3:6], samples[..., 6:]
    color = _colors(normal, material, ahead)
    left, high = window[0], window[3]
    size = np.ceil(FINER * pixels * np.array([window[3] - window[2], window[1] - left])).astype(int)
    column = (FINER * pixels * (place @ right - left)).astype(int)
    row = (FINER * pixels * (high - place @ up)).astype(int)
    inside = (0 <= row) & (row < size[0]) & (0 <= column) & (column < size[1])
    far_first = np.argsort(-(place @ ahead)[inside], kind="stable")
    picture = np.zeros((*(-(-size // FINER) * FINER), 4))
    picture[row[inside][far_first], column[inside][far_first]] = color[inside][far_first]
    blocks = picture.reshape(len(picture) // FINER, FINER, -1, FINER, 4).mean(axis=(1, 3))
    blocks[..., :3] /= np.maximum(blocks[..., 3:], 1e-9)
    return np.asarray(blocks)


def window_of(shapes: list[Array], margin: float = 0.04) -> Array:
    """What a picture must show so that all these points are in it [m]."""
    right, up, _ = axes_of(VIEW)
    places = np.concatenate([points.reshape(-1, 3) for points in shapes])
    across, along = places @ right, places @ up
    return np.array(
        [across.min() - margin, across.max() + margin, along.min() - margin, along.max() + margin]
    )


def axes_of(view: ArrayLike) -> tuple[Array, Array, Array]:
    """Unit vectors to the right, up and ahead for somebody who looks in a direction."""
    ahead = np.asarray(view, np.float64) / np.linalg.norm(view)
    right = np.cross(ahead, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    return right, np.cross(right, ahead), ahead


def _samples(points: Array, density: float) -> Array:
    """Points, normals and places on the material between the vertices, shape (k, 8)."""
    rows, columns = points.shape[:2]
    down, along = np.gradient(points, axis=0), np.gradient(points, axis=1)
    normals = np.cross(along, down)
    normals /= np.maximum(np.linalg.norm(normals, axis=2, keepdims=True), 1e-12)
    place = np.stack(
        np.meshgrid(*(np.linspace(0, 1, k) for k in (rows, columns)), indexing="ij"), -1
    )
    values = np.concatenate([points, normals, place], axis=2)
    for axis in (0, 1):
        steps = np.linalg.norm(np.diff(points, axis=axis), axis=2)
        count = int(density * steps.sum(axis=axis).max()) + 2
        values = _between(values, count, axis)
    return values.reshape(-1, 8)


def _between(values: Array, count: int, axis: int) -> Array:
    """Linear interpolation at so many even places along an axis."""
    place = np.linspace(0.0, values.shape[axis] - 1.0, count)
    first = np.minimum(place.astype(int), values.shape[axis] - 2)
    shape = [1, 1, 1]
    shape[axis] = count
    share = (place - first).reshape(shape)
    return (1.0 - share) * values.take(first, axis) + share * values.take(first + 1, axis)


def _colors(normals: Array, material: Array, ahead: Array) -> Array:
    """Lambert's law from one light and a weak one from the eye; the back in another colour."""
    normals = normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    facing = normals @ ahead
    front = facing < 0.0
    normals = np.where(front[:, None], normals, -normals)
    light = np.asarray(LIGHT) / np.linalg.norm(LIGHT)
    brightness = 0.16 + 0.72 * np.maximum(normals @ light, 0.0) + 0.22 * np.abs(facing)
    cell = (material * LINES) % 1.0
    lined = (np.minimum(cell, 1.0 - cell) < 0.5 * LINE).any(axis=1)
    brightness = np.where(lined, 0.72, 1.0) * brightness
    base = np.where(front[:, None], INSIDE, CLOTH)
    color = np.clip(base * brightness[:, None] * 1.25, 0.0, 1.0)
    return np.concatenate([color, np.ones((len(color), 1))], axis=1)
