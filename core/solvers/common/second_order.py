# SPDX-License-Identifier: GPL-3.0-or-later
"""Houbolt's method: motion that hardly depends on the substep.

With v = (xⁿ⁺¹ - xⁿ) / h a substep is one of implicit Euler. That damps as if all that is elastic
or under tension had the damping time h: swings and spins die the sooner the fewer substeps there
are. Houbolt 1950, "A recurrence matrix solution for the dynamic response of elastic aircraft",

    2 xⁿ⁺¹ - 5 xⁿ + 4 xⁿ⁻¹ - xⁿ⁻² = h² M⁻¹ f(xⁿ⁺¹),

is of second order, stable whatever h is, and damps what is stiff as strongly. As one step it reads

    x̃ = xⁿ + h vⁿ,  xⁿ⁺¹ = x̃ + ½ h² M⁻¹ f,  u = (xⁿ⁺¹ - xⁿ) / h,
    aⁿ⁺¹ = ½ aⁿ + (u - vⁿ) / h,  vⁿ⁺¹ = u + ½ h aⁿ⁺¹.

Constraints are so solved as over h / √2. Of what contact pushes only the reaction to what presses
is part of a, see :mod:`core.contact.reaction`. The rest is over at once, and would make things
bounce.
"""

from __future__ import annotations

import math

from ...contact import interface
from ...native.compiled import native_part
from ...native.rows import numbers_of
from ...native.team import meet, own_share

SPAN = math.sqrt(0.5)
"""Of a substep: a force f moves a particle by (SPAN h)² M⁻¹ f."""


@native_part
def move_particles_smoothly(arrays, h, first, last, finish, start, pushed):  # type: ignore[no-untyped-def]
    """Finish a substep and start the next, as ``integration.move_particles`` does for Euler.

    Args:
        pushed: whether ``free_ways`` were noted; else all of a particle's way is free.
    """
    x, previous = numbers_of(arrays.rows, first, last), numbers_of(arrays.previous, first, last)
    velocity = numbers_of(arrays.velocities, first, last)
    accelerations = numbers_of(arrays.accelerations, first, last)
    kept, gained = numbers_of(arrays.kept, first, last), numbers_of(arrays.gained, first, last)
    free_ways = numbers_of(arrays.free_ways, first, last)
    rate, half = x.dtype.type(1.0) / h, x.dtype.type(0.5)
    for i in range(len(x)):
        v, a = velocity[i], accelerations[i]
        if finish:
            way = x[i] - previous[i]
            drift = (previous[i] + h * v) - previous[i]
            free = free_ways[i] if pushed else way
            a += (free - drift) * rate * rate
            v += (way - drift) * rate + half * h * a
        if start:
            u = kept[i] * v + gained[i]
            a = half * a + (u - v) * rate
            v = u
            previous[i] = x[i]
            x[i] += h * u
        velocity[i], accelerations[i] = v, a


@native_part
def push_out(arrays, contact, settings, iteration, team):  # type: ignore[no-untyped-def]
    """Let contact push after an iteration, and note how particles moved without it."""
    noted = settings.second_order and interface.may_push(contact)
    if noted:
        _note_free_ways(arrays, 1.0, iteration == 0, team)
    interface.project(contact, arrays, team)
    if noted and iteration + 1 < settings.iterations:
        _note_free_ways(arrays, -1.0, False, team)
        # What one thread notes others move next.
        meet(team)


@native_part
def _note_free_ways(arrays, sign, anew, team):  # type: ignore[no-untyped-def]
    """Add the ways made so far, or take them off. Those of carried particles don't count."""
    first, last = own_share(arrays.particle_count, team)
    x, previous = numbers_of(arrays.rows, first, last), numbers_of(arrays.previous, first, last)
    free_ways = numbers_of(arrays.free_ways, first, last)
    sign = x.dtype.type(sign)
    for i in range(len(x)):
        before = x.dtype.type(0.0) if anew else free_ways[i]
        free_ways[i] = before + sign * (x[i] - previous[i])
