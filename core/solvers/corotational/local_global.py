# SPDX-License-Identifier: GPL-3.0-or-later
"""Co-rotational elasticity by local and global steps.

The energy of a tetrahedral body (Fukuhara et al., equations 1 to 3; with forces f that pull, and
with the constant that the paper leaves out)

    E(x, r) = Σ μ V ‖F(x) - R‖² - xᵀ f = xᵀ L x - 2 xᵀ J r + Σ 3 μ V - xᵀ f

is minimised in turn over the rotations r for fixed positions (local step: the rotation nearest to
F of every element) and over the positions for fixed rotations (global step: 2 L x = 2 J r + f,
with a matrix that never changes). Sorkine, Alexa 2007, "As-rigid-as-possible surface modeling";
Chao et al. 2010, "A simple geometric model for elastic deformations".

With masses and a time step h the kinetic term ½ (x - y)ᵀ M (x - y) / h², y = xⁿ + h vⁿ, is added,
whose minimum is the end of a step of implicit Euler.

L and J act on x, y, z alike: what is stored is an n × n matrix and an n × 3m matrix.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ...checks import finite, not_negative, spread
from ...constraints.corotational import CONSTRAINT
from ...errors import ModelError
from ...mesh.tetrahedra import TetrahedralBody
from ...native.compiled import native
from ...native.rows import aligned_rows
from ...vector.arithmetic import Scalar, Vector
from ...vector.elements import ElementKernel
from ...vector.specification import measuring
from .held_matrix import HeldMatrix, element_products
from .rotation_step import AllRotations, ElementRotations, LocalStep

Numbers = NDArray[np.float64]


def _norm(
    x: Sequence[Vector], _inverse_mass: Sequence[Scalar], rest: Sequence[Scalar]
) -> list[Scalar]:
    values, _ = CONSTRAINT.evaluate(x, rest)
    return values


STRAIN = measuring("corotational_strain", _norm, vertices=4, parameters=9, outputs=1)


class LocalGlobal:
    """A body that is brought to the minimum of its energy.

    Args:
        body: at rest.
        shear_modulus: μ [Pa], one or shape (m,).
        handles: vertices that are where they are told to be, as long as there are no masses at
            least one in every connected part.
        forces: on the vertices [N], one force or shape (n, 3).
        masses: of the vertices [kg], shape (n,); with them :meth:`advance` moves the body in time.
        time_step: h [s]; goes with the masses.
        local_step: how rotations are found.
        dtype: of rotations and positions, np.float32 or np.float64; the global step is solved in
            double precision in any case.

    Raises:
        ModelError: arrays don't fit, or a mass, modulus or time step is not positive.
        core.linear.NotPositiveDefinite: a part of the body is not held by anything.

    Attributes:
        positions: [m], a view of shape (n, 3); :meth:`start_from` sets them.
        velocities: [m/s], shape (n, 3); zero at rest, changed by :meth:`advance`.
        rotations: the local step, bound to the body.
    """

    def __init__(
        self,
        body: TetrahedralBody,
        shear_modulus: ArrayLike,
        *,
        handles: ArrayLike = (),
        forces: ArrayLike = 0.0,
        masses: ArrayLike | None = None,
        time_step: float | None = None,
        local_step: LocalStep | None = None,
        dtype: DTypeLike = np.float32,
    ) -> None:
        count = len(body.positions)
        moduli = not_negative(
            "Shear moduli", spread("Shear moduli", shear_modulus, body.volumes.shape)
        )
        self.body = body
        self.handles = _handles_of(handles, count)
        self.forces = spread("Forces", forces, (count, 3))
        self._inertia = _inertia_of(masses, time_step, count)
        self._time_step = time_step
        self._weights = moduli * body.volumes
        self._rows = aligned_rows(count, dtype)
        self.positions = self._rows[:, :3]
        self.positions[:] = body.positions
        self.velocities = np.zeros((count, 3))
        self._inertial = body.positions.copy()
        self.rotations: ElementRotations = (local_step or AllRotations()).bind(body, dtype)
        self._strain = ElementKernel(
            STRAIN, body.tetrahedra, body.inverse_edges.reshape(-1, 9), np.float64
        )
        self._assemble()

    def _assemble(self) -> None:
        """L and J of equation 2, each of their entries twice: 2 L x = 2 J r + f."""
        held = np.zeros(len(self.body.positions), bool)
        held[self.handles] = True
        every = np.arange(len(held))
        elastic = element_products(self.body, 2.0 * self._weights)
        parts = zip(elastic, (every, every, self._inertia), strict=True)
        rows, columns, values = (np.concatenate(pair) for pair in parts)
        self._matrix = HeldMatrix((rows, columns, values), held)
        corners = self.body.tetrahedra.ravel()
        order = np.argsort(corners, kind="stable")
        order = order[~held[corners[order]]]
        ends = np.searchsorted(corners[order], self._matrix.free, side="right")
        self._starts = np.concatenate([[0], ends])
        self._places = self.rotations.places[order // 4]
        gradients = self._weights[:, None, None] * self.body.gradients
        self._coefficients = 2.0 * gradients.reshape(-1, 3)[order]
        self._right = np.empty((len(self._matrix.free), 3))
        self._fixed_part()

    def start_from(self, positions: ArrayLike) -> None:
        """Put all vertices, the handles among them, at positions [m], shape (n, 3)."""
        self.positions[:] = finite("Positions", positions, columns=3)
        self._fixed_part()

    def move_handles(self, targets: ArrayLike) -> None:
        """Put the handles, in the order of ``self.handles``, at targets [m], shape (k, 3)."""
        self.positions[self.handles] = spread("Targets", targets, (len(self.handles), 3))
        self._fixed_part()

    def _fixed_part(self) -> None:
        """What of the global step's right-hand side does not depend on the rotations."""
        load = self.forces + self._inertia[:, None] * self._inertial
        self._constant = self._matrix.right_side(load, self.positions.astype(np.float64))

    def iterate(self, count: int = 1) -> None:
        """So many local and global steps."""
        for _ in range(count):
            self.local_step()
            self.global_step()

    def local_step(self) -> None:
        """The rotations of all elements for the positions as they are."""
        self.rotations.update(self._rows)

    def global_step(self) -> None:
        """The positions of least energy for the rotations as they are (equation 5)."""
        rotations = self.rotations
        _add_rotations(
            self._starts,
            self._places,
            rotations.stride,
            self._coefficients,
            rotations.outputs,
            self._constant,
            self._right,
        )
        self.positions[self._matrix.free] = self._matrix.solve(self._right)

    def advance(self, iterations: int) -> None:
        """One time step of implicit Euler, up to what so many iterations leave.

        Raises:
            ModelError: the body has no masses.
        """
        if self._time_step is None:
            raise ModelError("A body without masses and a time step doesn't move in time.")
        start = self.positions.astype(np.float64)
        self._inertial = start + self._time_step * self.velocities
        self._inertial[self.handles] = start[self.handles]
        self.positions[:] = self._inertial
        self._fixed_part()
        self.iterate(iterations)
        self.velocities = (self.positions - start) / self._time_step

    def energy(self) -> float:
        """E of equation 3 [J] at the positions, with every element's own nearest rotation.

        In the dynamic case with the kinetic term of the current step.
        """
        rows = aligned_rows(len(self._rows), np.float64)
        rows[:] = self._rows
        self._strain.run(rows)
        strains = self._strain.values[:, 0]
        x = rows[:, :3]
        kinetic = 0.5 * self._inertia @ ((x - self._inertial) ** 2).sum(axis=1)
        return float(self._weights @ strains**2 - np.sum(x * self.forces) + kinetic)


@native
def _add_rotations(starts, places, stride, coefficients, rotations, constant, result):  # type: ignore[no-untyped-def]
    """2 J r plus a constant, at every free vertex: a sum over its elements of 2 μ V R g."""
    for vertex in range(len(result)):
        x, y, z = constant[vertex, 0], constant[vertex, 1], constant[vertex, 2]
        for entry in range(starts[vertex], starts[vertex + 1]):
            place = places[entry]
            for k in range(3):
                factor = coefficients[entry, k]
                x += factor * rotations[place]
                y += factor * rotations[place + stride]
                z += factor * rotations[place + 2 * stride]
                place += 3 * stride
        result[vertex, 0], result[vertex, 1], result[vertex, 2] = x, y, z


def _handles_of(handles: ArrayLike, count: int) -> NDArray[np.int64]:
    chosen = np.array(handles, np.int64).reshape(-1)
    if len(chosen) and not 0 <= chosen.min() <= chosen.max() < count:
        raise ModelError(f"A handle refers to a vertex that doesn't exist: there are {count}.")
    if len(np.unique(chosen)) < len(chosen):
        raise ModelError("A handle is given twice.")
    return chosen


def _inertia_of(masses: ArrayLike | None, time_step: float | None, count: int) -> Numbers:
    """M / h², zero in the static case."""
    if (masses is None) != (time_step is None):
        raise ModelError("Masses and a time step go together: give both or none.")
    if masses is None or time_step is None:
        return np.zeros(count)
    weights = spread("Masses", masses, (count,))
    if not (0.0 < time_step < np.inf and np.all((weights > 0.0) & np.isfinite(weights))):
        raise ModelError("Masses and the time step must be positive and finite.")
    return np.asarray(weights / time_step**2)
