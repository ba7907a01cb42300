# SPDX-License-Identifier: GPL-3.0-or-later
"""How bending moves predicted particles."""

from __future__ import annotations

from ....native.compiled import native_part


@native_part
def displace(arrays, particle, axis, step, h):  # type: ignore[no-untyped-def]
    """Let x̃ = x + h v of a particle be a step [m] farther along an axis, and v as much faster.

    Rounded once, as x̃ is when the substep is finished: rounded a second time, that would be a
    velocity, and swings would lose some percent of their energy. Whatever else moved x̃ stays.
    """
    real = arrays.rows.dtype.type
    start, before = arrays.previous[particle, axis], arrays.velocities[particle, axis]
    span = real(h)
    other = arrays.rows[particle, axis] - (start + span * before)
    velocity = before + real(step / h)
    arrays.velocities[particle, axis] = velocity
    arrays.rows[particle, axis] = (start + span * velocity) + other
