# SPDX-License-Identifier: GPL-3.0-or-later
"""What a constraint type offers, and so what a file of this folder must hold.

A constraint type is one :class:`Constraint` at module level. Its ``evaluate`` is the mathematics,
written once on scalars (:mod:`core.vector.arithmetic`): tests differentiate it in double precision,
solvers trace it to vector code.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..vector.arithmetic import Scalar, Vector

Values = list[Scalar]
"""C, one scalar a component."""

Gradients = list[list[list[Scalar]]]
"""∇C: [component][vertex] → a vector of three."""

Evaluate = Callable[[Sequence[Vector], Sequence[Scalar]], tuple[Values, Gradients]]
MeasureRest = Callable[[NDArray[np.float64]], NDArray[np.float64]]
Reshape = Callable[
    [NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]
]
Flow = Callable[
    [NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]],
    NDArray[np.float64],
]
Check = Callable[[NDArray[np.int64], NDArray[np.float64]], None]
Stretch = Callable[[Values, Sequence[Scalar]], Scalar]
Products = Callable[[Sequence[Vector], Sequence[Scalar], Sequence[Scalar]], list[list[Scalar]]]
Sizes = Callable[[NDArray[np.float64]], tuple[NDArray[np.float64], NDArray[np.float64]]]
Coefficients = Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]


@dataclass(frozen=True)
class Constraint:
    """A constraint type C(x) = 0 with m components over a fixed number of particles.

    Attributes:
        kind: the name by which models and users call it.
        vertices: particles of one constraint.
        components: m; 1 for a scalar constraint, else a vector with block compliance.
        rest_size: numbers that describe the rest state of one constraint.
        evaluate: ``(x, rest) -> (C, ∇C)`` on scalars; x is a list of vertices.
        measure_rest: positions, shape (count, vertices, 3) → rest, shape (count, rest_size),
            such that C = 0 there.
        order: sweep order within an iteration, low first; what must hold best comes last.
        inequality: whether it is a limit, C = 0 inside its bounds. Limits have no compliance; every
            solver projects them after the other constraints.
        summed: whether all elements of a group are one constraint C = Σ Cₑ with one multiplier, as
            the volume inside of a surface; ``evaluate`` is then the share of an element.
        check: ``(indices, points)``, shapes (count, vertices) and (count, vertices, 3): raises
            ModelError where the constraints of a group don't go together.
        products: ``(x, rest, M⁻¹) -> ∇C M⁻¹ ∇Cᵀ``, its lower triangle, where that is simpler than
            from ∇C; M⁻¹ is one number a vertex. None: from ∇C.
        pull: ``(x, rest, λ) -> ∇Cᵀ λ``, a vector a vertex, where that is simpler than from ∇C.
        only_xpbd: whether the other solvers refuse it, as those of soft bodies. Of these C need not
            be zero at rest: forces of components that belong together may balance each other.
        reshape: ``(rest, before, now)`` → rest, shape (count, rest_size), where the rest shape of
            the corners changes from one to the other, shape (count, vertices, 3) each: lengths and
            angles in proportion to what they were given. None where the shape does not matter.
        carry: ``(rest, before, now)``, shape (count, rest_size) each → what has become of now if
            rest has become of before; where rest states change that ``reshape`` gives.
        flow: ``(rest, points, limit, share)``, shapes (count, rest_size), (count, vertices, 3) and
            (count,) → rest, where of the strain or angle beyond a limit a share becomes rest.
        coefficients: for projective dynamics, where ∇C vanishes or jumps at rest:
            (positions (count, vertices, 3), rest) → q sums c of positions, shape (count, q,
            vertices), such that ½ Σ |Σ c x|² / α is about as stiff as the energy ½ C² / α.
        stretch: ``(C, rest)`` → the part of its length by which C makes the material longer; None
            where C is no matter of lengths.
        sizes: of those with a ``stretch``, rest, shape (count, rest_size) → the length [m], area
            [m²] or volume [m³] that each constraint holds and the least of its widths [m], both of
            shape (count,).
    """

    kind: str
    vertices: int
    components: int
    rest_size: int
    evaluate: Evaluate
    measure_rest: MeasureRest
    order: int
    inequality: bool = False
    summed: bool = False
    check: Check | None = None
    products: Products | None = None
    pull: Products | None = None
    only_xpbd: bool = False
    reshape: Reshape | None = None
    carry: Reshape | None = None
    flow: Flow | None = None
    coefficients: Coefficients | None = None
    stretch: Stretch | None = None
    sizes: Sizes | None = None

    @property
    def compliance_size(self) -> int:
        """Numbers of the compliance α: the lower triangle of an m × m symmetric block."""
        return self.components * (self.components + 1) // 2
