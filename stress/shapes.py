# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes in Blender of random shape, with what is wrong with those that users have."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import bmesh
import bpy
import numpy as np
from mathutils import Vector

Mesh = bmesh.types.BMesh


def made(draw: random.Random, name: str) -> bpy.types.Object:
    """An active object with an uneven mesh, and two groups of random weights."""
    draw.choice(PRIMITIVES)(draw)
    obj = bpy.context.object
    obj.name = name
    data: Any = obj.data
    mesh = bmesh.new()
    mesh.from_mesh(data)
    for damage in draw.sample(DAMAGES, draw.choice([0, 0, 1, 1, 2])):
        damage(draw, mesh)
    _shake(draw, mesh)
    mesh.to_mesh(data)
    mesh.free()
    data.update()
    obj.scale = draw.choice([(1, 1, 1), (1, 1, 1), (0.01,) * 3, (30,) * 3, (1, -1, 1), (2, 1, 0.1)])
    obj.location = draw.choice([(0, 0, 0), (0, 0, 0), (0, 0, 1), (5000, -300, 20)])
    for group in ("Pins", "Painted"):
        _paint(draw, obj, group)
    return obj


def _paint(draw: random.Random, obj: bpy.types.Object, name: str) -> None:
    """A group with one, some or all vertices, wholly or partly."""
    group, part = obj.vertex_groups.new(name=name), draw.choice([0.1, 0.5, 1.0])
    group.add([0], 1.0, "ADD")
    for vertex in range(1, len(obj.data.vertices)):
        if draw.random() < part:
            group.add([vertex], draw.choice([1.0, draw.random(), 0.0]), "ADD")


def _shake(draw: random.Random, mesh: Mesh) -> None:
    """Move vertices about: not at all, a little, or so that faces go through each other."""
    spread = draw.choice([0.0, 0.0, 0.01, 0.2])
    for vertex in mesh.verts:
        vertex.co += Vector([draw.gauss(0.0, spread) for _ in range(3)])


def _grid(draw: random.Random) -> None:
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=draw.randint(1, 14), y_subdivisions=8)


def _edges(draw: random.Random) -> None:
    """Several curves of edges without faces."""
    mesh = bpy.data.meshes.new("Edges")
    points: list[tuple[float, float, float]] = []
    edges: list[tuple[int, int]] = []
    for number in range(draw.randint(1, 6)):
        count, turn = draw.randint(2, 25), draw.uniform(0.0, 1.0)
        start = len(points)
        ways = turn * np.arange(count)
        points += [(0.3 * number + 0.1 * np.cos(a), 0.1 * np.sin(a), 0.3 * a) for a in ways]
        edges += [(each, each + 1) for each in range(start, len(points) - 1)]
    mesh.from_pydata(points, edges, [])
    obj = bpy.data.objects.new("Edges", mesh)
    bpy.context.collection.objects.link(obj)
    bpy.context.view_layer.objects.active = obj


PRIMITIVES: list[Callable[[random.Random], Any]] = [
    _grid,
    _grid,
    _edges,
    lambda draw: bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=draw.randint(1, 3)),
    lambda draw: bpy.ops.mesh.primitive_cube_add(),
    lambda draw: bpy.ops.mesh.primitive_cylinder_add(
        vertices=draw.randint(3, 12), end_fill_type=draw.choice(["NGON", "TRIFAN", "NOTHING"])
    ),
    lambda draw: bpy.ops.mesh.primitive_torus_add(major_segments=8, minor_segments=5),
    lambda draw: bpy.ops.mesh.primitive_circle_add(
        vertices=draw.randint(3, 20), fill_type=draw.choice(["NOTHING", "NGON"])
    ),
    lambda draw: bpy.ops.mesh.primitive_monkey_add(),
]


def _turn_inside_out(draw: random.Random, mesh: Mesh) -> None:
    part = draw.choice([1.0, 0.5])
    bmesh.ops.reverse_faces(mesh, faces=[each for each in mesh.faces if draw.random() < part])


def _double(draw: random.Random, mesh: Mesh) -> None:
    """All of it twice, in one place or nearly so: two shells that overlap."""
    before = list(mesh.verts)
    bmesh.ops.duplicate(mesh, geom=[*mesh.verts, *mesh.edges, *mesh.faces])
    way = draw.choice([0.0, 0.001, 0.7]), 0.0, 0.0
    bmesh.ops.translate(mesh, verts=[each for each in mesh.verts if each not in before], vec=way)


def _make_holes(draw: random.Random, mesh: Mesh) -> None:
    gone: list[Any] = [each for each in mesh.faces if draw.random() < 0.2]
    bmesh.ops.delete(mesh, geom=gone, context=draw.choice(["FACES_ONLY", "FACES"]))


def _flatten(draw: random.Random, mesh: Mesh) -> None:
    axis = draw.randrange(3)
    for vertex in mesh.verts:
        vertex.co[axis] = 0.0


def _add_fins(draw: random.Random, mesh: Mesh) -> None:
    """Further faces at some edges, which then have three."""
    for edge in draw.sample(list(mesh.edges), min(3, len(mesh.edges))):
        tip = mesh.verts.new(edge.verts[0].co + Vector((0.1, 0.2, 0.5)))
        mesh.faces.new((*edge.verts, tip))


def _leave_loose(_draw: random.Random, mesh: Mesh) -> None:
    """A vertex and an edge by themselves, and an edge from one place to another, as a seam."""
    mesh.verts.new((0.0, 0.0, 2.0))
    mesh.edges.new([mesh.verts.new((0.1 * each, 0.0, 2.0)) for each in (1, 2)])
    mesh.verts.ensure_lookup_table()
    ends = mesh.verts[0], mesh.verts[len(mesh.verts) // 2]
    if mesh.edges.get(ends) is None:
        mesh.edges.new(ends)


def _collapse(draw: random.Random, mesh: Mesh) -> None:
    """Some or all vertices on each other."""
    part, place = draw.choice([0.1, 1.0]), draw.choice(list(mesh.verts)).co.copy()
    for vertex in mesh.verts:
        if draw.random() < part:
            vertex.co = place


def _stretch_out(draw: random.Random, mesh: Mesh) -> None:
    """One vertex is far away."""
    draw.choice(list(mesh.verts)).co *= draw.choice([10.0, 1e4])


def _dissolve(draw: random.Random, mesh: Mesh) -> None:
    """Faces of many corners."""
    inner = [each for each in mesh.edges if len(each.link_faces) == 2 and draw.random() < 0.3]
    bmesh.ops.dissolve_edges(mesh, edges=inner)


def _fill_twice(draw: random.Random, mesh: Mesh) -> None:
    """Faces with the very corners of others, the other way round."""
    for face in draw.sample(list(mesh.faces), min(3, len(mesh.faces))):
        corners = [each.co for each in reversed(face.verts)]
        mesh.faces.new([mesh.verts.new(each) for each in corners])


DAMAGES: list[Callable[[random.Random, Mesh], None]] = [
    _turn_inside_out,
    _double,
    _make_holes,
    _flatten,
    _add_fins,
    _leave_loose,
    _collapse,
    _stretch_out,
    _dissolve,
    _fill_twice,
]
