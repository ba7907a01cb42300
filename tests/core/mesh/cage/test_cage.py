# SPDX-License-Identifier: GPL-3.0-or-later
"""Cages around all kinds of surfaces: what they hold, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from naive.solids import (
    Mesh,
    ball,
    box,
    joined,
    reversed_faces,
    torus,
    turned,
    volume,
    winding_numbers,
)

from core import ModelError
from core.mesh.cage import Cage, cage_of, carried, default_cell_size
from core.mesh.connected import connected
from core.mesh.surface import Polygons, triangle_areas, triangulate
from core.mesh.tetrahedra import signed_volumes
from core.remembered import forget

pytestmark = pytest.mark.long

CUBE = box((-1.0, -1.0, -1.0), (1.0, 1.0, 1.0))


def cage(mesh: Mesh, cells: float = 16.0) -> Cage:
    return cage_of(mesh[0], mesh[1], default_cell_size(mesh[0]) * 16.0 / cells)


def parts(of: Cage) -> int:
    """How many parts of a cage hang together."""
    free = np.ones(len(of.positions), np.bool_)
    return len(np.unique(connected([of.tetrahedra], free)))


def soup(mesh: Mesh) -> Mesh:
    """Every face with corners of its own."""
    numbers = iter(range(10**6))
    faces = [tuple(next(numbers) for _ in face) for face in mesh[1]]
    return np.concatenate([mesh[0][list(face)] for face in mesh[1]]), faces


CLOSED = {
    "a cube along the lattice": (CUBE, 8.0),
    "turned": (turned(CUBE), 8.0),
    "inverted normals": (reversed_faces(CUBE), 8.0),
    "doubled faces": ((CUBE[0], CUBE[1] + CUBE[1]), 8.0),
    "corners of their own": (soup(turned(CUBE)), 8.0),
    "a shell in a shell": (
        joined(turned(CUBE), reversed_faces(turned(box((-0.5,) * 3, (0.5,) * 3)))), 7.0,
    ),
    "two that overlap": (joined(CUBE, box((0.0, -1.0, -1.0), (2.0, 1.0, 1.0))), 12.0),
    "a wall within": ((CUBE[0], [*CUBE[1], (0, 1, 7, 6)]), 8.0),
    "a ball": (ball(24), volume(ball(24))),
    "a torus": (torus(1.0, 0.4), volume(torus(1.0, 0.4))),
}  # fmt: skip


@pytest.mark.parametrize("name", CLOSED)
def test_the_volume_is_right_and_the_surface_lies_inside(name: str) -> None:
    mesh, expected = CLOSED[name]
    found = cage(mesh)
    assert found.volumes.sum() == pytest.approx(expected, rel=6e-3)
    assert parts(found) == 1
    assert 0.0 < found.fill.min() and found.fill.max() <= 1.0
    whole = found.size**3 / 12.0
    np.testing.assert_allclose(signed_volumes(found.positions, found.tetrahedra), whole)
    assert found.weights.min() >= 0.0
    np.testing.assert_allclose(found.weights.sum(axis=1), 1.0)
    np.testing.assert_allclose(carried(found, found.positions), mesh[0], atol=2e-6 * found.size)
    own = {frozenset(nodes) for nodes in found.tetrahedra.tolist()}
    assert len(own) == len(found.tetrahedra)
    assert {frozenset(nodes) for nodes in found.corners.tolist()} <= own


@pytest.mark.parametrize("thickness", [0.04, 0.01])
@pytest.mark.parametrize("mesh", [box, lambda *ends: turned(box(*ends))])
def test_a_plate_thinner_than_a_cell_is_there(mesh, thickness: float) -> None:  # type: ignore[no-untyped-def]
    found = cage(mesh((0.0, 0.0, 0.0), (2.0, 2.0, thickness)))
    assert found.volumes.sum() == pytest.approx(4.0 * thickness, rel=0.04)
    assert parts(found) == 1


def test_an_open_bowl_holds_what_has_winding_numbers_above_a_half() -> None:
    positions, faces = ball(16)
    bowl = positions, [face for face in faces if positions[list(face), 2].mean() < 0.5]
    used = np.unique(np.concatenate([list(face) for face in bowl[1]]))
    bowl = positions[used], [tuple(np.searchsorted(used, face)) for face in bowl[1]]
    found = cage(bowl, 8.0)
    steps = np.linspace(-1.0, 1.0, 21)
    places = np.stack(np.meshgrid(steps, steps, steps), axis=-1).reshape(-1, 3)
    inside = np.abs(winding_numbers(bowl, places)) > 0.5
    assert found.volumes.sum() == pytest.approx(np.mean(inside) * 2.1**3, rel=0.03)
    assert parts(found) == 1


@pytest.mark.parametrize("flipped", [(1,), (0, 3), (0, 2, 4), (1, 4, 5)])
def test_nothing_is_inside_beyond_a_box_of_which_some_faces_are_turned(
    flipped: tuple[int, ...],
) -> None:
    faces = [face[::-1] if i in flipped else face for i, face in enumerate(CUBE[1])]
    made = cage((CUBE[0], faces))
    assert np.abs(made.positions).max() < 1.0 + 2.0 * made.size
    assert 0.0 < made.volumes.sum() < 8.1


def test_a_vertex_without_faces_is_carried_from_where_it_is() -> None:
    positions = np.concatenate([CUBE[0], [[3.0, 0.0, 0.0], [-90.0, 2.0, 1.0]]])
    found = cage_of(positions, CUBE[1], 0.25)
    assert len(found.corners) == len(positions)
    assert found.positions.max() < 1.5


def test_a_kilometre_and_a_millimetre_are_alike() -> None:
    small, large = (cage((scale * CUBE[0] + 7.0 * scale, CUBE[1])) for scale in (5e-4, 5e2))
    assert np.array_equal(small.tetrahedra, large.tetrahedra)
    np.testing.assert_allclose(small.fill, large.fill, rtol=1e-6)


def test_twice_the_same() -> None:
    first = cage(turned(torus(1.0, 0.4)), 8.0)
    forget()
    second = cage(turned(torus(1.0, 0.4)), 8.0)
    assert np.array_equal(first.positions, second.positions)
    assert np.array_equal(first.tetrahedra, second.tetrahedra)
    assert np.array_equal(first.fill, second.fill)


def test_work_is_reported_and_can_be_ended() -> None:
    forget()
    shares: list[float] = []
    cage_of(CUBE[0], CUBE[1], 0.25, progress=shares.append)
    assert shares == sorted(shares) and len(shares) > 5
    assert 0.0 <= shares[0] and shares[-1] <= 1.0

    def end(share: float) -> None:
        if share > 0.5:
            raise KeyboardInterrupt

    forget()
    with pytest.raises(KeyboardInterrupt):
        cage_of(CUBE[0], CUBE[1], 0.25, progress=end)


REFUSED = {
    "use Cloth": (([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [(0, 1, 2)]), 0.1),
    "There is next to nothing inside the surface of 'jelly': use Cloth": (
        box((0, 0, 0), (1, 1, 0)), 0.1,
    ),
    "are larger than the object, 2 m: choose 0.12 m": (CUBE, 2.5),
    "would need 8,002,400,240,008 cells of 0.0001 m, more than": (CUBE, 1e-4),
    "vertex 1 is not a finite number": (([[0, 0, 0], [1, np.nan, 0], [0, 1, 0]], [(0, 1, 2)]), 0.1),
    "a vertex that doesn't exist: there are 8": ((CUBE[0], [(0, 1, 8)]), 0.1),
    "'jelly' has no faces": ((CUBE[0], []), 0.1),
    "must be positive, not 0 m": (CUBE, 0.0),
    "in one place": ((np.ones((3, 3)), [(0, 1, 2)]), 0.1),
}  # fmt: skip


@pytest.mark.parametrize("words", REFUSED)
def test_what_is_refused(words: str) -> None:
    (positions, faces), size = REFUSED[words]
    with pytest.raises(ModelError, match="jelly") as error:
        cage_of(positions, faces, size, name="jelly")
    assert words in str(error.value)


def test_the_size_that_is_offered_fits() -> None:
    with pytest.raises(ModelError) as error:
        cage_of(CUBE[0], CUBE[1], 1e-3)
    offered = float(str(error.value).split("choose ")[1].split(" m")[0])
    assert 2.0 / 80.0 < offered < 2.0 / 60.0


@pytest.mark.parametrize("mesh", [CUBE, turned(CUBE), ball(24)], ids=["cube", "turned", "ball"])
def test_points_of_faces_stand_for_the_whole_surface(mesh: Mesh) -> None:
    found = cage(mesh)
    points = found.face_points
    corners = mesh[0][points.vertices]
    places = (points.shares[:, :, None] * corners).sum(axis=1)
    in_cells = (points.weights[:, :, None] * found.positions[points.nodes]).sum(axis=1)
    np.testing.assert_allclose(in_cells, places, atol=1e-5 * found.size)
    assert points.shares.min() >= 0.0 and points.weights.min() >= 0.0
    triangles = triangulate(mesh[0], Polygons.of(mesh[1]))
    assert points.areas.sum() == pytest.approx(triangle_areas(mesh[0], triangles).sum(), rel=0.04)
