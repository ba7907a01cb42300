# SPDX-License-Identifier: GPL-3.0-or-later
"""A soft body inside of a surface: a cage of tetrahedra is simulated, and carries the surface.

Pinned vertices lead the faces between them. These are tied to their cells at points half a cell
apart, by springs that are stiff beside a cell: corners of cells that a pinned face only goes
through stay free, or a clamp would reach into the body by a cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..builder import Builder
from ..errors import ModelError
from ..mesh.cage import Cage, SmoothCarrier, cage_of, cage_of_parts, carried, default_cell_size
from ..mesh.surface import Indices, Positions
from .bonds import make_bonds
from .bones import Bones, OnBones, on_bones
from .growth import Growth
from .handle import Lead, Touch
from .inside import Following, following, following_all, leaders_of
from .pins import Pins, make_pins
from .skin import Skin, build_skin
from .soft_body import SoftBody, build_soft_body
from .soft_material import SoftMaterial

FIRMNESS = 30.0
"""Of held faces: the stiffness of their ties [N/m for each m²], in Young's moduli over a cell."""

LEAST_FILL = 0.1
"""Of a tetrahedron: one that is filled less counts as filled so far, and all of them for as much
less. Light nodes would whip about what they hang on."""

BROUGHT_IN = 10
"""How often what is left of where a surface starts is: less than a percent of it is left then."""

LEAST_PART = 0.05
"""Of a cell's face: what a pinned vertex holds by itself, at a rim or without a pinned face."""


@dataclass(frozen=True)
class EmbeddedBody(SoftBody):
    """A handle to a soft body inside of a surface.

    Attributes:
        particles: of the nodes of its cage.
        pins: of each pinned vertex of the surface, in ascending order, the particle that targets
            are set for, shape (p,).
        pinned: these vertices, shape (p,).
        held: which of them are led exactly, shape (h,); holders: their particles.
        inner: of each node that follows them, the particle that targets are set for, shape (m,).
        inside: how these nodes follow.
        skeleton: how others go with bones.
        goal: how nodes go where the whole surface wants them; None where nothing pulls them there.
        cage: around the surface.
        carrier: what shows the surface; see ``Simulation.surface``.
    """

    held: NDArray[np.int64] = field(repr=False)
    holders: NDArray[np.int64] = field(repr=False)
    inner: NDArray[np.int64] = field(repr=False)
    inside: Following | None = field(repr=False)
    skeleton: OnBones | None = field(repr=False)
    goal: Following | None = field(repr=False)
    cage: Cage = field(repr=False)
    carrier: SmoothCarrier = field(repr=False)

    _numbered = (*SoftBody._numbered, "holders", "inner")

    @property
    def anchors(self) -> NDArray[np.int64]:
        """Those of nodes that follow and that have goals, and of pinned vertices."""
        inner = self.inner[self.inner > self.particles[-1]]
        return np.concatenate([inner, self.goals, self.pins])

    @property
    def leads(self) -> list[Lead]:
        """Those of pinned vertices, of nodes that follow these, and the goals of all nodes."""
        nodes = np.empty(0, np.int64) if self.inside is None else self.inside.nodes
        return [*super().leads, Lead(nodes, self.inner, on_surface=False)]

    @property
    def pieces(self) -> Indices:
        """None: what touches is its skin."""
        return np.empty((0, 3), np.int64)

    @property
    def in_air(self) -> Indices:
        """The outside of its cage, which is a little larger than the surface."""
        return self.triangles

    def surface(self, positions: NDArray[np.floating]) -> Positions:
        """Where the surface is shown, with all particles of the model at these positions [m]."""
        result = self.carrier.carried(positions[self.particles])
        result[self.held] = positions[self.holders]
        return result

    def led(self, positions: Positions) -> tuple[NDArray[np.int64], Positions]:
        """Those of pinned vertices, and of what follows them inside."""
        if self.inside is None:
            return super().led(positions)
        surface = self.cage.surface.copy()
        surface[self.pinned] = positions
        inner = self.inside.led(surface)
        return np.concatenate([self.pins, self.inner]), np.concatenate([positions, inner])

    def led_by_bones(self, movements: ArrayLike) -> tuple[NDArray[np.int64], Positions]:
        """The particles to set targets for, and these, where bones take the inside along.

        Args:
            movements: of each bone since the start, x → A x + b as [A b], shape (b, 3, 4), b in
                [m].
        """
        assert self.skeleton is not None, self.name
        moved = np.asarray(movements, np.float64)
        return self.particles[self.skeleton.nodes], self.skeleton.led(moved)

    def wanted(self, positions: Positions) -> tuple[NDArray[np.int64], Positions]:
        """Nodes are wanted where the surface would take them."""
        if self.goal is None:
            return super().wanted(self.cage.positions[:0])
        return self.goals[self.goal.nodes], self.goal.led(positions)

    def grown(self, **growth: Any) -> Growth:
        """The same, with numbers of the surface's vertices."""
        count = len(self.cage.surface)
        return super().grown(**_all_at_nodes(self.cage, growth, count))


def build_embedded(
    model: Builder,
    name: str,
    surface: Positions,
    rest: Positions,
    faces: Sequence[Sequence[int]] | NDArray[np.integer],
    cell_size: float | None,
    pins: Pins,
    pin_depth: float,
    material: dict[str, Any],
    *,
    bones: Bones | None,
    strength: ArrayLike | None,
    velocities: ArrayLike,
    drag: ArrayLike,
    thickness: ArrayLike,
) -> EmbeddedBody:
    """Add the cage of a surface; see ``Model.add_soft_body``.

    Others keep off its skin by its thickness: so far the surface is shown beside that.

    Args:
        surface, rest: its vertices as they start and at rest [m], shape (n, 3).
    """
    size = default_cell_size(rest) if cell_size is None else cell_size
    if strength is None:
        cage, bonds = cage_of(rest, faces, size, name=name), None
    else:
        cage, bonds = cage_of_parts(rest, faces, size, name=name)
    start = _start_of(cage, surface)
    count = len(surface)
    solid = SoftMaterial(**_all_at_nodes(cage, material, count))
    skeleton = None if bones is None else on_bones(name, cage, start, bones)
    inside = _inside(name, cage, pins, pin_depth, skeleton)
    inner = _inner_pins(name, cage, pins, inside, pin_depth, skeleton)
    moving = {"velocities": velocities, "drag": drag}
    body = _build_cage(model, name, start, cage, inner, solid, _all_at_nodes(cage, moving, count))
    anchors = model.add_particles(
        surface[pins.vertices], np.inf, thickness=0.0, friction=0.0, drag=0.0
    )
    young = float(np.mean(solid.young_modulus))
    _tie(model, cage, pins, anchors, body.particles, FIRMNESS * young / cage.size)
    held = np.isin(pins.vertices, pins.held)
    known = {each.name: getattr(body, each.name) for each in fields(body)}
    known |= {"pins": anchors, "pinned": pins.vertices}
    if bonds is not None:
        breaking = at_nodes(cage, strength, count)
        known["bonds"] = make_bonds(model, name, bonds, body.particles, size, breaking)
    return EmbeddedBody(
        **known,
        held=pins.vertices[held],
        holders=anchors[held],
        inner=body.pins[[] if inside is None else np.searchsorted(inner.vertices, inside.nodes)],
        inside=inside,
        skeleton=skeleton,
        goal=None if not len(body.goals) else following_all(cage),
        cage=cage,
        carrier=SmoothCarrier(cage, thickness),
    )


def _build_cage(
    model: Builder,
    name: str,
    start: Positions,
    cage: Cage,
    pins: Pins,
    material: SoftMaterial,
    moving: dict[str, Any],
) -> SoftBody:
    """Add nodes and tetrahedra, which touch nothing: their skin does.

    Args:
        start: where nodes start [m], shape (m, 3).
        pins: of nodes.
        moving: their velocities and drag.
    """
    return build_soft_body(
        model,
        name,
        start,
        cage.positions,
        cage.tetrahedra,
        _firm(cage),
        pins,
        material,
        Touch(False, False),
        friction=0.0,
        thickness=0.0,
        restitution=0.0,
        **moving,
    )


def build_skin_of(
    model: Builder,
    body: EmbeddedBody,
    faces: Sequence[Sequence[int]] | NDArray[np.integer],
    touch: Touch,
    of_surface: dict[str, ArrayLike],
) -> Skin:
    """Add what touches: the surface, of smaller faces where its own are larger than cells.

    Args:
        faces: of the surface; of_surface: options of its vertices.
    """
    cage, name = body.cage, body.name
    if cage.touching is None:
        return build_skin(
            model, name, body.particles, cage.corners, cage.weights, faces, touch, **of_surface
        )
    surface, corners, weights = cage.touching
    count = len(cage.surface)
    options = {
        key: surface.values(each) if len(np.atleast_1d(each)) == count else each
        for key, each in of_surface.items()
    }
    skin = build_skin(
        model, name, body.particles, corners, weights, surface.triangles, touch, **options
    )
    return replace(skin, shown=surface.shown(count))


def _firm(cage: Cage) -> NDArray[np.float64]:
    """The filled part of each tetrahedron, and none of them nearly empty, shape (t,)."""
    fill = np.maximum(cage.fill, LEAST_FILL)
    return np.asarray(fill * (cage.fill.sum() / fill.sum()))


def _start_of(cage: Cage, surface: Positions) -> Positions:
    """Where the nodes start, such that the surface does where it should, shape (m, 3).

    What rigid motion leaves is brought in again and again, as that of all around each node.
    """
    start = cage.positions.copy()
    if np.array_equal(surface, cage.surface):
        return start
    every = following_all(cage)
    start[every.nodes] = every.led(surface)
    within = surface - (cage.surface - carried(cage, cage.positions))
    for _ in range(BROUGHT_IN):
        start += at_nodes(cage, within - carried(cage, start), len(surface))
    return start


def _inside(
    name: str, cage: Cage, pins: Pins, depth: float, skeleton: OnBones | None
) -> Following | None:
    """How nodes that lie no deeper below pinned faces follow these; None where none do.

    Those that go with bones don't.
    """
    if not depth >= 0.0:
        raise ModelError(f"The pin depth of '{name}' can't be {depth}.")
    if depth == 0.0 or not len(pins.vertices):
        return None
    apart = None if skeleton is None else skeleton.nodes
    return following(cage, leaders_of(cage, pins.vertices), depth, apart)


def _inner_pins(
    name: str,
    cage: Cage,
    pins: Pins,
    inside: Following | None,
    depth: float,
    skeleton: OnBones | None,
) -> Pins:
    """The pins of nodes: of a layer as deep as that they pull as strongly as its faces.

    Bones hold theirs.
    """
    nodes, stiffness, damping = np.empty(0, np.int64), np.empty(0), np.empty(0)
    if inside is not None:
        given = np.zeros((2, len(cage.surface)))
        given[:, pins.vertices] = pins.stiffness / depth, pins.damping
        nodes, (stiffness, damping) = inside.nodes, map(inside.of_nearest, given)
    if skeleton is not None:
        nodes = np.concatenate([nodes, skeleton.nodes])
        stiffness = np.concatenate([stiffness, np.full(len(skeleton.nodes), np.inf)])
        damping = np.concatenate([damping, np.zeros(len(skeleton.nodes))])
    return make_pins(name, len(cage.positions), nodes, stiffness, damping)


def _all_at_nodes(cage: Cage, values: dict[str, Any], count: int) -> dict[str, Any]:
    """Each of the values as of :func:`at_nodes`."""
    return {name: at_nodes(cage, each, count) for name, each in values.items()}


def at_nodes(cage: Cage, values: Any, count: int) -> Any:
    """What is given for each vertex of a surface, for each node of its cage.

    A node has the mean of the vertices around it; what has none, that of its neighbours.

    Args:
        values: an array of one row for each of ``count`` vertices; anything else is left alone.
    """
    if np.ndim(values) == 0 or len(values) != count:
        return values
    given = np.asarray(values, np.float64).reshape(count, -1)
    nodes = len(cage.positions)
    weight = np.bincount(cage.corners.ravel(), cage.weights.ravel(), nodes)
    found = np.zeros((nodes, given.shape[1]))
    np.add.at(found, cage.corners, cage.weights[:, :, None] * given[:, None])
    known = weight > 0.0
    found[known] /= weight[known, None]
    while not known.all():
        around = known[cage.tetrahedra]
        sums = (found[cage.tetrahedra] * around[:, :, None]).sum(axis=1)
        counts = np.bincount(cage.tetrahedra.ravel(), np.repeat(around.sum(axis=1), 4), nodes)
        spread = np.zeros_like(found)
        np.add.at(spread, cage.tetrahedra, sums[:, None])
        reached = ~known & (counts > 0)
        if not reached.any():
            break
        found[reached] = spread[reached] / counts[reached, None]
        known |= reached
    return found.reshape(nodes, *np.shape(values)[1:])


def _tie(
    model: Builder,
    cage: Cage,
    pins: Pins,
    anchors: NDArray[np.int64],
    nodes: NDArray[np.int64],
    firmest: float,
) -> None:
    """Tie pinned faces to the cage, and of the pinned vertices one in each tetrahedron."""
    number = np.full(len(cage.surface), -1)
    number[pins.vertices] = np.arange(len(pins.vertices))
    points = cage.face_points
    led = number[points.vertices]
    chosen = (led >= 0).all(axis=1)
    _, single = np.unique(cage.corners[pins.vertices], axis=0, return_index=True)
    vertices = pins.vertices[single]
    ties = (
        (led[chosen], points.shares[chosen], points.nodes[chosen], points.weights[chosen],
         points.areas[chosen]),
        (single[:, None], np.ones((len(single), 1)), cage.corners[vertices],
         cage.weights[vertices], np.full(len(single), LEAST_PART * cage.size**2)),
    )  # fmt: skip
    for tied, shares, corners, weights, areas in ties:
        stiffness = areas * np.minimum(pins.stiffness, firmest)[tied].mean(axis=1)
        pulling = stiffness > 0.0
        if pulling.any():
            model.add_constraints(
                f"tie_{tied.shape[1]}",
                np.concatenate([anchors[tied], nodes[corners]], axis=1)[pulling],
                rest=np.concatenate([shares, -weights], axis=1)[pulling],
                compliance=1.0 / stiffness[pulling],
                damping=pins.damping[tied].mean(axis=1)[pulling],
            )
