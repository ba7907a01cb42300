# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that is near is listed: against all vertices and faces, and all edges."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import naive
import numpy as np
import pytest
from naive.boxes import Boxes, overlapping_boxes
from naive.near import edges_to_edges, vertices_to_faces
from numpy.typing import NDArray
from sheets import Mesh, rotated, sheet, together, with_a_slit

import core
from bench import contact_run, contact_scenes
from core.contact.surface.candidates import LISTED, REST_PART
from core.contact.surface.data import EDGE_EDGE, LANES, NEAR, ROW_SHIFT, VERTEX_FACE
from core.contact.surface.lists import list_anew
from core.contact.surface.tree import EDGE_PART
from core.native.threads import run_on_threads

Fours = set[tuple[int, ...]]


def listed(simulation: core.Simulation, seems: NDArray[Any] | None = None) -> tuple[Fours, Fours]:
    """Vertices and corners of the face, and both edges, that are listed where all stands now.

    Args:
        seems: where it seems to go; by default it stays.
    """
    state, surface = simulation.state, simulation.state.contact.surface
    surface.begin_frame()
    stands = state.rows.copy()
    if seems is not None:
        state.rows[: len(seems), :3] = seems
    while True:
        arrays = surface.arrays
        shape, candidates = arrays.shape, arrays.candidates
        arrays.motion.start[:] = stands[: len(arrays.motion.start)]
        run_on_threads(1, list_anew, surface.arrays, state.rows, state.count)
        if candidates.listed[:, :, LISTED].max() <= surface.listed:
            break
        surface.grow()
    lanes, shift = (int(shape.numbers[k]) for k in (LANES, ROW_SHIFT))
    found: tuple[Fours, Fours] = (set(), set())
    once = 0
    for kind in (VERTEX_FACE, EDGE_EDGE):
        for stream in (kind, kind + NEAR):
            count = int(candidates.listed[0, stream, LISTED])
            blocks = candidates.offsets[0, stream, : 4 * lanes * -(-count // lanes)]
            fours = (blocks.reshape(-1, 4, lanes).transpose(0, 2, 1).reshape(-1, 4) >> shift)[
                :count
            ]
            keys = [_key(kind, four) for four in fours.tolist()]
            assert found[kind].isdisjoint(keys)
            found[kind].update(keys)
            once += len(keys)
            assert all(len(set(four)) == 4 for four in keys)
    assert once == len(found[0]) + len(found[1])
    return found


def _key(kind: int, four: list[int]) -> tuple[int, ...]:
    if kind == VERTEX_FACE:
        return four[0], *sorted(four[1:])
    one, other = sorted([sorted(four[:2]), sorted(four[2:])])
    return *one, *other


def near(
    points: NDArray[Any], rest: NDArray[Any], faces: NDArray[np.int64], thickness: float
) -> tuple[Fours, Fours]:
    """The same of what is nearer than it wants, and has no vertex in common."""
    wide = thickness * np.ones(3)
    small, large = Boxes.around(points[:, None]), Boxes.around(points[faces])
    pairs = overlapping_boxes(_extended(small, wide), _extended(large, wide))
    vertex, face = pairs[(faces[pairs[:, 1]] != pairs[:, :1]).all(axis=1)].T
    corners = faces[face]
    close = _wanting(
        thickness,
        vertices_to_faces(points[vertex], points[corners]),
        vertices_to_faces(rest[vertex], rest[corners]),
    )
    touching = {
        (v, *sorted(c))
        for v, c in zip(vertex[close].tolist(), corners[close].tolist(), strict=True)
    }
    edges = np.array(sorted(naive.unique_edges(faces.tolist())))
    pairs = edges[overlapping_boxes(_extended(Boxes.around(points[edges]), wide))]
    apart = (pairs[:, 0, :, None] != pairs[:, 1, None, :]).all(axis=(1, 2))
    first, second = pairs[apart].transpose(1, 0, 2)
    close = _wanting(
        EDGE_PART * thickness,
        edges_to_edges(*points[first].transpose(1, 0, 2), *points[second].transpose(1, 0, 2)),
        edges_to_edges(*rest[first].transpose(1, 0, 2), *rest[second].transpose(1, 0, 2)),
    )
    both = zip(first[close].tolist(), second[close].tolist(), strict=True)
    return touching, {_key(EDGE_EDGE, one + other) for one, other in both}


def _extended(boxes: Boxes, wide: NDArray[np.float64]) -> Boxes:
    return Boxes(boxes.low - wide, boxes.high + wide)


def _wanting(thickness: float, distance: NDArray[Any], at_rest: NDArray[Any]) -> NDArray[np.bool_]:
    return np.asarray(distance < np.minimum(2 * thickness, REST_PART * at_rest))


def frames(
    name: str, every: int, **options: Any
) -> Iterator[tuple[core.Simulation, NDArray[Any], NDArray[np.int64], float]]:
    """Some frames of a scene of one cloth, with its rest shape, faces and thickness."""
    scene = contact_scenes.make(name, **options)
    simulation = contact_run.build(scene, core.XPBD(substeps=20))
    cloth = scene.cloths[0]
    for frame, _ in enumerate(contact_run.steps(scene, simulation)):
        if frame % every == every - 1:
            yield simulation, cloth.positions, cloth.triangles, cloth.thickness


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("fold_on_floor", {"n": 20, "frames": 24}),
        ("fold_on_floor", {"n": 20, "frames": 24, "irregular": True}),
        ("crumpled_ball", {"n": 17, "frames": 24}),
    ],
)
def test_whatever_is_near_is_listed(name: str, options: dict[str, Any]) -> None:
    some = 0
    for simulation, rest, faces, thickness in frames(name, 6, **options):
        points = simulation.positions.astype(float)
        found = listed(simulation)
        for kind, wanted in enumerate(near(points, rest, faces, thickness)):
            assert wanted - found[kind] == set()
            some += len(wanted)
    assert some > 50


def test_a_fold_is_listed_though_it_seems_to_open() -> None:
    """What presses from both sides keeps it from that."""
    points, faces = sheet(12, 12)
    folded = points.copy()
    right = points[:, 0] > points[:, 0].mean()
    folded[right, 0] = 2.0 * points[:, 0].mean() - points[right, 0]
    folded[right, 2] += 0.3
    model = core.Model()
    model.add_cloth(points, faces, thickness=0.2)
    simulation = core.Simulation(model)
    simulation.positions[:] = folded
    found = listed(simulation, seems=points)
    for kind, wanted in enumerate(near(folded, points, faces, 0.2)):
        assert wanted - found[kind] == set()
        assert len(wanted) > 10


def check_as_it_stands(mesh: Mesh, points: NDArray[np.float64], thickness: float) -> None:
    """All that is near where a cloth is put is listed."""
    rest, faces = mesh
    model = core.Model()
    model.add_cloth(rest, faces, thickness=thickness)
    simulation = core.Simulation(model)
    simulation.positions[:] = points
    found = listed(simulation)
    for kind, wanted in enumerate(near(points, rest, faces, thickness)):
        assert wanted - found[kind] == set()
        assert len(wanted) > 10


@pytest.mark.parametrize("thickness", [0.05, 0.6])
def test_flaps_beside_a_slit_are_listed_where_one_lies_on_the_other(thickness: float) -> None:
    points, faces = with_a_slit()
    right = np.zeros(len(points))
    right[faces[points[faces].mean(axis=1)[:, 0] > 8.0]] = 1.0
    up = right * np.clip(points[:, 1] - 8.0, 0.0, 1.0)
    check_as_it_stands((points, faces), points + up[:, None] * [-1.4, 0.3, 0.02], thickness)


@pytest.mark.parametrize("thickness", [0.05, 0.6])
def test_layers_of_one_object_are_listed_however_they_are_turned(thickness: float) -> None:
    points, faces = together(sheet(), sheet(height=1.0))
    rest = rotated(points)
    upper = np.arange(len(points)) >= len(points) // 2
    moved = rotated(points - 0.97 * upper[:, None] * [0.3, 0.2, 1.0])
    check_as_it_stands((rest, faces), moved, thickness)
