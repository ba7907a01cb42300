# SPDX-License-Identifier: GPL-3.0-or-later
"""Making and filling the arrays of ``data.Contacts``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .data import AROUND, BODY, PAIR, ROW, WORKER, Contacts, Records, Surface
from .motion import spin_of
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
    shape = (len(meshes), len(thickness))
    bodies = _bodies(meshes)
    contacts = Contacts(
        surface=_surface(meshes, bodies),
        bodies=bodies,
        boxes=np.zeros((int(2 * bodies["leaves"].sum()), 6)),
        free=np.zeros((*shape, 4)),
        pairs=_records(PAIR, shape),
        rows=_records(ROW, shape[1:]),
        workers=_records(WORKER, (threads,)),
        thickness=thickness,
        friction=friction,
        restitution=restitution,
        incoming=np.zeros((len(restitution) if np.any(restitution > 0.0) else 0, 4)),
        recovery=np.zeros(3),
    )
    for index in range(len(meshes)):
        forget(contacts, index)
    return contacts


def forget(contacts: Contacts, index: int) -> None:
    """Drop the balls without contact around a collider."""
    contacts.free[index, :, 3] = -1.0


def stand(contacts: Contacts, index: int, vertices: Points) -> None:
    """Put a collider's vertices, shape (v, 3) [m], where they stay for a frame."""
    surface, body = contacts.surface, contacts.bodies[index]
    for points in (surface.first, surface.last, surface.before, surface.now):
        points[body.vertex_start : body.vertex_end] = vertices
    for centre in (body.centre_first, body.centre_last, body.centre_before, body.centre):
        centre[:] = vertices.mean(axis=0)
    for axes in (body.axes_first, body.axes_before):
        axes[:] = body.axes
    for spin in (body.frame_spin, body.spin):
        spin[:] = 0.0
    body.speed = body.drift_before = body.drift = 0.0
    body.moving = 0


def set_out(contacts: Contacts, index: int, start: Points, end: Points) -> None:
    """Let a collider that stands at ``start`` go to ``end``, shape (v, 3) [m], within a frame."""
    body = contacts.bodies[index]
    contacts.surface.last[body.vertex_start : body.vertex_end] = end
    body.centre_last[:] = end.mean(axis=0)
    body.frame_spin[:], body.speed = spin_of(start - body.centre_first, end - body.centre_last)
    body.moving = 1


def arrive(contacts: Contacts, index: int, vertices: Points) -> None:
    """End a collider's motion at ``vertices``, shape (v, 3) [m], and count its drift from zero."""
    body = contacts.bodies[index]
    contacts.free[index, :, 3] -= body.speed
    contacts.pairs["drift"][index] -= body.speed
    body.drift_fitted -= body.speed
    stand(contacts, index, vertices)


def _records(kind: np.dtype[Any], shape: tuple[int, ...]) -> Records:
    return np.zeros(shape, kind).view(np.recarray)


def _bodies(meshes: Sequence[Mesh]) -> Records:
    bodies = _records(BODY, (len(meshes),))
    vertices = _starts(len(points) for points, _ in meshes)
    leaves = [leaf_count(len(triangles)) for _, triangles in meshes]
    bodies["vertex_start"], bodies["vertex_end"] = vertices[:-1], vertices[1:]
    bodies["triangle_start"] = _starts(len(triangles) for _, triangles in meshes)[:-1]
    bodies["triangle_count"] = [len(triangles) for _, triangles in meshes]
    bodies["leaves"], bodies["box_start"] = leaves, _starts(2 * count for count in leaves)[:-1]
    bodies["margin"] = [_margin(*mesh) for mesh in meshes]
    bodies["axes"] = np.eye(3)
    return bodies


def _margin(vertices: Points, triangles: Indices) -> float:
    points = vertices[triangles]
    edges = np.linalg.norm(points - np.roll(points, -1, axis=1), axis=2)
    return max(MARGIN * float(edges.mean()), 1e-6)


def _surface(meshes: Sequence[Mesh], bodies: Records) -> Surface:
    parts = [adjacency(vertices, triangles) for vertices, triangles in meshes]
    vertices = _merged([part for part, _ in meshes], (0, 3), np.float64)
    first_vertex, first_triangle = bodies["vertex_start"], bodies["triangle_start"]
    neighbours = [
        np.where(part.neighbours < 0, -1, part.neighbours + start)
        for part, start in zip(parts, first_triangle, strict=True)
    ]
    return Surface(
        first=vertices,
        last=vertices.copy(),
        before=vertices.copy(),
        now=vertices.copy(),
        triangles=_shifted([triangles for _, triangles in meshes], first_vertex, (0, 3)).astype(
            np.int32
        ),
        neighbours=_merged(neighbours, (0, 3), np.int64),
        solid=_merged([part.solid for part in parts], (0,), np.uint8),
        around=_around(parts, bodies),
        fan=_shifted([part.fan for part in parts], 3 * first_triangle, (0,)),
    )


def _around(parts: Sequence[Adjacency], bodies: Records) -> Records:
    starts, corners = bodies["vertex_start"], 3 * bodies["triangle_start"]
    welded = _shifted([part.welded for part in parts], starts, (0,))
    around = _records(AROUND, welded.shape)
    around["welded"] = welded
    around["fan_start"] = _shifted([part.fan_start[:-1] for part in parts], corners, (0,))
    around["fan_end"] = _shifted([part.fan_start[1:] for part in parts], corners, (0,))
    around["border"] = _merged([part.border for part in parts], (0,), np.int64)
    return around


def _starts(counts: Iterable[int]) -> Indices:
    return np.array([0, *accumulate(counts)], np.int64)


def _merged(
    parts: Sequence[NDArray[Any]], empty: tuple[int, ...], kind: type[np.generic]
) -> NDArray[Any]:
    return np.concatenate([np.empty(empty, kind), *(part.astype(kind) for part in parts)])


def _shifted(parts: Sequence[Indices], starts: Indices, empty: tuple[int, ...]) -> Indices:
    moved = [part + start for part, start in zip(parts, starts, strict=True)]
    return _merged(moved, empty, np.int64)
