# SPDX-License-Identifier: GPL-3.0-or-later
"""Making and filling the arrays of ``data.Contacts``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .carried import NONE
from .data import AROUND, CANDIDATE, COLLIDER, OPPOSITE, PAIR, WORKER, Contacts, Meshes, Records
from .topology import Adjacency, adjacency, leaf_count

Points = NDArray[np.float64]
Indices = NDArray[np.int64]
Mesh = tuple[Points, Indices]

MARGIN = 0.5
"""How far beyond the closest triangle lists reach, in mean edge lengths."""


def allocate(
    meshes: Sequence[Mesh],
    thickness: NDArray[np.float64],
    friction: NDArray[np.float64],
    restitution: NDArray[np.float64],
    threads: int,
) -> Contacts:
    """Arrays for colliders (vertices (v, 3) [m], triangles (t, 3)) and particles (n,)."""
    colliders = _colliders(meshes)
    boxes = int(2 * colliders["leaves"].sum())
    merged = _merge(meshes, colliders)
    made = _contacts(merged, colliders, boxes, thickness, friction, restitution, threads)
    for index in range(len(meshes)):
        forget(made, index)
    return made


def allocate_for_some(contacts: Contacts, particles: Indices) -> Contacts:
    """Arrays for the same colliders, as they stand, and some of the particles."""
    meshes = contacts.meshes
    moving = {name: getattr(meshes, name).copy() for name in ("first", "last", "before", "now")}
    found = _contacts(
        meshes._replace(**moving),
        contacts.colliders.copy(),
        len(contacts.boxes),
        contacts.thickness[particles],
        contacts.friction[particles],
        contacts.restitution[particles],
        len(contacts.workers),
    )
    found.recovery[:] = contacts.recovery
    found.free[:] = contacts.free[:, particles]
    for index in range(len(found.colliders)):
        forget(found, index)
    return found


def _contacts(
    meshes: Meshes,
    colliders: Records,
    boxes: int,
    thickness: NDArray[np.float64],
    friction: NDArray[np.float64],
    restitution: NDArray[np.float64],
    threads: int,
) -> Contacts:
    """Arrays for colliders and particles."""
    shape = (len(colliders), len(thickness))
    return Contacts(
        meshes=meshes,
        colliders=colliders,
        boxes=np.zeros((boxes, 6)),
        ways=np.zeros((boxes, 6)),
        free=np.zeros((*shape, 4)),
        paces=np.zeros((*shape, 4)),
        pairs=_records(PAIR, shape),
        candidates=_records(CANDIDATE, shape[1:]),
        workers=_records(WORKER, (threads,)),
        thickness=thickness,
        friction=friction,
        restitution=restitution,
        touched=np.zeros(shape[1], np.uint8),
        inside=np.zeros(shape[1], np.uint8),
        opposite=_records(OPPOSITE, shape[1:]),
        engaged=np.ones(shape[1], np.uint8),
        wedged=np.zeros(shape[1], np.uint8),
        sides=np.full((shape[1], 2), NONE, np.int32),
        incoming=np.zeros((len(restitution) if np.any(restitution > 0.0) else 0, 4)),
        recovery=np.zeros(3),
    )


def forget(contacts: Contacts, index: int) -> None:
    """Drop the balls without contact around a collider, but for those that have no end."""
    radii = contacts.free[index, :, 3]
    radii[radii < np.inf] = -1.0


def stand(contacts: Contacts, index: int, vertices: Points) -> None:
    """Put a collider's vertices, shape (v, 3) [m], where they stay for a frame."""
    meshes, collider = contacts.meshes, contacts.colliders[index]
    for points in (meshes.first, meshes.last, meshes.before, meshes.now):
        points[collider.vertex_start : collider.vertex_end] = vertices
    collider.fraction_before = collider.fraction = 0.0
    collider.moving = 0


def set_out(contacts: Contacts, index: int, end: Points) -> None:
    """Let a collider go from where it stands to ``end``, shape (v, 3) [m], within a frame.

    Nobody knows yet how what is near a particle moves: companions go as all of it in the middle.
    """
    collider, pairs = contacts.colliders[index], contacts.pairs[index]
    meshes, own = contacts.meshes, slice(collider.vertex_start, collider.vertex_end)
    meshes.last[own] = end
    ways = end - meshes.first[own]
    low, high = ways.min(axis=0), ways.max(axis=0)
    pairs["companion"], pairs["pace"] = 0.5 * (low + high), 0.5 * np.linalg.norm(high - low)
    contacts.paces[index, :, :3], contacts.paces[index, :, 3] = pairs["companion"], pairs["pace"]
    collider.moving = 1


def arrive(contacts: Contacts, index: int, vertices: Points) -> None:
    """End a collider's motion at ``vertices``, shape (v, 3) [m]; what is known of particles is told
    as it will be when the next frame begins.
    """
    pairs, paces = contacts.pairs[index], contacts.paces[index]
    contacts.free[index, :, :3] += paces[:, :3]
    contacts.free[index, :, 3] -= paces[:, 3]
    pairs["anchor"] += pairs["companion"]
    pairs["gone"] -= pairs["pace"]
    pairs["companion"] = pairs["pace"] = paces[:] = 0.0
    stand(contacts, index, vertices)


def _records(kind: np.dtype[Any], shape: tuple[int, ...]) -> Records:
    return np.zeros(shape, kind).view(np.recarray)


def _colliders(meshes: Sequence[Mesh]) -> Records:
    colliders = _records(COLLIDER, (len(meshes),))
    vertices = _starts(len(points) for points, _ in meshes)
    leaves = [leaf_count(len(triangles)) for _, triangles in meshes]
    colliders["vertex_start"], colliders["vertex_end"] = vertices[:-1], vertices[1:]
    colliders["triangle_start"] = _starts(len(triangles) for _, triangles in meshes)[:-1]
    colliders["triangle_count"] = [len(triangles) for _, triangles in meshes]
    colliders["leaves"], colliders["box_start"] = (
        leaves,
        _starts(2 * count for count in leaves)[:-1],
    )
    colliders["margin"] = [_margin(*mesh) for mesh in meshes]
    return colliders


def _margin(vertices: Points, triangles: Indices) -> float:
    points = vertices[triangles]
    edges = np.linalg.norm(points - np.roll(points, -1, axis=1), axis=2)
    return max(MARGIN * float(edges.mean()), 1e-6)


def _merge(meshes: Sequence[Mesh], colliders: Records) -> Meshes:
    found = [adjacency(vertices, triangles) for vertices, triangles in meshes]
    vertices = _merged([points for points, _ in meshes], (0, 3), np.float64)
    first_vertex, first_triangle = colliders["vertex_start"], colliders["triangle_start"]
    neighbours = [
        np.where(each.neighbours < 0, -1, each.neighbours + start)
        for each, start in zip(found, first_triangle, strict=True)
    ]
    return Meshes(
        first=vertices,
        last=vertices.copy(),
        before=vertices.copy(),
        now=vertices.copy(),
        triangles=_shifted([triangles for _, triangles in meshes], first_vertex, (0, 3)).astype(
            np.int32
        ),
        neighbours=_merged(neighbours, (0, 3), np.int64),
        solid=_merged([each.solid for each in found], (0,), np.uint8),
        around=_around(found, colliders),
        fan=_shifted([each.fan for each in found], 3 * first_triangle, (0,)),
    )


def _around(found: Sequence[Adjacency], colliders: Records) -> Records:
    starts, corners = colliders["vertex_start"], 3 * colliders["triangle_start"]
    welded = _shifted([each.welded for each in found], starts, (0,))
    around = _records(AROUND, welded.shape)
    around["welded"] = welded
    around["fan_start"] = _shifted([each.fan_start[:-1] for each in found], corners, (0,))
    around["fan_end"] = _shifted([each.fan_start[1:] for each in found], corners, (0,))
    around["border"] = _merged([each.border for each in found], (0,), np.int64)
    return around


def _starts(counts: Iterable[int]) -> Indices:
    return np.array([0, *accumulate(counts)], np.int64)


def _merged(
    arrays: Sequence[NDArray[Any]], empty: tuple[int, ...], kind: type[np.generic]
) -> NDArray[Any]:
    return np.concatenate([np.empty(empty, kind), *(array.astype(kind) for array in arrays)])


def _shifted(arrays: Sequence[Indices], starts: Indices, empty: tuple[int, ...]) -> Indices:
    moved = [array + start for array, start in zip(arrays, starts, strict=True)]
    return _merged(moved, empty, np.int64)
