# SPDX-License-Identifier: GPL-3.0-or-later
"""A model in motion: one call advances a frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .bodies.cloth import Cloth
from .bodies.handle import Body
from .bodies.meetings import number_of
from .bodies.rest_shape import rest_shape_of
from .bodies.soft_body import SoftBody
from .checks import finite
from .errors import CheckpointError, ModelError
from .forces.outside import Surroundings
from .going_on import earlier_of
from .islands.islands import Islands
from .lasting import Lasting, array_of, moved, named, part_of
from .layout.group import Group
from .model import Model
from .readings import Readings
from .rest_states import RestStates
from .solvers.common.base import Prepared, Solver
from .solvers.xpbd.solver import XPBD

CHECKPOINT_VERSION = 5
"""Of what lasts from step to step; of another one nothing is gone on from."""


class Simulation(Readings):
    """Steps a model with a solver. To make it takes long where there is much; see
    :mod:`.interruption`.

    Args:
        model: what to simulate; complete when the simulation is made.
        solver: ``core.XPBD(...)`` by default; see ``core.solvers``.
        gravity: acceleration [m/s²].
        surroundings: what else acts on all bodies from outside.
    """

    def __init__(
        self,
        model: Model,
        solver: Solver[Any] | None = None,
        gravity: Sequence[float] = (0.0, 0.0, -9.81),
        surroundings: Surroundings | None = None,
    ) -> None:
        self.model = model
        self.solver: Solver[Any] = solver if solver is not None else XPBD()
        x, y, z = gravity
        self.gravity = (float(x), float(y), float(z))
        self.state = model.state()
        self.state.accelerations[np.isfinite(model.masses)] = self.gravity
        self.rest_states = RestStates(model)
        self.islands = Islands(self.rest_states.model, self.state, self.solver)
        if surroundings is not None:
            self.surround(surroundings, *model.bodies)

    @property
    def prepared(self) -> Prepared:
        """The model laid out for the solver, where all of it is one island."""
        (island,) = self.islands
        return island.prepared

    @property
    def positions(self) -> NDArray[Any]:
        """Positions [m], a view of shape (n, 3)."""
        return self.state.positions

    @property
    def velocities(self) -> NDArray[Any]:
        """Velocities [m/s], a view of shape (n, 3)."""
        return self.state.velocities

    def surface(self, body: Body) -> NDArray[Any]:
        """Where the vertices of a body's mesh are [m], shape (k, 3): to be shown.

        Those of a soft body inside of a surface are carried smoothly by its cage; what touches is
        as much nearer to it as linear weights make it.
        """
        return body.surface(self.state.positions)

    def set_targets(self, indices: ArrayLike, positions: ArrayLike) -> None:
        """Where kinematic particles are at the end of the next step.

        They move there evenly over its substeps and end exactly there, but for those that have just
        been caught; see :meth:`go_on_with`.

        Args:
            indices: particles of infinite mass, shape (k,).
            positions: [m], shape (k, 3).

        Raises:
            ModelError: a particle is not kinematic, or a position is not a finite number.
        """
        points = finite("Targets", positions, columns=3)
        particles = np.asarray(indices, np.int64)
        kinematic = self.state.kinematic
        places = np.searchsorted(kinematic, particles)
        known = places < len(kinematic)
        if not known.all() or np.any(kinematic[places] != particles):
            raise ModelError("Targets can be set for pinned (kinematic) particles only.")
        self.state.want(places, points)

    def has_caught(self, body: Body) -> bool:
        """Whether all that is led of a body is where it is wanted, and nothing on its way there."""
        led = np.concatenate([lead.particles for lead in body.leads])
        places = np.flatnonzero(np.isin(self.state.kinematic, led))
        return not np.nan_to_num(self.state.behind[places], nan=1.0).any()

    def go_on_with(self, model: Model) -> None:
        """Let another model of the same bodies take the place of this one, as it moves now.

        Its materials may be others, what can touch, and which vertices are pinned. What is let go
        keeps its velocity. What is caught is led from where it is to its targets, by which it comes
        nearer at ``core.state.CATCHING_SPEED``, as they move. It is laid out anew, which takes as
        long as some frames.

        Args:
            model: with the same bodies and colliders, added in the same order. Its handles are the
                ones to use from now on.

        Raises:
            ModelError: its bodies or colliders are others.
        """
        if len(model.colliders) != len(self.model.colliders):
            raise ModelError("A simulation can only go on with a model of the same colliders.")
        earlier = earlier_of(model, self.model, self.positions)
        for collider, before in zip(model.colliders, self.model.colliders, strict=True):
            collider.vertices, collider.target = before.vertices, before.target
        state = model.state()
        state.follow(self.state, earlier)
        let_go = earlier.was_led(self.state.kinematic) & np.isfinite(model.masses)
        state.accelerations[let_go] = self.gravity
        for number, surroundings in self.state.outside.given.items():
            state.outside.surround(number, surroundings)
        rest_states = RestStates(model, self.rest_states, earlier.particles)
        islands = Islands(rest_states.model, state, self.solver, self.islands, earlier)
        self.model, self.state, self.islands = model, state, islands
        self.rest_states = rest_states

    def set_velocities(self, body: Body, velocities: ArrayLike) -> None:
        """Let a body move like this from the next step on; what is pinned moves as before.

        Args:
            velocities: of its vertices [m/s], shape (n, 3).

        Raises:
            ModelError: another number of them, or one that is not a finite number.
        """
        given = finite(f"Velocities of '{body.name}'", velocities, columns=3)
        if len(given) != len(body.particles):
            raise ModelError(f"'{body.name}' has {len(body.particles)} vertices, not {len(given)}.")
        free = np.isfinite(self.model.masses[body.particles])
        self.velocities[body.particles[free]] = given[free]

    def follow_rest(self, body: Cloth, positions: ArrayLike) -> None:
        """Let the rest shape of a cloth be another one from the next step on.

        What has shrunk or yielded meanwhile keeps its proportions. How much it weighs, and how
        stiff it is per area and length, stays as its first rest shape has it.

        Args:
            positions: [m], shape (n, 3).

        Raises:
            ModelError: it has another number of vertices, or one that is not a finite number.
        """
        shape = rest_shape_of(body.name, body.shape, positions)
        self.rest_states.follow(body, shape)
        self.islands.renew()

    def grow(self, body: SoftBody, **growth: Any) -> None:
        """Let a soft body have swollen and contracted otherwise from the next step on.

        That is fast: what is described with the body stays laid out. What yielded stays.

        Args:
            **growth: ``inflation``, ``inflation_time``, ``contraction`` and ``fibres`` as
                :class:`core.bodies.soft_material.SoftMaterial` has them; none where not given.

        Raises:
            ModelError: one of them can't be.
        """
        self.rest_states.grow(body, body.grown(**growth))
        self.islands.renew()

    def rest_lengths(self, body: Body) -> NDArray[np.float64]:
        """Lengths at rest of the edges of a body now [m], shape (e,)."""
        return self.rest_states.lengths_of(body)

    def torn(self, stitches: Group) -> NDArray[np.bool_]:
        """Which of the stitches that ``Model.add_stitches`` returned are torn, shape (count,)."""
        return self.rest_states.torn(stitches)

    def checkpoint(self) -> dict[str, NDArray[Any]]:
        """All that the next step depends on, as plain arrays by name; see :mod:`.lasting`.

        Gravity, what surrounds bodies, the solver's options and targets of colliders are not among
        it: they are said from outside, for each step.
        """
        parts = {
            "version": np.array([CHECKPOINT_VERSION]),
            "solver": np.frombuffer(type(self.solver).__name__.encode(), np.uint8),
            **named("state", self.state.lasting()),
            **named("colliders", self.state.contact.colliders.lasting()),
            **named("rest_states", self.rest_states.lasting()),
            **named("islands", self.islands.lasting()),
        }
        return {name: array.copy() for name, array in parts.items()}

    def restore(self, checkpoint: Lasting, *, changed: bool = False) -> None:
        """Be where a simulation of the same model, with the same solver, was at a checkpoint.

        The next steps are to the byte those of that simulation.

        Args:
            checkpoint: of :meth:`checkpoint`.
            changed: whether materials, the solver, which particles are pinned and what can touch
                may be others. What fits goes on. Colliders are at once at their targets, and
                without any where they were added. Pins count as just caught.

        Raises:
            CheckpointError: it is of other particles, pins or colliders, of another solver, or of
                another version; where anything may have changed, of another number of particles.
                The simulation can't be used any more then.
        """
        (version,) = array_of(checkpoint, "version", np.int64, (1,)).tolist()
        if version != CHECKPOINT_VERSION:
            raise CheckpointError("The checkpoint was made by another version: simulate anew.")
        solver = array_of(checkpoint, "solver", np.uint8, (None,)).tobytes()
        if solver != type(self.solver).__name__.encode() and not changed:
            raise CheckpointError("The checkpoint is of another solver: simulate anew.")
        self.rest_states.go_on_from(part_of(checkpoint, "rest_states"), changed)
        self.islands.renew()
        self._stand_as(checkpoint, changed)

    def _stand_as(self, lasting: Lasting, changed: bool = False) -> None:
        """Go on from where something is with the rest states of now. Raises CheckpointError."""
        self.state.go_on_from(part_of(lasting, "state"), changed)
        if changed:
            self.state.contact.colliders.stand_anew()
        else:
            self.state.contact.colliders.go_on_from(part_of(lasting, "colliders"))
        self.islands.go_on_from(part_of(lasting, "islands"), changed)

    def move_origin(self, way: ArrayLike) -> None:
        """See all places from an origin that has gone a way, from the next step on.

        Single precision has the more digits the nearer to its origin things are: what is carried
        over hundreds of metres trembles unless that goes along. Velocities stay as they are.

        Call it between two steps, before the targets of the next one are set; what acts from
        outside has to be told anew. A way of whole metres costs hardly a digit.

        Args:
            way: [m], shape (3,).

        Raises:
            ModelError: it is not three finite numbers.
        """
        (gone,) = finite("The way of an origin", np.asarray(way)[None], columns=3)
        self._stand_as(moved(self.checkpoint(), gone))
        self.state.pulls.move_origin(gone)

    def surround(self, surroundings: Surroundings, *bodies: Body) -> None:
        """Let this act on bodies from outside from the next step on, beside gravity.

        Raises:
            ModelError: a body is not in this model.
        """
        for number in [number_of(body, self.model.bodies) for body in bodies]:
            self.state.outside.surround(number, surroundings)

    def pull(self, particles: ArrayLike, positions: ArrayLike, stiffness: ArrayLike) -> None:
        """Pull particles by springs from the next step on, and no others; by hand, as it were.

        Pulled again, the same ones are led there evenly in a step. A spring is damped, and no
        stiffer than substeps allow; see :mod:`core.forces.pulls`.

        Args:
            particles: shape (k,), each once; those that are pinned are not moved.
            positions: where to [m], shape (k, 3).
            stiffness: of each spring [N/m], shape (k,) or one for all.

        Raises:
            ModelError: a particle does not exist or is named twice, or a number is wrong.
        """
        self.state.pulls.pull(self.state.count, particles, positions, stiffness)

    def advance(self, dt: float) -> None:
        """Simulate dt seconds: one frame.

        Raises:
            ValueError: dt is not a positive number.
            ModelError: something was added to the model since the simulation was made.
            SimulationError: a position is not a finite number any more, equations can't be solved,
                or a collider tears apart what is inside of it; names the object. The state before
                the step is not kept.
        """
        if not 0.0 < dt < np.inf:
            raise ValueError(f"A step takes a positive number of seconds, not {dt}.")
        self.model.check(self.rest_states.model.version)
        self.state.lead(dt)
        if self.rest_states.swell(dt):
            self.islands.renew()
        self.islands.advance(dt, self.gravity)
        self.state.pulls.arrive()
        self.rest_states.arrive()
        if self.rest_states.flow(self.positions, dt):
            self.islands.renew()

    def watch(self) -> None:
        """Note from the next step on how far bodies get, for :meth:`reach_of`."""
        self.islands.watch()

    def reach_of(self, *bodies: Body) -> list[tuple[NDArray[Any], NDArray[Any]]]:
        """Of each of some bodies how far it got in the last step, or could have.

        Returns:
            Lower and upper corner [m] of a box, shape (3,) each. A body whose box overlaps none of
            the others' would have moved to the byte as it did without these.

        Raises:
            ValueError: nobody watched the last step.
        """
        if not self.islands.watched:
            raise ValueError("Call watch() before the step, to know how far bodies get.")
        units = [self.islands.unit_of(body) for body in bodies]
        return [(self.islands.reach.low[unit], self.islands.reach.high[unit]) for unit in units]
