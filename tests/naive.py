# SPDX-License-Identifier: GPL-3.0-or-later
"""Slow and obvious references in double precision, against which tests hold the core.

Written from the papers with loops and dense matrices; nothing here is shared with what it checks,
except where a reference is told to use a constraint body of the core (:func:`from_registry`).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from naive_chains import chain_steps
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

Evaluate = Callable[[Array], tuple[Array, Array]]
"""Points (k, 3) → C (m,), ∇C (m, k, 3)."""


@dataclass
class NaiveConstraint:
    """C(x) = 0 over some particles, with α (m, m) and the damping time αβ (m,) [s].

    ``chain``: the particles one after the other, where the parts are the links of a chain.
    """

    evaluate: Evaluate
    indices: list[int]
    compliance: Array
    damping: Array
    chain: list[int] = field(default_factory=list)


# --- constraint functions, straight from their definitions ---------------------------------------


def distance(points: Array, rest: Array) -> Array:
    """|x₁ - x₀| - L."""
    return np.array([np.linalg.norm(points[1] - points[0]) - rest[0]])


def bending(points: Array, rest: Array) -> Array:
    """The angle by which the second triangle is folded about the edge x₀ x₁, from flat."""
    axis = (points[1] - points[0]) / np.linalg.norm(points[1] - points[0])
    arms = [arm - axis * (axis @ arm) for arm in points[2:] - points[0]]
    a, b = (arm / np.linalg.norm(arm) for arm in arms)
    angle = np.arctan2(np.cross(-a, b) @ axis, -a @ b) - rest[0]
    return np.array([(angle + np.pi) % (2 * np.pi) - np.pi])


def strain(points: Array, rest: Array) -> Array:
    """Green's strain ½ (FᵀF - 1), as (ε_x, ε_y, ε_xy)."""
    edges = np.stack([points[1] - points[0], points[2] - points[0]], axis=1)
    F = edges @ np.array(rest).reshape(2, 2)
    green = 0.5 * (F.T @ F - np.eye(2))
    return np.array([green[0, 0], green[1, 1], green[0, 1]])


def angle(points: Array, rest: Array) -> Array:
    """The angle by which a strand turns at its middle point, from straight on."""
    before, after = points[1] - points[0], points[2] - points[1]
    return np.array([np.arctan2(np.linalg.norm(np.cross(before, after)), before @ after) - rest[0]])


def stretch_limit(points: Array, rest: Array) -> Array:
    """How far the length is outside of its limits."""
    length = np.linalg.norm(points[1] - points[0])
    return np.array([length - np.clip(length, rest[1] * rest[0], rest[2] * rest[0])])


def strain_limit(points: Array, rest: Array) -> Array:
    """How far the singular values of F are outside of their limits, the larger one first."""
    edges = np.stack([points[1] - points[0], points[2] - points[0]], axis=1)
    values = np.linalg.svd(edges @ np.array(rest[:4]).reshape(2, 2), compute_uv=False)
    return np.asarray(values - np.clip(values, rest[4], rest[5]))


def volume(points: Array, rest: Array) -> Array:
    """The signed volume of the tetrahedron of a triangle and the origin."""
    return np.array([np.dot(points[0], np.cross(points[1], points[2])) / 6.0 - rest[0]])


def nearest_rotation(F: Array) -> Array:
    """The proper rotation R with the largest tr(RᵀF), by singular values."""
    U, _, V = np.linalg.svd(F)
    return U @ np.diag([1.0, 1.0, np.sign(np.linalg.det(U @ V))]) @ V


def corotational(points: Array, rest: Array) -> Array:
    """‖F - R‖ of a tetrahedron."""
    F = (points[1:] - points[0]).T @ np.array(rest).reshape(3, 3)
    return np.array([np.linalg.norm(F - nearest_rotation(F))])


FUNCTIONS: dict[str, Callable[[Array, Array], Array]] = {
    "angle": angle,
    "corotational": corotational,
    "distance": distance,
    "bending": bending,
    "strain": strain,
    "strain_limit": strain_limit,
    "stretch_limit": stretch_limit,
    "volume": volume,
}


def differentiate(function: Callable[[Array], Array], points: Array, step: float = 1e-6) -> Array:
    """∇C by central differences, shape (m, k, 3)."""
    columns = []
    for place in np.ndindex(*points.shape):
        ahead, behind = points.copy(), points.copy()
        ahead[place] += step
        behind[place] -= step
        columns.append((function(ahead) - function(behind)) / (2.0 * step))
    return np.stack(columns, axis=-1).reshape(-1, *points.shape)


def evaluate_body(constraint: Any, points: ArrayLike, rest: ArrayLike) -> tuple[Array, Array]:
    """The constraint body of the core as plain Python on floats."""
    values, gradients = constraint.evaluate(
        np.asarray(points, np.float64).tolist(), np.asarray(rest, np.float64).tolist()
    )
    return np.array(values), np.array(gradients)


def from_registry(
    constraint: Any,
    indices: Sequence[int],
    rest: Array,
    compliance: ArrayLike,
    damping: ArrayLike = 0.0,
) -> NaiveConstraint:
    """A constraint type of the core; ``compliance`` is α, a number or a block."""
    size = constraint.components
    block = np.asarray(compliance, np.float64)
    return NaiveConstraint(
        lambda points: evaluate_body(constraint, points, rest),
        [int(index) for index in indices],
        block if block.ndim == 2 else float(block) * np.eye(size),
        np.broadcast_to(np.asarray(damping, np.float64), (size,)),
    )


def summed(group: Any) -> NaiveConstraint:
    """A group of the core that is one constraint: all its particles, C and ∇C added up."""
    particles = sorted({int(particle) for particle in group.indices.ravel()})
    place = {particle: i for i, particle in enumerate(particles)}

    def evaluate(points: Array) -> tuple[Array, Array]:
        C, gradient = np.zeros(1), np.zeros((1, len(particles), 3))
        for corners, rest in zip(group.indices.tolist(), group.rest, strict=True):
            local = [place[corner] for corner in corners]
            share, part = evaluate_body(group.constraint, points[local], rest)
            C += share
            gradient[:, local] += part
        return C, gradient

    return NaiveConstraint(evaluate, particles, group.compliance[:1], group.damping[0])


def block_of(lower_triangle: Sequence[float]) -> Array:
    """The symmetric matrix of a lower triangle, row by row."""
    size = next(m for m in range(1, 20) if m * (m + 1) // 2 == len(lower_triangle))
    values = iter(lower_triangle)
    block = np.zeros((size, size))
    for row in range(size):
        for column in range(row + 1):
            block[row, column] = block[column, row] = next(values)
    return block


def constraints_of(groups: Sequence[Any], slots: Sequence[NDArray[np.int64]]) -> list[Any]:
    """A model's constraints as (λ's places, NaiveConstraint), in the order of the program's λ.

    That order is the order of its batches; within a batch, where constraints share no particle,
    the order does not matter.
    """
    listed = []
    for group, places in zip(groups, slots, strict=True):
        if group.constraint.summed:
            listed.append((places[0], summed(group)))
            continue
        for i in range(len(group.indices)):
            reference = from_registry(
                group.constraint,
                group.indices[i],
                group.rest[i],
                block_of(group.compliance[i]),
                group.damping[i],
            )
            listed.append((places[i], reference))
    return sorted(listed, key=lambda pair: int(pair[0][0]))


def blocks_of(groups: Sequence[Any], slots: Sequence[NDArray[np.int64]]) -> list[Any]:
    """As :func:`constraints_of`, with the links of each chain as one constraint of many parts."""
    blocks = []
    for group, places in zip(groups, slots, strict=True):
        if group.chains is None:
            blocks += constraints_of([group], [places])
            continue
        starts, vertices = group.chains.starts, group.chains.vertices
        for c, (first, last) in enumerate(itertools.pairwise(starts.tolist())):
            chain = group.chains.links[first:last]
            parts = [
                from_registry(
                    group.constraint,
                    group.indices[i],
                    group.rest[i],
                    block_of(group.compliance[i]),
                    group.damping[i],
                )
                for i in chain
            ]
            along = vertices[first + c : last + c + 1].tolist()
            blocks.append((places[chain, 0], joined(parts, along)))
    return sorted(blocks, key=lambda pair: int(pair[0][0]))


def joined(parts: Sequence[NaiveConstraint], chain: list[int]) -> NaiveConstraint:
    """The links of a chain as one vector constraint over all their particles."""
    particles = sorted({index for part in parts for index in part.indices})
    places = [[particles.index(index) for index in part.indices] for part in parts]

    def evaluate(points: Array) -> tuple[Array, Array]:
        values, gradients = np.zeros(len(parts)), np.zeros((len(parts), *points.shape))
        for row, (part, place) in enumerate(zip(parts, places, strict=True)):
            values[row : row + 1], gradients[row, place] = part.evaluate(points[place])
        return values, gradients

    return NaiveConstraint(
        evaluate,
        particles,
        np.diag([part.compliance[0, 0] for part in parts]),
        np.array([part.damping[0] for part in parts]),
        chain,
    )


# --- XPBD, Algorithm 1 ----------------------------------------------------------------------------


def project(
    constraint: NaiveConstraint, x: Array, start: Array, w: Array, multiplier: Array, dt: float
) -> None:
    """Equations 17 and 25: changes x and λ in place."""
    C, gradient = constraint.evaluate(x[constraint.indices])
    size = len(C)
    J = gradient.reshape(size, -1)
    W = np.repeat(w[constraint.indices], 3)
    gamma = np.diag(constraint.damping / dt)
    alpha = constraint.compliance / dt**2
    moved = (x[constraint.indices] - start[constraint.indices]).ravel()
    matrix = (np.eye(size) + gamma) @ (J * W) @ J.T + alpha
    residual = C + alpha @ multiplier + gamma @ J @ moved
    change = np.linalg.lstsq(matrix, -residual, rcond=1e-12)[0]
    multiplier += change
    forces = (J.T @ change).reshape(-1, 3)
    if constraint.chain:
        along = constraint.chain
        order = [constraint.indices.index(particle) for particle in along]
        x[along] += chain_steps(x[along], w[along], forces[order], multiplier)
    else:
        x[constraint.indices] += w[constraint.indices][:, None] * forces


def xpbd_step(
    x: Array,
    v: Array,
    w: Array,
    constraints: Iterable[NaiveConstraint],
    dt: float,
    *,
    gravity: ArrayLike = (0.0, 0.0, 0.0),
    iterations: int = 1,
    kinematic: dict[int, Array] | None = None,
) -> tuple[Array, Array, list[Array]]:
    """One step of Algorithm 1; ``kinematic`` gives where particles with w = 0 are afterwards."""
    constraints = list(constraints)
    start = x.copy()
    free = w > 0.0
    x = x.copy()
    x[free] += dt * v[free] + dt**2 * np.asarray(gravity)
    for particle, target in (kinematic or {}).items():
        x[particle] = target
    multipliers = [np.zeros(len(c.compliance)) for c in constraints]
    for _ in range(iterations):
        for constraint, multiplier in zip(constraints, multipliers, strict=True):
            project(constraint, x, start, w, multiplier, dt)
    return x, (x - start) / dt, multipliers


# --- constrained dynamics, GAMES103 lecture 6 -----------------------------------------------------


def schur_system(
    x: Array,
    start: Array,
    w: Array,
    multipliers: Sequence[Array],
    constraints: Sequence[NaiveConstraint],
    dt: float,
) -> tuple[Array, Array, Array]:
    """Dense S and h of equations 16 and 25, and ∇C, shape (rows, 3n).

    Where constraints are damped, their rows are divided by 1 + γ: S is symmetric.
    """
    rows = sum(len(c.compliance) for c in constraints)
    J, h, compliance = np.zeros((rows, x.size)), np.zeros(rows), np.zeros((rows, rows))
    first = 0
    for constraint, multiplier in zip(constraints, multipliers, strict=True):
        C, gradient = constraint.evaluate(x[constraint.indices])
        part = slice(first, first := first + len(C))
        place = (3 * np.array(constraint.indices)[:, None] + np.arange(3)).ravel()
        J[part, place] = gradient.reshape(len(C), -1)
        gamma = constraint.damping / dt
        alpha = constraint.compliance / dt**2
        h[part] = (C + alpha @ multiplier + gamma * (J[part] @ (x - start).ravel())) / (1 + gamma)
        compliance[part, part] = alpha / (1 + gamma)[:, None]
    return (J * np.repeat(w, 3)) @ J.T + compliance, h, J


def constrained_step(
    x: Array,
    v: Array,
    w: Array,
    constraints: Sequence[NaiveConstraint],
    dt: float,
    *,
    gravity: ArrayLike = (0.0, 0.0, 0.0),
    iterations: int = 1,
    refined: bool = True,
) -> tuple[Array, Array, list[Array]]:
    """One step with dense solves at the level of positions.

    Args:
        refined: let each matrix serve twice (Shamanskii), as the core does.
    """
    start, x = x, x.copy()
    x[w > 0.0] += (dt * v + dt**2 * np.asarray(gravity))[w > 0.0]
    multipliers = [np.zeros(len(c.compliance)) for c in constraints]
    for _ in range(iterations):
        S, h, J = schur_system(x, start, w, multipliers, constraints, dt)
        for again in range(1 + refined):
            if again:
                _, h, J = schur_system(x, start, w, multipliers, constraints, dt)
            change = np.linalg.lstsq(S, -h, rcond=1e-12)[0]
            x = x + (np.repeat(w, 3) * (J.T @ change)).reshape(-1, 3)
            ends = np.cumsum([len(c.compliance) for c in constraints])
            parts = np.split(change, ends[:-1])
            multipliers = [a + b for a, b in zip(multipliers, parts, strict=True)]
    return x, (x - start) / dt, multipliers


def velocity_level_step(
    x: Array,
    v: Array,
    w: Array,
    constraints: Sequence[NaiveConstraint],
    dt: float,
    *,
    gravity: ArrayLike = (0.0, 0.0, 0.0),
) -> tuple[Array, Array]:
    """The system that the lecture prints (its second row with J for Jᵀ), eliminated for λ.

    M v' - Δt Jᵀ λ = M v and Δt J v' + C λ = -φ, with φ, J at the start of the step.
    """
    rows = [np.zeros(len(c.compliance)) for c in constraints]
    S, phi, J = schur_system(x, x, w, rows, constraints, dt)
    v = v.copy()
    v[w > 0.0] += dt * np.asarray(gravity)
    impulse = np.linalg.solve(S, -(phi / dt + J @ v.ravel()))
    v += (np.repeat(w, 3) * (J.T @ impulse)).reshape(-1, 3)
    return x + dt * v, v


# --- implicit Euler by Newton ---------------------------------------------------------------------


def implicit_euler_step(
    x: Array,
    v: Array,
    w: Array,
    constraints: Sequence[NaiveConstraint],
    dt: float,
    *,
    gravity: ArrayLike = (0.0, 0.0, 0.0),
    tolerance: float = 1e-12,
) -> tuple[Array, Array, list[Array]]:
    """Solve equations 8 and 24 exactly (9 without damping), geometric stiffness included."""
    free = np.repeat(w > 0.0, 3)
    masses = np.repeat(np.where(w > 0.0, 1.0 / np.where(w > 0.0, w, 1.0), 1.0), 3)
    inertial = (x + dt * v + dt**2 * np.asarray(gravity)).ravel()
    inertial[~free] = x.ravel()[~free]
    sizes = [len(c.compliance) for c in constraints]
    ends = np.cumsum(sizes)
    y, multipliers = inertial.copy(), np.zeros(sum(sizes))
    unknown = np.concatenate([free, np.ones(sum(sizes), bool)])
    for _ in range(60):
        g, h, matrix = _newton_system(y, x, masses, inertial, multipliers, constraints, ends, dt)
        change = np.zeros(len(unknown))
        residual = np.concatenate([g, h])[unknown]
        change[unknown] = np.linalg.solve(matrix[np.ix_(unknown, unknown)], -residual)
        y += change[: len(y)]
        multipliers += change[len(y) :]
        if np.abs(change[: len(y)]).max() < tolerance:
            end = y.reshape(-1, 3)
            return end, (end - x) / dt, np.split(multipliers, ends[:-1])
    raise ArithmeticError("Newton's method did not converge")


def _newton_system(
    y: Array,
    x: Array,
    masses: Array,
    inertial: Array,
    multipliers: Array,
    constraints: Sequence[NaiveConstraint],
    ends: NDArray[np.int64],
    dt: float,
) -> tuple[Array, Array, Array]:
    """g, h and their Jacobian (equation 12 with the full K) at positions y, flat."""
    points, n = y.reshape(-1, 3), len(y)
    g, h = masses * (y - inertial), np.empty(len(multipliers))
    matrix = np.zeros((n + len(multipliers), n + len(multipliers)))
    matrix[:n, :n] = np.diag(masses)
    for constraint, end in zip(constraints, ends, strict=True):
        rows = slice(end - len(constraint.compliance), end)
        place = (3 * np.array(constraint.indices)[:, None] + np.arange(3)).ravel()
        alpha, gamma = constraint.compliance / dt**2, constraint.damping / dt
        start = x[constraint.indices]
        force = multipliers[rows]

        def local(flat: Array, c: Any = constraint, s: Array = start, l: Array = force) -> Array:
            """∇Cᵀ λ and C + γ ∇C (x - xⁿ), one after the other."""
            C, gradient = c.evaluate(flat.reshape(-1, 3))
            J = gradient.reshape(len(C), -1)
            return np.concatenate([J.T @ l, C + c.damping / dt * (J @ (flat - s.ravel()))])

        here = points[constraint.indices].ravel()
        C, gradient = constraint.evaluate(here.reshape(-1, 3))
        J = gradient.reshape(len(C), -1)
        slope = differentiate(local, here).reshape(-1, len(here))
        g[place] -= J.T @ force
        h[rows] = C + alpha @ force + gamma * (J @ (here - start.ravel()))
        matrix[np.ix_(place, place)] -= slope[: len(here)]
        matrix[place, n + rows.start : n + rows.stop] -= J.T
        matrix[n + rows.start : n + rows.stop, place] += slope[len(here) :]
        matrix[n + rows.start : n + rows.stop, n + rows.start : n + rows.stop] += alpha
    return g, h, matrix


# --- implicit Euler of springs --------------------------------------------------------------------


def spring_step(
    x: Array,
    v: Array,
    masses: Array,
    springs: NDArray[np.integer],
    rest: Array,
    stiffness: Array,
    dt: float,
    *,
    gravity: ArrayLike = (0.0, 0.0, 0.0),
    tolerance: float = 1e-13,
) -> tuple[Array, list[float]]:
    """The end of a step: the minimum of ½ ‖y - x̃‖²_M / dt² + Σ ½ k (l - L)², by Newton's method.

    Without the part of the stiffness that is negative in compression until the gradient is small,
    and with backtracking. Returns the positions and E of each iteration.
    """
    free = np.isfinite(masses)
    inertia = np.where(free, masses, 0.0)[:, None] / dt**2
    y = np.where(free[:, None], x + dt * v + dt**2 * np.asarray(gravity), x)
    inertial, energies = y, []
    for _ in range(300):
        energies.append(spring_energy(y, inertial, inertia, springs, rest, stiffness))
        near = len(energies) > 1 and energies[-2] - energies[-1] < 1e-6 * energies[-1]
        force, H = spring_system(y, inertial, inertia, springs, rest, stiffness, exact=near)
        change = np.zeros_like(y)
        place = np.repeat(free, 3)
        change[free] = np.linalg.solve(H[np.ix_(place, place)], force[free].ravel()).reshape(-1, 3)
        if np.abs(change).max() < tolerance:
            return y, energies
        size = 1.0
        while size > 1e-9 and energies[-1] * (1 + 1e-14) < spring_energy(
            y + size * change, inertial, inertia, springs, rest, stiffness
        ):
            size *= 0.5
        y = y + size * change
    raise ArithmeticError("Newton's method did not converge")


def spring_energy(
    y: Array,
    inertial: Array,
    inertia: Array,
    springs: NDArray[np.integer],
    rest: Array,
    stiffness: Array,
) -> float:
    """½ ‖y - x̃‖² weighted by inertia (n, 1), and ½ k (l - L)² of all springs."""
    lengths = np.linalg.norm(y[springs[:, 1]] - y[springs[:, 0]], axis=1)
    kinetic = 0.5 * float((inertia * (y - inertial) ** 2).sum())
    return kinetic + 0.5 * float((stiffness * (lengths - rest) ** 2).sum())


def spring_system(
    y: Array,
    inertial: Array,
    inertia: Array,
    springs: NDArray[np.integer],
    rest: Array,
    stiffness: Array,
    exact: bool,
) -> tuple[Array, Array]:
    """-∇E (n, 3) and ∇²E (3n, 3n); if not exact without what is negative in compression."""
    n = len(y)
    apart = y[springs[:, 1]] - y[springs[:, 0]]
    lengths = np.linalg.norm(apart, axis=1)
    along = apart / lengths[:, None]
    pull = (stiffness * (lengths - rest))[:, None] * along
    force = -inertia * (y - inertial)
    np.add.at(force, springs[:, 0], pull)
    np.add.at(force, springs[:, 1], -pull)
    across = 1.0 - rest / lengths
    across = across if exact else np.maximum(across, 0.0)
    outer = along[:, :, None] * along[:, None, :]
    blocks = stiffness[:, None, None] * (outer + across[:, None, None] * (np.eye(3) - outer))
    H = np.zeros((n, n, 3, 3))
    for first, second, sign in ((0, 0, 1), (1, 1, 1), (0, 1, -1), (1, 0, -1)):
        np.add.at(H, (springs[:, first], springs[:, second]), sign * blocks)
    H[np.arange(n), np.arange(n)] += inertia[:, :, None] * np.eye(3)
    return force, H.transpose(0, 2, 1, 3).reshape(3 * n, 3 * n)


# --- energy and linear statics --------------------------------------------------------------------


def elastic_energy(constraints: Iterable[NaiveConstraint], x: Array) -> float:
    """Σ ½ Cᵀ α⁻¹ C (equation 5)."""
    energy = 0.0
    for constraint in constraints:
        C, _ = constraint.evaluate(x[constraint.indices])
        energy += 0.5 * float(C @ np.linalg.solve(constraint.compliance, C))
    return energy


def stiffness(constraints: Iterable[NaiveConstraint], x: Array) -> Array:
    """∂²U/∂x² at rest, where C = 0 and so only ∇Cᵀ α⁻¹ ∇C is left; dense (3n, 3n)."""
    K = np.zeros((x.size, x.size))
    for constraint in constraints:
        C, gradient = constraint.evaluate(x[constraint.indices])
        J = gradient.reshape(len(C), -1)
        place = (3 * np.array(constraint.indices)[:, None] + np.arange(3)).ravel()
        K[np.ix_(place, place)] += J.T @ np.linalg.solve(constraint.compliance, J)
    return K


def deflection(K: Array, forces: Array, held: NDArray[np.bool_]) -> Array:
    """Small displacements (n, 3) under forces (n, 3); ``held`` (n, 3) marks what can't move."""
    free = ~held.ravel()
    u = np.zeros(K.shape[0])
    u[free] = np.linalg.solve(K[np.ix_(free, free)], forces.ravel()[free])
    return u.reshape(-1, 3)


# --- topology -------------------------------------------------------------------------------------


def is_conflict_free(batch: Iterable[int], indices: NDArray[np.integer]) -> bool:
    """Whether no particle occurs twice in a batch."""
    particles = [int(p) for constraint in batch for p in set(indices[constraint].tolist())]
    return len(particles) == len(set(particles))


def unique_edges(faces: Iterable[Sequence[int]]) -> set[tuple[int, int]]:
    """Edges of faces, the smaller vertex first."""
    return {
        (min(a, b), max(a, b))
        for face in faces
        for a, b in zip(face, (*face[1:], face[0]), strict=True)
    }


def triangles_at_edges(triangles: Iterable[Sequence[int]]) -> dict[tuple[int, int], list[int]]:
    """For each edge the triangles that have it."""
    found: dict[tuple[int, int], list[int]] = {}
    for number, triangle in enumerate(triangles):
        for edge in unique_edges([tuple(triangle)]):
            found.setdefault(edge, []).append(number)
    return found


def quad_grid(nx: int, ny: int, width: float, height: float) -> tuple[Array, list[tuple[int, ...]]]:
    """A flat grid of nx × ny quads in the plane z = 0: positions and faces."""
    x, y = np.linspace(0.0, width, nx + 1), np.linspace(0.0, height, ny + 1)
    positions = np.array([(a, b, 0.0) for b in y for a in x])
    faces: list[tuple[int, ...]] = []
    for j, i in itertools.product(range(ny), range(nx)):
        a = j * (nx + 1) + i
        faces.append((a, a + 1, a + nx + 2, a + nx + 1))
    return positions, faces


def spring_grid(n: int, side: float) -> tuple[Array, NDArray[np.int64]]:
    """A square of n × n particles in the plane z = 0, and pairs for springs.

    Each particle is tied to its neighbours, to those across the diagonals, and to the next but one.
    """
    steps = np.linspace(0.0, side, n)
    positions = np.array([(x, y, 0.0) for y in steps for x in steps])
    grid, pairs = np.arange(n * n).reshape(n, n), []
    for i, j in ((0, 1), (1, 0), (1, 1), (0, 2), (2, 0)):
        pairs.append((grid[: n - i, : n - j], grid[i:, j:]))
    pairs.append((grid[1:, :-1], grid[:-1, 1:]))
    return positions, np.concatenate([np.stack(pair, -1).reshape(-1, 2) for pair in pairs])


def irregular_triangles(
    nx: int, ny: int, width: float, height: float, seed: int = 1, keep_columns: int = 0
) -> tuple[Array, list[tuple[int, ...]]]:
    """The grid with moved inner vertices (by up to 0.25 cells) and diagonals at random."""
    positions, quads = quad_grid(nx, ny, width, height)
    random = np.random.default_rng(seed)
    cell = np.array([width / nx, height / ny])
    for p in positions:
        left = (keep_columns - 0.5) * cell[0]
        if left < p[0] < width - 0.5 * cell[0] and 0.0 < p[0] and 0.0 < p[1] < height:
            p[:2] += random.uniform(-0.25, 0.25, 2) * cell
    faces: list[tuple[int, ...]] = []
    for a, b, c, d in quads:
        cut = [(a, b, c), (a, c, d)] if random.random() < 0.5 else [(a, b, d), (b, c, d)]
        faces.extend(tuple(int(v) for v in np.roll(t, random.integers(3))) for t in cut)
    return positions, faces
