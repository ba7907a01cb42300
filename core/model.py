# SPDX-License-Identifier: GPL-3.0-or-later
"""The description of what is simulated: particles, constraints between them, colliders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .assembly import Assembly
from .bodies.bones import Bones
from .bodies.cloth import Cloth, build_cloth
from .bodies.cloth_material import ClothMaterial
from .bodies.embedded import build_embedded, build_skin_of
from .bodies.handle import Touch
from .bodies.pins import make_pins
from .bodies.rest_shape import rest_shape_of
from .bodies.skin import Skin, build_skin
from .bodies.soft_body import SoftBody, build_soft_body
from .bodies.soft_material import SoftMaterial
from .bodies.stitches import make_stitches
from .bodies.strands import StrandMaterial, Strands, build_strands
from .checks import finite
from .contact import ColliderSet
from .errors import ModelError
from .layout.group import Group
from .starting import starting_state
from .state import State


class Model(Assembly):
    """Particles, constraints and colliders; filled once, then simulated.

    Args:
        dtype: ``np.float32`` (fast, default) or ``np.float64`` (for measurements).
    """

    def add_cloth(
        self,
        positions: ArrayLike,
        faces: Sequence[Sequence[int]] | NDArray[np.integer],
        *,
        pins: ArrayLike | None = None,
        pin_stiffness: ArrayLike = np.inf,
        pin_damping: ArrayLike = 0.0,
        rest_positions: ArrayLike | None = None,
        velocities: ArrayLike = 0.0,
        friction: ArrayLike = 0.5,
        thickness: ArrayLike = 0.005,
        restitution: ArrayLike = 0.0,
        drag: ArrayLike = 0.0,
        self_collision: bool = True,
        body_collision: bool = True,
        as_drawn: bool = False,
        name: str = "cloth",
        **material: Any,
    ) -> Cloth:
        """Add a surface mesh as cloth.

        Args:
            positions: where it starts [m], shape (n, 3).
            faces: vertex indices of each face: a list of sequences or an array of shape (f, k).
            pins: vertices that follow targets instead of moving freely, shape (p,).
            pin_stiffness: of the springs that pull them [N/m, for each m² of the cloth], one
                or shape (p,): the same at any resolution. Infinite: they are exactly there.
            pin_damping: of these springs [s], Rayleigh's coefficient, one or shape (p,).
            rest_positions: its rest shape [m], shape (n, 3); by default as it starts.
            velocities, friction, thickness, restitution, drag: as in :meth:`add_particles`.
            self_collision: whether it is kept apart from itself: by the sum of the thicknesses, or
                less where it is nearer at rest.
            body_collision: whether it is kept apart from other bodies that are.
            as_drawn: whether quads touch as programs draw them, cut from their first corner on
                (from the second where they start folded over that), and not along the diagonal
                that they bend about: where cloth lies on something narrow, that would be seen to
                come through.
            name: how messages call it.
            **material: fields of :class:`core.bodies.cloth.ClothMaterial`: ``density``,
                ``stretch_compliance``, ``shear_compliance``, ``bend_compliance``, …, many of which
                may be arrays of one number a vertex.

        Returns:
            A handle with ``particles``, ``edges``, ``rest_lengths``, and ``pins``, which targets
            are set for.

        Raises:
            ModelError: the mesh can't be simulated; the message says why.
        """
        points = finite(f"Positions of '{name}'", positions, columns=3)
        cloth = build_cloth(
            self,
            name,
            points,
            rest_shape_of(name, points, rest_positions),
            faces,
            make_pins(name, len(points), pins, pin_stiffness, pin_damping),
            ClothMaterial(**material),
            Touch(self_collision, body_collision, as_drawn),
            velocities=velocities,
            friction=friction,
            thickness=thickness,
            restitution=restitution,
            drag=drag,
        )
        self.cloths.append(cloth)
        return cloth

    def add_strands(
        self,
        positions: ArrayLike,
        edges: ArrayLike,
        *,
        pins: ArrayLike | None = None,
        pin_stiffness: ArrayLike = np.inf,
        pin_damping: ArrayLike = 0.0,
        velocities: ArrayLike = 0.0,
        friction: ArrayLike = 0.5,
        thickness: ArrayLike = 0.005,
        restitution: ArrayLike = 0.0,
        drag: ArrayLike = 0.0,
        self_collision: bool = True,
        body_collision: bool = True,
        name: str = "strands",
        **material: Any,
    ) -> Strands:
        """Add a mesh of edges as strands: hair, yarns, ropes, wires, nets.

        Args:
            positions: rest shape [m], shape (n, 3).
            edges: pairs of vertices, shape (e, 2); branches and loops are welcome.
            pins: vertices that follow targets instead of moving freely; two in a row at an end
                hold its direction too, shape (p,).
            pin_stiffness, pin_damping: as in :meth:`add_cloth`, the stiffness for each metre.
            velocities, friction, thickness, restitution, drag: as in :meth:`add_particles`.
            self_collision: whether it is kept apart from itself: by the sum of the thicknesses, or
                less where it is nearer at rest.
            body_collision: whether it is kept apart from other bodies that are.
            name: how messages call them.
            **material: fields of :class:`core.bodies.strands.StrandMaterial`: ``density``,
                ``stretch_compliance``, ``bend_compliance``, …

        Returns:
            A handle with ``particles``, ``edges``, ``rest_lengths``, and ``pins``, which targets
            are set for.

        Raises:
            ModelError: the mesh can't be simulated; the message says why.
        """
        points = finite(f"Positions of '{name}'", positions, columns=3)
        strands = build_strands(
            self,
            name,
            points,
            edges,
            make_pins(name, len(points), pins, pin_stiffness, pin_damping),
            StrandMaterial(**material),
            Touch(self_collision, body_collision),
            velocities=velocities,
            friction=friction,
            thickness=thickness,
            restitution=restitution,
            drag=drag,
        )
        self.strands.append(strands)
        return strands

    def add_soft_body(
        self,
        positions: ArrayLike,
        faces: Sequence[Sequence[int]] | NDArray[np.integer] | None = None,
        *,
        tetrahedra: ArrayLike | None = None,
        fill: ArrayLike = 1.0,
        cell_size: float | None = None,
        pins: ArrayLike | None = None,
        pin_stiffness: ArrayLike = np.inf,
        pin_damping: ArrayLike = 0.0,
        pin_depth: float = 0.0,
        bones: ArrayLike | None = None,
        bone_reach: float = 0.0,
        strength: ArrayLike | None = None,
        rest_positions: ArrayLike | None = None,
        velocities: ArrayLike = 0.0,
        friction: ArrayLike = 0.5,
        thickness: ArrayLike = 0.005,
        restitution: ArrayLike = 0.0,
        drag: ArrayLike = 0.0,
        self_collision: bool = True,
        body_collision: bool = True,
        name: str = "soft body",
        **material: Any,
    ) -> SoftBody:
        """Add what is inside of a surface as a soft body.

        Args:
            positions: where it starts [m], shape (n, 3).
            faces: vertex indices of each face: a list of sequences or an array of shape (f, k).
            tetrahedra: in place of faces, corners of tetrahedra of positive volume that are taken
                as they are, shape (m, 4).
            fill: the filled part of each, above 0, at most 1: of mass and stiffness, one or (m,).
            cell_size: edge of a cell of the cage that is simulated [m]; by default a 16th of the
                longest side.
            pins: vertices of the surface that follow targets instead of moving freely, and lead the
                faces between them, shape (p,).
            pin_stiffness: of the springs that pull these [N/m, for each m² of faces; for each m³ of
                tetrahedra], one or shape (p,). Infinite: as stiff as matters beside a cell.
            pin_damping: as in :meth:`add_cloth`.
            pin_depth: how deep below pinned faces [m] the inside follows them, too.
            bones: both ends of straight bones in it as it starts [m], shape (b, 2, 3). What is so
                far around them [m], bone_reach, moves as ``handle.led_by_bones(…)`` says.
            strength: tension [Pa] that breaks loose parts from each other where they lie on each
                other, one or shape (n,); each is solid by itself then. None: it is one body.
            rest_positions: as in :meth:`add_cloth`; the cage is made of that shape.
            velocities, friction, thickness, restitution, drag: as in :meth:`add_particles`.
            self_collision: whether its surface is kept apart from itself: by the sum of the
                thicknesses, or less where it is nearer at rest.
            body_collision: whether it is kept apart from other bodies that are.
            name: how messages call it.
            **material: fields of :class:`core.bodies.soft_material.SoftMaterial`, many of which may
                be arrays of one number a vertex.

        Returns:
            A handle with ``tetrahedra``, ``volumes``, ``particles``, which are the nodes of the
            ``cage`` of a surface, and ``pins``, which targets are set for: those and what is led
            with them by ``handle.led(positions)``. ``Simulation.surface`` shows the surface.

        Raises:
            ModelError: the mesh can't be simulated; the message says why.
        """
        if (faces is None) == (tetrahedra is None):
            raise ModelError(f"'{name}' needs either the faces around it, or its tetrahedra.")
        points = finite(f"Positions of '{name}'", positions, columns=3)
        rest = rest_shape_of(name, points, rest_positions)
        led = make_pins(name, len(points), pins, pin_stiffness, pin_damping)
        touch = Touch(self_collision, body_collision)
        moving = {"velocities": velocities, "drag": drag}
        of_surface = {"friction": friction, "thickness": thickness, "restitution": restitution}
        if tetrahedra is not None:
            solid, options = SoftMaterial(**material), moving | of_surface
            body = build_soft_body(
                self, name, points, rest, tetrahedra, fill, led, solid, touch, **options
            )
            self.soft_bodies.append(body)
            return body
        assert faces is not None
        in_cage: dict[str, Any] = moving | {"thickness": thickness}
        in_cage |= {"bones": Bones.of(name, bones, bone_reach), "strength": strength}
        inside = build_embedded(
            self, name, points, rest, faces, cell_size, led, pin_depth, material, **in_cage
        )
        self.soft_bodies.append(inside)
        self.skins.append(build_skin_of(self, inside, faces, touch, of_surface))
        return inside

    def add_skin(
        self,
        cage: ArrayLike,
        corners: ArrayLike,
        weights: ArrayLike,
        faces: Sequence[Sequence[int]] | NDArray[np.integer],
        *,
        thickness: ArrayLike = 0.005,
        friction: ArrayLike = 0.5,
        restitution: ArrayLike = 0.0,
        self_collision: bool = True,
        body_collision: bool = True,
        name: str = "skin",
    ) -> Skin:
        """Add a surface that particles carry, and which touches in their place.

        Args:
            cage: all particles of what carries it, which then touch nothing themselves, shape (c,).
            corners: four of these, by their number in ``cage``, for each vertex, shape (n, 4).
            weights: of the corners, none below -0.5 and 1 in all, shape (n, 4). A vertex is at the
                weighted mean of its corners.
            faces: vertex indices of each face: a list of sequences or an array of shape (f, k).
            thickness, friction, restitution: as in :meth:`add_particles`.
            self_collision: whether it is kept apart from itself: by the sum of the thicknesses, or
                less where it is nearer at rest.
            body_collision: whether it is kept apart from other bodies that are.
            name: how messages call it.

        Returns:
            A handle with ``particles``, ``edges``, ``rest_lengths``.

        Raises:
            ModelError: it can't be carried like that; the message says why.
        """
        skin = build_skin(
            self,
            name,
            cage,
            corners,
            weights,
            faces,
            Touch(self_collision, body_collision),
            thickness=thickness,
            friction=friction,
            restitution=restitution,
        )
        self.skins.append(skin)
        return skin

    def add_stitches(
        self,
        pairs: ArrayLike,
        *,
        strength: ArrayLike = np.inf,
        sewing_force: ArrayLike = np.inf,
        sewing_time: float = 0.0,
    ) -> Group:
        """Sew particles together, two by two, and hold them there.

        What is sewn together does not keep itself apart at its seams. For XPBD.

        Args:
            pairs: of particles, shape (m, 2).
            strength: force [N] for each metre of the seam at which stitches tear, one or shape
                (m,). Infinite: they never do. Each holds half of the edges of the seam that end in
                it; one that is by itself, half of the edges around it.
            sewing_force: greatest force [N] with which each pulls and holds, one or shape (m,).
            sewing_time: [s], in which those that are apart are drawn together evenly. Bodies slide
                freely meanwhile where the force is infinite.

        Returns:
            The group, for ``Simulation.forces`` and ``Simulation.torn``.

        Raises:
            ModelError: a particle does not exist or is sewn to itself, or a number is negative.
        """
        group = make_stitches(
            pairs,
            self.positions,
            self.rest_positions,
            [body.edges for body in self.bodies],
            strength=strength,
            sewing_force=sewing_force,
            sewing_time=sewing_time,
        )
        self.groups.append(group)
        self.version += 1
        return group

    def state(self, colliders: ColliderSet | None = None) -> State:
        """The state at rest, from which a simulation starts.

        Args:
            colliders: where they stand; by default where they did when they were added.
        """
        return starting_state(self, colliders)
