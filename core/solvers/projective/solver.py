# SPDX-License-Identifier: GPL-3.0-or-later
"""Projective dynamics: implicit Euler by descending its energy with a constant matrix.

Liu et al. 2013, "Fast simulation of mass-spring systems"; Bouaziz et al. 2014, "Projective
dynamics"; both as the quasi-Newton method of Liu, Bouaziz, Kavan 2017, which needs of a constraint
no more than C and ∇C. Chebyshev acceleration: Wang 2015, "A Chebyshev semi-iterative approach for
accelerating projective and position-based dynamics".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ...layout.layout import Layout
from ...layout.program import Program
from ...linear import LinearSolver, solver_for
from ...native.barrier import new_barrier
from ...native.team import Team
from ...state import State
from ..common import projection
from ..common.base import Prepared, Solver, refuse_soft_bodies, refuse_stitches
from ..common.chebyshev import LARGEST_RADIUS
from ..common.integration import StepSettings
from . import elastic_force
from .constant_matrix import ConstantMatrix, jacobi_diagonal, row_sums
from .descent import (
    DescentArrays,
    advance,
    begin,
    finish,
    give_direction,
    new_arrays,
    run_jacobi,
    take_forces,
)
from .pace import Pace, first_pace

if TYPE_CHECKING:
    from ...model import Model

Method = Literal["direct", "jacobi"]

SYSTEMS = 4
"""Time steps whose matrices are kept."""


@dataclass(frozen=True)
class System:
    """The constant matrix for one time step.

    Attributes:
        inertia: M / h² [N/m], shape (n,).
        solver: of A; None for Jacobi's iteration.
        inverse: D⁻¹ of Jacobi's iteration, 1 with a matrix, shape (n,).
        radius: the spectral radius of the iteration.
    """

    inertia: NDArray[np.float64]
    solver: LinearSolver | None
    inverse: NDArray[np.float64]
    radius: float


@dataclass
class PreparedProjectiveDynamics(Prepared):
    """Beside the sweep that adds up forces:

    Attributes:
        limits: the sweep of inequality constraints.
        matrix: A for any time step.
        work: memory of the iteration.
        right: -∇E as the solver wants it, shape (n, 3).
        systems: by the length of a substep [s].
        system: that of this step.
    """

    limits: Program
    matrix: ConstantMatrix
    work: DescentArrays
    right: NDArray[np.float64]
    systems: dict[float, System] = field(default_factory=dict)
    system: System | None = None


class ProjectiveDynamics(Solver[PreparedProjectiveDynamics]):
    """Projective dynamics on constraints of finite stiffness.

    Each iteration brings the whole mesh nearer to the exact step of implicit Euler, so that stiff
    cloth needs no small substeps; compliance keeps its meaning.

    Args:
        substeps: parts into which a step is divided.
        iterations: in each substep.
        method: ``"direct"``: the constant matrix is factored once and solved with in each
            iteration; ``"jacobi"``: only its diagonal is used, which needs many more but cheap
            iterations.
        chebyshev: accelerate the iterations.
        threads: how many share a step of the method "jacobi"; by default as many as pay off. The
            result is the same.

    Raises:
        ValueError: an option is out of its range.
    """

    def __init__(
        self,
        *,
        substeps: int = 1,
        iterations: int = 10,
        method: Method = "direct",
        chebyshev: bool = False,
        threads: int | None = None,
    ) -> None:
        super().__init__(substeps, iterations, threads)
        if method not in get_args(Method):
            raise ValueError(f"'{method}' is no method; there are {get_args(Method)}.")
        self.method = method
        self.chebyshev = chebyshev

    def prepare(
        self, model: Model, _earlier: PreparedProjectiveDynamics | None = None
    ) -> PreparedProjectiveDynamics:
        """The model's constraints laid out, and the matrix assembled.

        Raises:
            ModelError: a constraint is infinitely stiff, or of a kind that the method can't take.
        """
        refuse_soft_bodies(model, "Projective dynamics")
        refuse_stitches(model.groups)
        groups, count = model.groups, model.particle_count
        limits = [group.constraint.inequality for group in groups]
        elastic = [not limit for limit in limits]
        energies = [group for group in groups if not group.constraint.inequality]
        matrix = ConstantMatrix(energies, model.rest_positions, model.masses, model.owner_of)
        layout = Layout(groups, count, model.dtype)
        return PreparedProjectiveDynamics(
            model.version,
            layout,
            layout.program(elastic_force.specification, only=elastic),
            layout.program(projection.specification, only=limits),
            matrix,
            new_arrays(count, model.dtype),
            np.empty((count, 3)),
        )

    def begin(self, prepared: PreparedProjectiveDynamics, _state: State, span: float) -> None:
        """Put the matrix for substeps of this span where native code reads it."""
        prepared.system = self._system(prepared, span)
        _load(prepared.work, prepared.system)
        prepared.program.multipliers[:] = 0.0

    def solve(
        self, prepared: PreparedProjectiveDynamics, state: State, settings: StepSettings
    ) -> int:
        """The substeps, each a descent from the prediction."""
        assert prepared.system is not None
        radius = min(prepared.system.radius, LARGEST_RADIUS) if self.chebyshev else 0.0
        pace = first_pace(radius, self.method == "direct", self.iterations)
        descent = (prepared.program, prepared.limits, prepared.work)
        if prepared.system.solver is not None:
            return _run_direct(prepared, prepared.system.solver, state, settings, pace)
        return self.run(run_jacobi, prepared, state, settings, *descent, pace)

    def residual(self, prepared: PreparedProjectiveDynamics, state: State) -> float:
        """The largest movement [m] of the last iteration; a further one goes less far."""
        if state.span == 0.0:
            return 0.0
        movement = prepared.work.direction[: state.count, :3]
        return float(np.linalg.norm(movement, axis=1).max(initial=0.0))

    def _system(self, prepared: PreparedProjectiveDynamics, h: float) -> System:
        """The matrix for substeps of h [s], factored when h is new."""
        if h not in prepared.systems:
            while len(prepared.systems) >= SYSTEMS:
                del prepared.systems[next(iter(prepared.systems))]
            prepared.systems[h] = self._new_system(prepared.matrix, h)
        return prepared.systems[h]

    def _new_system(self, constant: ConstantMatrix, h: float) -> System:
        matrix, inertia = constant.matrix(h), constant.inertia(h)
        if self.method == "direct":
            radius = constant.radius(h, row_sums(matrix))
            return System(inertia, solver_for(matrix), np.ones(matrix.size), radius)
        diagonal = jacobi_diagonal(matrix, inertia)
        return System(inertia, None, 1.0 / diagonal, constant.radius(h, diagonal))


def _load(work: DescentArrays, system: System) -> None:
    """Put the numbers of a time step where native code reads them."""
    free = system.inertia > 0.0
    work.inertia[: len(free), :3] = system.inertia[:, None]
    work.inertia[: len(free), 3] = free
    work.inverse[: len(free), :3] = np.where(free, system.inverse, 0.0)[:, None]


def _run_direct(
    prepared: PreparedProjectiveDynamics,
    solver: LinearSolver,
    state: State,
    settings: StepSettings,
    start: Pace,
) -> int:
    """Substeps whose directions come from the factored matrix; see ``Solver.solve``."""
    work, right, program = prepared.work, prepared.right, prepared.program
    surroundings = (state.arrays, state.contact.arrays, settings)
    alone = Team(new_barrier(), 0, 1)
    for substep in range(settings.first, settings.substeps):
        pace = start
        if substep > settings.first or not settings.resumed:
            begin(*surroundings, program, work, substep, alone)
            for _ in range(settings.iterations):
                take_forces(work, right)
                give_direction(work, solver.solve(right))
                pace = advance(*surroundings, program, work, pace, False, alone)
        if not finish(*surroundings, prepared.limits, work, substep, alone):
            return substep
    return settings.substeps
