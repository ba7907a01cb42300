# SPDX-License-Identifier: GPL-3.0-or-later
"""C x of bends: the difference of the tangents of both edges that keep their length."""

from __future__ import annotations

from ....native.compiled import native_part

TINY = 1e-30


@native_part
def turn_of(x, i, k, lane, near, far):  # type: ignore[no-untyped-def]
    """A number of C x of a bend, the difference of both tangents."""
    here = x[i, k, lane]
    return far * (x[i + 1, k, lane] - here) - near * (here - x[i - 1, k, lane])


@native_part
def turns_of(x, i, lane, near, far):  # type: ignore[no-untyped-def]
    """All three of them."""
    return (
        turn_of(x, i, 0, lane, near, far),
        turn_of(x, i, 1, lane, near, far),
        turn_of(x, i, 2, lane, near, far),
    )
