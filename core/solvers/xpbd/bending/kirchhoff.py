# SPDX-License-Identifier: GPL-3.0-or-later
"""A rod that is stretched, bent and twisted at once, linearised and eliminated link by link.

Kirchhoff's rod on a polygon (Bergou et al. 2008, "Discrete elastic rods"; Kugelstadt, Schömer 2016,
"Position and orientation based Cosserat rods"): each edge has a frame, its tangent t and a director
u across it. From one edge to the next the frame turns by a rotation vector r, which has the bend
across the strand and the twist along it; r̄ is that at rest, as the frames see it. The energy is

    ½ (r - r̄)ᵀ W (r - r̄),   W = B/l̄ (1 - T Tᵀ) + C/l̄ T Tᵀ,

with the flexural rigidity B, the torsional C, and T between both tangents. An edge turns by
δφ = t × δe / |e| + t δθ, and r changes by the difference of both δφ. That is a linear system for
all δx and spins δθ, eleven unknowns a bend, in which the edges' lengths stand with their own
stiffness: a coil is pulled long only by bending and twisting at once. Spins have next to no
inertia: twist is always at rest, so that there is no state but the frames.

What is linear is taken where the substep started. There the rod is as it should be, and where it
hangs still nothing is left to be moved, however stiff it is. Forces are exact; second derivatives
of r are left out (Gauss, Newton), but for the spin of what is straighter than it wants to be.

Written on scalars; :mod:`core.vector.recurrence` runs it on W rods at a time. Row i has the i-th
particle, the edge before it, and the bend at that edge's beginning. Eliminated in row i are the
particle of row i - 2 and the spin of the edge after that.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....vector.arithmetic import (
    Scalar,
    Vector,
    add,
    cross,
    dot,
    maximum,
    scale,
    sqrt,
    subtract,
)
from ....vector.specification import RecurrenceSpecification

MASS, SPIN, LENGTH, STRETCH, STRETCH_HELD, BEND, BEND_HELD, TWIST, TWIST_HELD, REST = range(10)
GIVEN = REST + 3
"""Of each row: the mass, and the inertia of the edge's spin, HELD of what can't move; the edge's
length at rest; h² times the stiffness of edge, bend and twist, each also with what it is damped by;
r̄ along u, t × u and t."""

HELD = 1e30

POINTS = 7
"""x at the substep's start, the way from there to x̃, and λ of the edge."""

FRAME = 6
"""u and t of the edge."""

UNKNOWNS, ELIMINATED = 11, 4
"""x and spin of the edge after it, twice, and x; how many of them are eliminated in a row."""

FRONT = UNKNOWNS - ELIMINATED

_LOWER = [(i, j) for j in range(ELIMINATED) for i in range(j + 1, UNKNOWNS)]
_LEFT = [(i, j) for i in range(FRONT) for j in range(i + 1)]

KEPT = len(_LOWER) + ELIMINATED + 1
"""L, D⁻¹ y, and h² times what pulls the edge short, less λ of the steps to come."""

OUTPUT = 4
"""The step of the row's particle, and λ of the edge."""

_EDGE = 16
AHEAD = _EDGE + len(_LEFT) + FRONT
"""Of the edge before: x at its end, its way, t, u, 1 / |e|, its turn towards x̃; the front."""

SHORTEST = 0.7
"""Part of its length at rest below which an edge is no shorter lever."""

FASTEST, BRAKE = 0.2, 30.0
"""Turn of a bend in a substep [rad] from which on it is braked, as a line is no turn; and how much
[1/rad], by its stiffness. Where whole curls are flung about in few substeps that keeps the rod in
one piece."""

FOLDED = 1e-6
"""Least of 1 + cosine between two directions."""

TINY = 1e-30

Matrix = list[list[Scalar]]


def eliminate(
    numbers: Sequence[Sequence[Scalar]], carried: Sequence[Scalar]
) -> tuple[list[list[Scalar]], list[Scalar]]:
    """On the way along: four rows of L D Lᵀ, and of the right side."""
    given, points, frame, _ = numbers
    before = carried[:_EDGE]
    edge, way = subtract(points[:3], before[:3]), subtract(points[3:6], before[3:6])
    square = dot(edge, edge)
    inverse = 1.0 / sqrt(maximum(square, TINY))
    length, t = square * inverse, scale(inverse, edge)
    inverse = 1.0 / maximum(maximum(length, SHORTEST * given[LENGTH]), TINY)
    u = transported(frame[:3], frame[3:], t)
    turn = scale(inverse, cross(t, way))
    matrix, right = _front(carried[_EDGE:], given)

    pull = given[STRETCH] * (length - given[LENGTH]) + given[STRETCH_HELD] * dot(t, way)
    one = before[6:9], before[9:12], before[12], before[13:]
    two = t, u, inverse, turn
    held = _held(given, subtract(turn, before[13:]))
    middle, moment, straighter = _moment_of(one, two, given, held)
    _add_forces(right, one, two, moment, pull + points[6])
    _add_stiffness(matrix, one, two, middle, given[STRETCH_HELD], held, straighter)
    kept, left = _eliminated(matrix, right)
    return [[], [], [*u, *t], [*kept, pull]], [*points[:6], *t, *u, inverse, *turn, *left]


def substitute(
    numbers: Sequence[Sequence[Scalar]], carried: Sequence[Scalar]
) -> tuple[list[list[Scalar]], list[Scalar]]:
    """On the way back: steps, λ of edges, and the spin of their frames.

    Args:
        numbers: given; nothing; frame; what :func:`eliminate` kept.
        carried: of the particle before, the edge's spin, and of the row's own particle.
    """
    given, _, frame, kept = numbers
    solution: list[Scalar] = [None] * ELIMINATED + list(carried)
    for j in reversed(range(ELIMINATED)):
        value = kept[len(_LOWER) + j]
        for place, (i, column) in enumerate(_LOWER):
            if column == j:
                value = value - kept[place] * solution[i]
        solution[j] = value
    u, t = frame[:3], frame[3:]
    spin, step_before, step = carried[3], carried[:3], carried[4:]
    pull = kept[-1] + given[STRETCH_HELD] * dot(t, subtract(step, step_before))
    # By Cayley's formula, which is a rotation however large the spin is.
    half = 0.5 * spin
    share = 1.0 / (1.0 + half * half)
    spun = add(scale(share * (1.0 - half * half), u), scale(share * spin, cross(t, u)))
    return [[], [], spun, [*step, -1.0 * pull]], solution[:FRONT]


def transported(u: Vector, before: Vector, now: Vector) -> list[Scalar]:
    """A director carried along without spin as its edge turns: parallel transport in time."""
    share = dot(u, now) / maximum(1.0 + dot(before, now), FOLDED)
    moved = subtract(u, scale(share, add(before, now)))
    across = subtract(moved, scale(dot(moved, now), now))
    return scale(1.0 / sqrt(maximum(dot(across, across), TINY)), across)


def turn_between(
    u: Vector, t: Vector, next_u: Vector, next_t: Vector
) -> tuple[list[Scalar], Scalar]:
    """The rotation from a frame to the next: sin ρ/2 times its axis, and cos ρ/2."""
    v, next_v = cross(t, u), cross(next_t, next_u)
    axis = add(cross(u, next_u), add(cross(v, next_v), cross(t, next_t)))
    trace = dot(u, next_u) + dot(v, next_v) + dot(t, next_t)
    cosine = 0.5 * sqrt(maximum(1.0 + trace, FOLDED))
    return scale(0.25 / cosine, axis), cosine


def series(square: Scalar) -> Scalar:
    """ρ/2 / sin ρ/2 of sin² ρ/2, to 0.1% up to a right angle."""
    return 1.0 + square * (1.0 / 6.0 + square * (3.0 / 40.0))


def _front(carried: Sequence[Scalar], given: Sequence[Scalar]) -> tuple[Matrix, list[Scalar]]:
    """The matrix, lower triangle, and the right side before anything of this row is added."""
    matrix: Matrix = [[0.0] * (i + 1) for i in range(UNKNOWNS)]
    for (i, j), value in zip(_LEFT, carried, strict=False):
        matrix[i][j] = value
    right = [*carried[len(_LEFT) :], *[0.0] * ELIMINATED]
    matrix[FRONT][FRONT] = given[SPIN]
    for k in range(FRONT + 1, UNKNOWNS):
        matrix[k][k] = given[MASS]
    return matrix, right


Edge = tuple[Vector, Vector, Scalar, Vector]
"""t, u, 1 / |e|, and how it turns towards x̃."""


def _held(given: Sequence[Scalar], turn: Vector) -> tuple[Scalar, Scalar]:
    """Stiffness of a bend and its twist with all that damps them.

    Args:
        turn: that the bend is about to make.
    """
    brake = BRAKE * maximum(sqrt(dot(turn, turn)) - FASTEST, 0.0)
    bend = given[BEND_HELD] + brake * given[BEND]
    return bend, given[TWIST_HELD] + brake * given[TWIST]


def _moment_of(
    a: Edge, b: Edge, given: Sequence[Scalar], held: tuple[Scalar, Scalar]
) -> tuple[Vector, Vector, Scalar]:
    """T; the moment that turns one edge towards the next; how much the spins of both are held.

    What is straighter than at rest would spin too far, as the bend itself hardly holds it.
    """
    (ta, ua, _, turn_a), (tb, ub, _, turn_b) = a, b
    half, cosine = turn_between(ua, ta, ub, tb)
    square = dot(half, half)
    ratio = series(square)
    found = scale(2.0 * ratio, half)
    # Both as seen from the middle between the frames: half of the rotation from the first.
    axis, part = scale(1.0 / sqrt(2.0 + 2.0 * cosine), half), sqrt(0.5 + 0.5 * cosine)
    rest = add(scale(given[REST], ua), scale(given[REST + 1], cross(ta, ua)))
    rest = _turned(add(rest, scale(given[REST + 2], ta)), axis, part)
    middle = _turned(ta, axis, part)

    moment = _weighed(given[BEND], given[TWIST], middle, subtract(found, rest))
    # The rotation vector's derivative: 1 along itself, ρ/2 / sin ρ/2 across.
    across = (1.0 / 6.0 + 3.0 / 40.0 * square) * dot(half, moment)
    moment = subtract(scale(ratio, moment), scale(across, half))
    turn = _weighed(*held, middle, subtract(turn_b, turn_a))
    bent, wanted = sqrt(dot(found, found)), sqrt(dot(rest, rest))
    straighter = 0.5 * held[0] * bent * maximum(wanted - bent, 0.0)
    return middle, add(moment, turn), straighter


def _weighed(bend: Scalar, twist: Scalar, along: Vector, a: Vector) -> list[Scalar]:
    """W times a vector."""
    return add(scale(bend, a), scale((twist - bend) * dot(along, a), along))


def _add_forces(right: list[Scalar], a: Edge, b: Edge, moment: Vector, pull: Scalar) -> None:
    """What moment and pull do to particles and spins."""
    (ta, _, inverse_a, _), (tb, _, inverse_b, _) = a, b
    one = scale(inverse_a, cross(moment, ta))
    two = add(scale(inverse_b, cross(moment, tb)), scale(pull, tb))
    for k in range(3):
        right[k] = right[k] - one[k]
        right[4 + k] = right[4 + k] + (one[k] + two[k])
        right[8 + k] = right[8 + k] - two[k]
    right[3] = right[3] + dot(ta, moment)
    right[7] = right[7] - dot(tb, moment)


def _add_stiffness(
    matrix: Matrix,
    a: Edge,
    b: Edge,
    middle: Vector,
    stretch: Scalar,
    held: tuple[Scalar, Scalar],
    straighter: Scalar,
) -> None:
    """Jᵀ W J of the bend, and of the length of the edge after it.

    With A = t × / |e| of both edges J is A, -t, -A - A', t', A'. Of W, W - B is D T Tᵀ. Where edges
    fold over each other T is not in the middle between them, but any T leaves it positive.
    """
    (ta, _, inverse_a, _), (tb, _, inverse_b, _) = a, b
    bend, twist = held
    more = twist - bend
    pa, pb = scale(inverse_a, cross(middle, ta)), scale(inverse_b, cross(middle, tb))
    cosine, share_a, share_b = dot(ta, tb), dot(middle, ta), dot(middle, tb)
    normal = cross(ta, tb)
    square_a, square_b = bend * inverse_a * inverse_a, bend * inverse_b * inverse_b
    aa = _sum(_outer(-1.0 * square_a, ta, ta), _outer(more, pa, pa), square_a)
    mixed = bend * inverse_a * inverse_b
    ab = _sum(_outer(-1.0 * mixed, tb, ta), _outer(more, pa, pb), mixed * cosine)
    bb = _sum(_outer(stretch - square_b, tb, tb), _outer(more, pb, pb), square_b)
    along_a, along_b = more * share_a, more * share_b
    a_ta, b_tb = scale(along_a, pa), scale(along_b, pb)
    b_ta = add(scale(along_a, pb), scale(bend * inverse_b, normal))
    a_tb = subtract(scale(along_b, pa), scale(bend * inverse_a, normal))

    def put(i: int, j: int, value: Scalar) -> None:
        matrix[i][j] = matrix[i][j] + value

    for i in range(3):
        for j in range(3):
            if j <= i:
                put(i, j, aa[i][j])
                put(4 + i, 4 + j, aa[i][j] + bb[i][j] + (ab[i][j] + ab[j][i]))
                put(8 + i, 8 + j, bb[i][j])
            put(4 + i, j, -1.0 * (aa[i][j] + ab[j][i]))
            put(8 + i, j, ab[j][i])
            put(8 + i, 4 + j, -1.0 * (ab[j][i] + bb[i][j]))
        put(3, i, -1.0 * a_ta[i])
        put(4 + i, 3, a_ta[i] + b_ta[i])
        put(7, i, a_tb[i])
        put(7, 4 + i, -1.0 * (a_tb[i] + b_tb[i]))
        put(8 + i, 3, -1.0 * b_ta[i])
        put(8 + i, 7, b_tb[i])
    put(3, 3, bend + along_a * share_a + straighter)
    put(7, 3, -1.0 * (bend * cosine + along_a * share_b))
    put(7, 7, bend + along_b * share_b + straighter)


def _outer(factor: Scalar, a: Vector, b: Vector) -> Matrix:
    """The matrix a bᵀ, so many times."""
    return [scale(p, b) for p in scale(factor, a)]


def _sum(a: Matrix, b: Matrix, diagonal: Scalar) -> Matrix:
    """The sum of two matrices and a multiple of that which changes nothing."""
    found = [add(p, q) for p, q in zip(a, b, strict=True)]
    for k in range(3):
        found[k][k] = found[k][k] + diagonal
    return found


def _turned(a: Vector, axis: Vector, cosine: Scalar) -> list[Scalar]:
    """A vector turned by a unit quaternion."""
    once = cross(axis, a)
    return add(a, scale(2.0, add(scale(cosine, once), cross(axis, once))))


def _eliminated(matrix: Matrix, right: list[Scalar]) -> tuple[list[Scalar], list[Scalar]]:
    """What the way back needs; the front that is left.

    Each number is finished before the next is begun, so that few are on the way at a time.
    """
    rows: Matrix = [[] for _ in range(UNKNOWNS)]
    lower: Matrix = [[] for _ in range(UNKNOWNS)]
    inverses: list[Scalar] = []

    def less(value: Scalar, i: int, j: int) -> Scalar:
        for p, q in zip(rows[i], lower[j], strict=False):
            value = value - p * q
        return value

    y: list[Scalar] = []
    for column in range(ELIMINATED):
        inverses.append(1.0 / maximum(less(matrix[column][column], column, column), TINY))
        y.append(_less_product(right[column], lower[column], y))
        for i in range(column + 1, UNKNOWNS):
            value = less(matrix[i][column], i, column)
            rows[i].append(value)
            lower[i].append(value * inverses[column])
    left = [
        less(matrix[ELIMINATED + i][ELIMINATED + j], ELIMINATED + i, ELIMINATED + j)
        for i, j in _LEFT
    ]
    rest = [_less_product(right[i], lower[i], y) for i in range(ELIMINATED, UNKNOWNS)]
    kept = [lower[i][j] for i, j in _LOWER]
    scaled = [inverse * value for inverse, value in zip(inverses, y, strict=True)]
    return [*kept, *scaled], [*left, *rest]


def _less_product(value: Scalar, a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    """A number less Σ a b, of as many as both have."""
    for p, q in zip(a, b, strict=False):
        value = value - p * q
    return value


ALONG = RecurrenceSpecification(
    name="kirchhoff_along",
    step=eliminate,
    sizes=(GIVEN, POINTS, FRAME, KEPT),
    reads=(True, True, True, False),
    carried=AHEAD,
    backward=False,
)

BACK = RecurrenceSpecification(
    name="kirchhoff_back",
    step=substitute,
    sizes=(GIVEN, POINTS, FRAME, KEPT),
    reads=(True, False, True, True),
    carried=FRONT,
    backward=True,
)
