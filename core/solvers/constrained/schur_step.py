# SPDX-License-Identifier: GPL-3.0-or-later
"""One step of all constraints at once, natively, with Marquardt's safeguard.

A step solves S Δλ = -h and goes Δx = M⁻¹∇Cᵀ Δλ (equations 16 and 17 of the XPBD paper). Where S is
singular, as with more constraints than freedoms, or C far from linear, that would go anywhere. So
(1 + μ) times its diagonal takes the place of S's own (Marquardt 1963), with a μ that is next to
nothing as long as steps do what they promise: bring ½ Σ h² / S_ii down. Each part of the model that
does not hang together with others has its own μ. At μ → ∞ steps are those of Jacobi's method, made
short. A residual of zero stays one whatever μ is.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from ...linear.envelope import eliminate, substitute_back, substitute_forward
from ...native.compiled import native_part

REAL = np.float64

LEAST_DAMPING = 1e-12
"""μ of steps that do what they promise. A thousand times the rounding of S, and so small that the
error of a chain of a thousand links, whose S has eigenvalues down to 1e-6, falls by 1e6 a step."""

FIRST_DAMPING, FACTOR = 1e-6, 100.0
"""μ after the first step that fails, and how it grows and shrinks from there."""

LEAST_GAIN = 0.1
"""Of the promised decrease; a step that brings less is taken back."""

SETTLED = 1e-8
"""Of the substep's largest Σ h² / S_ii: what is left when h has fallen by ten thousand may be the
rounding of the solve, of which no shorter step gets rid."""

STEEP = 0.1
"""What a step may leave of Σ h² / S_ii if its factor is to serve for another."""


@native_part
def try_step(schur, memory, positions, outputs, multipliers, noise, part):  # type: ignore[no-untyped-def]
    """Assemble and solve a part of the system and move its particles.

    Args:
        positions: x, y, z [m] and inverse mass, changed in place; multipliers: λ, likewise.
        outputs: of :func:`core.solvers.constrained.schur.specification` for them.
        noise: the error of positions [m] for each metre of the part's extent. Where h is not
            larger than what follows from it there is nothing to solve: nothing moves, and the
            part is not pending any more.
    """
    _assemble(schur, memory, positions, outputs, part)
    first, last = schur.row_starts[part], schur.row_starts[part + 1]
    memory.misfit[part] = misfit(schur, memory, outputs, part)
    memory.worst[part] = max(memory.worst[part], memory.misfit[part])
    if memory.misfit[part] <= rounding(schur, memory, noise, part):
        memory.pending[part] = 0
        return
    damping = memory.damping[part]
    # ``diagonal`` keeps that of S itself, by which steps are judged.
    for row in range(first, last):
        memory.change[row] = -REAL(outputs[schur.residuals[row]])
        memory.values[schur.starts[row]] += damping * memory.diagonal[row]
    keep_part(schur, memory, positions, multipliers, memory.positions, part)
    eliminate(memory.values, schur.starts, memory.diagonal, memory.change, first, last)
    substitute_back(memory.values, schur.starts, memory.change, first, last)
    # (S + μ D) Δλ = -h, so that a linear C would leave h + S Δλ = -μ D Δλ.
    left = 0.0
    for row in range(first, last):
        left += memory.diagonal[row] * memory.change[row] ** 2
    memory.expected[part] = damping * damping * left
    _move(schur, memory, positions, outputs, multipliers, part)


@native_part
def judge_step(schur, memory, positions, outputs, multipliers, noise, part):  # type: ignore[no-untyped-def]
    """Keep the step of a part, or take it back and ask for a shorter one; returns which (1, 0).

    Args:
        outputs: for the particles and λ after the step.
    """
    found, before = misfit(schur, memory, outputs, part), memory.misfit[part]
    promised = before - memory.expected[part]
    good = before - found >= LEAST_GAIN * promised
    if good or found <= rounding(schur, memory, noise, part):
        damping = memory.damping[part] / FACTOR
        memory.damping[part] = damping if damping >= FIRST_DAMPING else LEAST_DAMPING
        memory.pending[part] = 0
        # Nearly linear here, so that the factor still serves, and not yet solved to rounding.
        if rounding(schur, memory, noise, part) < found < STEEP * before:
            _refine(schur, memory, positions, outputs, multipliers, part)
        return 1
    restore_part(schur, memory, positions, multipliers, memory.positions, part)
    # No reason to look for a shorter step: it may well be rounding that failed.
    if before <= SETTLED * memory.worst[part]:
        memory.pending[part] = 0
        return 1
    memory.damping[part] = max(FIRST_DAMPING, FACTOR * memory.damping[part])
    return 0


@native_part
def misfit(schur, memory, outputs, part):  # type: ignore[no-untyped-def]
    """Σ h² / S_ii over a part: its error in a measure that knows masses and no units."""
    total = 0.0
    for row in range(schur.row_starts[part], schur.row_starts[part + 1]):
        if memory.diagonal[row] > 0.0:
            h = REAL(outputs[schur.residuals[row]])
            total += h * h / memory.diagonal[row]
    return total


@native_part
def rounding(schur, memory, noise, part):  # type: ignore[no-untyped-def]
    """The misfit that comes of the errors of positions; see :func:`try_step`."""
    total = 0.0
    for row in range(schur.row_starts[part], schur.row_starts[part + 1]):
        if memory.diagonal[row] > 0.0:
            total += memory.slopes[row] / memory.diagonal[row]
    error = noise * memory.extents[part]
    return error * error * total


@native_part
def swing(schur, positions, outputs, multipliers, part):  # type: ignore[no-untyped-def]
    """(ω Δt)² of the fastest swing of a particle about its neighbours, by Gershgorin's bound.

    A constraint of the size ℓ under the force λ/Δt² holds its particles in place across ∇C, too,
    with the stiffness |λ| |∇C| / (ℓ Δt²), as a chain under tension does. This geometric stiffness
    is what K ≈ M leaves out: the swing is not damped by a solver that does so but driven once ω Δt
    exceeds about 1.
    """
    largest = 0.0
    for place in range(schur.particle_starts[part], schur.particle_starts[part + 1]):
        total = 0.0
        for a in range(schur.incidence_starts[place], schur.incidence_starts[place + 1]):
            row, slope, step = _incidence(schur, a)
            x, y, z = _vector(outputs, slope, step)
            force = abs(REAL(multipliers[schur.multipliers[row]]))
            total += force * schur.incidence_bends[a] * sqrt(x * x + y * y + z * z)
        largest = max(largest, total * REAL(positions[schur.particles[place], 3]))
    return largest


@native_part
def keep_part(schur, memory, positions, multipliers, kept, part):  # type: ignore[no-untyped-def]
    """Remember where the particles of a part are, in ``kept``, and its λ."""
    for row in range(schur.row_starts[part], schur.row_starts[part + 1]):
        memory.multipliers[row] = multipliers[schur.multipliers[row]]
    for place in range(schur.particle_starts[part], schur.particle_starts[part + 1]):
        for k in range(3):
            kept[place, k] = positions[schur.particles[place], k]


@native_part
def restore_part(schur, memory, positions, multipliers, kept, part):  # type: ignore[no-untyped-def]
    """Put them back."""
    for row in range(schur.row_starts[part], schur.row_starts[part + 1]):
        multipliers[schur.multipliers[row]] = memory.multipliers[row]
    for place in range(schur.particle_starts[part], schur.particle_starts[part + 1]):
        for k in range(3):
            positions[schur.particles[place], k] = kept[place, k]


@native_part
def _assemble(schur, memory, positions, outputs, part):  # type: ignore[no-untyped-def]
    """S of a part, its diagonal, |∇C|² of each row, and how far from the origin the part goes."""
    first, last = schur.row_starts[part], schur.row_starts[part + 1]
    memory.values[schur.starts[first] : schur.starts[last]] = 0.0
    memory.slopes[first:last] = 0.0
    extent = 0.0
    for place in range(schur.particle_starts[part], schur.particle_starts[part + 1]):
        particle = schur.particles[place]
        weight = REAL(positions[particle, 3])
        for k in range(3):
            extent = max(extent, abs(REAL(positions[particle, k])))
        begin, end = schur.incidence_starts[place], schur.incidence_starts[place + 1]
        for a in range(begin, end):
            row, slope, step = _incidence(schur, a)
            x, y, z = _vector(outputs, slope, step)
            memory.slopes[row] += x * x + y * y + z * z
            x, y, z = weight * x, weight * y, weight * z
            target = schur.starts[row] - row
            # The rows of a particle ascend: from a on they fill the upper triangle only.
            for b in range(a, end):
                column, slope, step = _incidence(schur, b)
                p, q, r = _vector(outputs, slope, step)
                memory.values[target + column] += x * p + y * q + z * r
    memory.extents[part] = extent
    for entry in range(schur.compliance_starts[part], schur.compliance_starts[part + 1]):
        softness = REAL(outputs[schur.compliance_places[entry]])
        memory.values[schur.compliance_targets[entry]] += softness
    for row in range(first, last):
        memory.diagonal[row] = memory.values[schur.starts[row]]


@native_part
def _refine(schur, memory, positions, outputs, multipliers, part):  # type: ignore[no-untyped-def]
    """A second step with the factor of the first (Shamanskii 1967): cubic convergence for little.

    It takes h and ∇C from where the first step led.
    """
    first, last = schur.row_starts[part], schur.row_starts[part + 1]
    for row in range(first, last):
        memory.change[row] = -REAL(outputs[schur.residuals[row]])
    substitute_forward(memory.values, schur.starts, memory.change, first, last)
    substitute_back(memory.values, schur.starts, memory.change, first, last)
    _move(schur, memory, positions, outputs, multipliers, part)


@native_part
def _move(schur, memory, positions, outputs, multipliers, part):  # type: ignore[no-untyped-def]
    """Equations 14 and 17: λ + Δλ, and Δx = M⁻¹∇Cᵀ Δλ."""
    for row in range(schur.row_starts[part], schur.row_starts[part + 1]):
        multipliers[schur.multipliers[row]] += memory.change[row]
    for place in range(schur.particle_starts[part], schur.particle_starts[part + 1]):
        particle = schur.particles[place]
        dx, dy, dz = 0.0, 0.0, 0.0
        for a in range(schur.incidence_starts[place], schur.incidence_starts[place + 1]):
            row, slope, step = _incidence(schur, a)
            x, y, z = _vector(outputs, slope, step)
            change = memory.change[row]
            dx, dy, dz = dx + change * x, dy + change * y, dz + change * z
        weight = REAL(positions[particle, 3])
        for k, move in enumerate((dx, dy, dz)):
            positions[particle, k] += weight * move


@native_part
def _incidence(schur, index):  # type: ignore[no-untyped-def]
    """Row, place and stride of ∂C/∂x."""
    return (
        schur.incidence_rows[index],
        schur.incidence_places[index],
        schur.incidence_strides[index],
    )


@native_part
def _vector(outputs, place, stride):  # type: ignore[no-untyped-def]
    """Three numbers a stride apart."""
    return REAL(outputs[place]), REAL(outputs[place + stride]), REAL(outputs[place + 2 * stride])
