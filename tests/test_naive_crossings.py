# SPDX-License-Identifier: GPL-3.0-or-later
"""The count of crossings that judges contact: exact, whatever it is given."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from naive.boxes import Boxes, overlapping_boxes
from naive.crossings import crossing_pairs
from naive.orientation import orientation
from numpy.typing import ArrayLike, NDArray

pytestmark = pytest.mark.long

FLOOR = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
SLOPE = ((-1.0, 0.0, -1.0), (1.0, 0.0, 1.0), (0.0, 1.0, 0.0))
"""In the plane x = z, so that its box does not tell where it ends."""

Vector = tuple[Fraction, Fraction, Fraction]


def rotated(points: ArrayLike) -> NDArray[np.float64]:
    """Points turned about no axis in particular, and moved: no coordinate stays a round number."""
    a, b = 0.7, -1.1
    about_x = np.array([(1, 0, 0), (0, np.cos(a), -np.sin(a)), (0, np.sin(a), np.cos(a))])
    about_z = np.array([(np.cos(b), -np.sin(b), 0), (np.sin(b), np.cos(b), 0), (0, 0, 1)])
    return np.asarray(points, float) @ (about_x @ about_z).T + np.array([0.3, -0.1, 0.77])


def meet(first: ArrayLike, second: ArrayLike) -> bool:
    """Whether two triangles meet, as those of one mesh and of two, whichever comes first."""
    a, b = np.asarray(first, float), np.asarray(second, float)
    triangles = np.arange(6).reshape(2, 3)
    counts = {
        len(crossing_pairs(np.concatenate([a, b]), triangles)),
        len(crossing_pairs(np.concatenate([b, a[[1, 2, 0]]]), triangles)),
        len(crossing_pairs(a, [(0, 1, 2)], (b, [(0, 2, 1)]))),
        len(crossing_pairs(b, [(0, 1, 2)], (a, [(2, 0, 1)]))),
    }
    assert len(counts) == 1
    return counts == {1}


def standing(x: float, y: float, foot: float) -> list[tuple[float, float, float]]:
    """A triangle on its tip at a height over a point of the floor."""
    return [(x, y, foot), (x - 0.2, y, foot + 1.0), (x + 0.2, y + 0.1, foot + 1.0)]


def test_an_edge_through_a_face_counts() -> None:
    assert meet(FLOOR, standing(0.3, 0.3, -0.5))
    assert meet(rotated(FLOOR), rotated(standing(0.3, 0.3, -0.5)))


def test_beside_the_face_nothing_counts() -> None:
    assert not meet(FLOOR, standing(1.2, 1.2, -0.5))
    assert not meet(rotated(FLOOR), rotated(standing(1.2, 1.2, -0.5)))


@pytest.mark.parametrize("place", [(0.25, 0.25), (0.5, 0.5), (0.5, 0.0), (0.0, 0.0), (1.0, 0.0)])
def test_a_tip_on_a_face_an_edge_or_a_corner_counts(place: tuple[float, float]) -> None:
    assert meet(FLOOR, standing(*place, foot=0.0))


def test_numbers_of_which_products_vanish_are_as_good_as_others() -> None:
    slope, tip = 1e-110 * np.array(SLOPE), 1e-110 * np.array(standing(0.0, 0.25, 0.0))
    gap = np.array([0.0, 0.0, 1e-119])
    assert not meet(slope, tip + gap)
    assert meet(slope, tip - gap)


@pytest.mark.parametrize("gap", [1e-9, 1e-15, 1e-200, np.nextafter(0.0, 1.0)])
def test_however_narrow_a_gap_is_it_is_one(gap: float) -> None:
    assert not meet(SLOPE, standing(0.0, 0.25, gap))
    assert meet(SLOPE, standing(0.0, 0.25, -gap))


def test_a_gap_is_found_where_no_coordinate_is_round() -> None:
    floor = rotated(FLOOR)
    normal = rotated([(0, 0, 1)]) - rotated([(0, 0, 0)])
    assert not meet(floor, rotated(standing(0.3, 0.3, 0.0)) + 1e-9 * normal)
    assert meet(floor, rotated(standing(0.3, 0.3, 0.0)) - 1e-9 * normal)


def test_faces_of_one_plane_count_where_they_overlap_or_touch() -> None:
    inner = 0.25 * np.array(FLOOR) + np.array([0.1, 0.1, 0.0])
    beyond = np.array(FLOOR) + np.array([0.51, 0.51, 0.0])
    beside = np.array(FLOOR) * -1.0
    for axes in itertools.permutations(range(3)):
        floor = np.array(FLOOR)[:, axes]
        assert meet(floor, inner[:, axes])
        assert not meet(floor, beyond[:, axes])
        assert meet(floor, beside[:, axes])
        assert not meet(floor, (beside - np.array([1e-9, 0, 0]))[:, axes])


def test_triangles_with_a_common_vertex_never_count() -> None:
    points = [*FLOOR, (0.5, 0.2, -1.0), (0.2, 0.5, 1.0)]
    assert len(crossing_pairs(points, [(0, 1, 2), (0, 3, 4)])) == 0
    assert len(crossing_pairs([*points, FLOOR[0]], [(0, 1, 2), (5, 3, 4)])) == 1


def test_an_edge_folded_flat_does_not_count_by_itself() -> None:
    points = [*FLOOR, (0.0, 1.0, 0.0)]
    assert len(crossing_pairs(points, [(0, 1, 2), (1, 0, 3)])) == 0


def test_of_a_strip_folded_flat_the_neighbours_don_t_count() -> None:
    """Quads 0 and 1 fold onto each other about the edge (2, 3): their far triangles overlap."""
    points = [(0, 0, 0), (0, 1, 0), (1, 0, 0), (1, 1, 0), (0, 0, 0), (0, 1, 0)]
    triangles = [(0, 2, 1), (1, 2, 3), (2, 4, 3), (3, 4, 5)]
    assert crossing_pairs(points, triangles).tolist() == [[0, 3]]


def test_a_triangle_without_area_is_a_segment_or_a_point() -> None:
    through = [(0.2, 0.2, -1.0), (0.2, 0.2, 0.5), (0.2, 0.2, 1.0)]
    assert meet(FLOOR, through)
    assert not meet(FLOOR, np.array(through) + np.array([1.0, 0.0, 0.0]))
    assert meet(FLOOR, [(0.2, 0.2, 0.0)] * 3)
    assert not meet(FLOOR, [(0.2, 0.2, 1e-9)] * 3)
    within = [(-1.0, 0.2, 0.0), (2.0, 0.2, 0.0), (0.5, 0.2, 0.0)]
    assert meet(FLOOR, within)
    assert not meet(through, [(-1.0, 0.2, 0.1), (2.0, 0.2, 0.1), (0.5, 0.2, 0.1)])


def test_numbers_are_those_of_the_triangles_given() -> None:
    points = np.array([*FLOOR, *standing(5.0, 5.0, 5.0), *standing(0.3, 0.3, -0.5)])
    assert crossing_pairs(points, np.arange(9).reshape(3, 3)).tolist() == [[0, 2]]
    others = (points[3:], np.arange(6).reshape(2, 3))
    assert crossing_pairs(points[:3], [(0, 1, 2)], others).tolist() == [[0, 1]]
    assert crossing_pairs(points, np.empty((0, 3), int)).shape == (0, 2)
    with pytest.raises(ValueError, match="finite"):
        crossing_pairs([*FLOOR[:2], (0.0, np.nan, 0.0)], [(0, 1, 2)])


def test_the_side_of_a_plane_is_right_where_rounding_is_not() -> None:
    """Points as near to a plane as numbers get: plain double precision is wrong about many."""
    random = np.random.default_rng(3)
    a, b, c = random.uniform(0.5, 1.0, (3, 2000, 3))
    d = a + 0.25 * (b - a) + 0.5 * (c - a)
    points = np.stack([a, b, c, d], axis=1)
    exact = [volume([vector(p) for p in four]) for four in points]
    expected = [(v > 0) - (v < 0) for v in exact]
    assert orientation(points).tolist() == expected
    rounded = np.sign(np.linalg.det(points[:, :3] - points[:, 3:]))
    assert np.count_nonzero(rounded != expected) > 50


@pytest.mark.parametrize("count", [0, 1, 2, 37])
def test_boxes_that_overlap_are_all_found(count: int) -> None:
    random = np.random.default_rng(count)
    low = random.integers(0, 9, (count, 3)).astype(float)
    boxes = Boxes(low, low + random.integers(0, 4, (count, 3)))
    others = Boxes(boxes.low[: count // 2] + 1.0, boxes.high[: count // 2] + 2.0)

    def overlap(a: Boxes, i: int, b: Boxes, j: int) -> bool:
        return bool(np.all(a.low[i] <= b.high[j]) and np.all(b.low[j] <= a.high[i]))

    within = [
        p for p in itertools.combinations(range(count), 2) if overlap(boxes, p[0], boxes, p[1])
    ]
    assert overlapping_boxes(boxes).tolist() == [list(p) for p in within]
    every = itertools.product(range(count), range(count // 2))
    between = [p for p in every if overlap(boxes, p[0], others, p[1])]
    assert overlapping_boxes(boxes, others).tolist() == [list(p) for p in between]


def soup(kind: str, seed: int) -> NDArray[np.float64]:
    """Corners of 60 triangles, shape (60, 3, 3)."""
    random = np.random.default_rng(seed)
    if kind == "anywhere":
        return random.uniform(-0.4, 0.4, (60, 1, 3)) + random.uniform(-0.5, 0.5, (60, 3, 3))
    whole = random.integers(0, 4, (60, 3, 3))
    return np.asarray(rotated(whole / 3.0) if kind == "turned lattice" else whole.astype(float))


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("kind", ["anywhere", "lattice", "turned lattice"])
def test_a_soup_has_the_crossings_that_rational_numbers_find(kind: str, seed: int) -> None:
    corners = soup(kind, seed)
    exact = [[vector(p) for p in triangle] for triangle in corners]
    expected = [
        [i, j]
        for i, j in itertools.combinations(range(60), 2)
        if rational_triangles_meet(exact[i], exact[j])
    ]
    points, triangles = corners.reshape(-1, 3), np.arange(180).reshape(60, 3)
    assert 100 < len(expected) < 1600
    assert crossing_pairs(points, triangles).tolist() == expected
    between = [[i, j - 30] for i, j in expected if i < 30 <= j]
    others = (points[90:], triangles[:30])
    assert crossing_pairs(points, triangles[:30], others).tolist() == between


def vector(point: NDArray[np.float64]) -> Vector:
    x, y, z = (Fraction(float(c)) for c in point)
    return x, y, z


def minus(a: Vector, b: Vector) -> Vector:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def cross(a: Vector, b: Vector) -> Vector:
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


def dot(a: Vector, b: Vector) -> Fraction:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def volume(points: list[Vector]) -> Fraction:
    a, b, c = (minus(p, points[3]) for p in points[:3])
    return dot(a, cross(b, c))


def rational_triangles_meet(first: list[Vector], second: list[Vector]) -> bool:
    """By separating axes: normals, what is across two edges, and across an edge in the plane."""
    edges = [[minus(t[(k + 1) % 3], t[k]) for k in range(3)] for t in (first, second)]
    normals = [cross(e[0], e[1]) for e in edges]
    if not any(normals[0]) and not any(normals[1]):
        return False
    axes = [*normals, *(cross(a, b) for a in edges[0] for b in edges[1])]
    axes += [cross(n, e) for n in normals for e in (*edges[0], *edges[1])]
    return not any(separates(axis, first, second) for axis in axes)


def separates(axis: Vector, first: list[Vector], second: list[Vector]) -> bool:
    a, b = ([dot(axis, p) for p in triangle] for triangle in (first, second))
    return max(a) < min(b) or max(b) < min(a)
