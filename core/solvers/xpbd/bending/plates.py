# SPDX-License-Identifier: GPL-3.0-or-later
"""The bending of sheets as a quadratic energy, from the hinges of a model.

It is ½ D A κ:κ of all triangles, with the curvatures of :mod:`.curvatures`, and so right on any
mesh, where the energy of hinges one by one is not: that leaves a strip of squares a fifth too
soft, however fine.

Where the sheet is shallow the angle θ of a hinge is the length of the vector b = Σ cⱼ xⱼ over the
four corners, and 2 sin θ/2 where it is not (Bergou et al. 2006, "A quadratic bending model for
inextensible surfaces"): the energy has a constant matrix, the same for x, y and z.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....interruption import may_go_on
from ....layout.group import Group
from ....linear.compressed import Compressed, above, from_entries, product, transposed
from ....mesh.connected import connected
from ....mesh.surface import HINGE_SIDES
from ....native.compiled import native
from ....remembered import in_units, remembered
from .curvatures import curvatures

Numbers = NDArray[np.float64]
Indices = NDArray[np.int64]


RIGID = 1e4
"""Times M L of a sheet [N·m]: the greatest rigidity of a sheet, which under its own weight bends by
a ten-thousandth of its size L. What is infinitely stiff would be drawn in its plane by rounding."""

STIFFEST = 1e12
"""Σ c² / (m α) [1/s²] of the stiffest hinge that single precision can solve with."""

SLIVER = 10.0
"""Times as large as around a hinge Σ c² / (m α) of it may be. That goes by the fourth power of the
cells; a sliver's may be a million times as large, which no multigrid cycle can solve with: sheets
tremble, or fly apart."""

ROUNDS = 2
"""Rings of hinges within which slivers are alone."""

CREASE = 1.2
"""An angle at rest [rad] above which a hinge is a crease, that bends by itself. Of the curvature of
the triangles at it, its angle is no part."""

FLAT = 1e-6
"""An angle at rest [rad] that is none."""


SHARPEST = 0.1
"""Least cos² θ₀/2 by which a hinge that is sharp at rest is made stiffer, as 2 sin θ/2 grows more
slowly than θ there."""


class Plates(NamedTuple):
    """The energy ½ xᵀ K x - xᵀ G b₀ of all sheets of a model, of n particles and h hinges.

    Attributes:
        corners: of each hinge, shape (h, 4).
        coefficients: c of each, such that b = Σ c x [1/m], shape (h, 4).
        rest: angles at rest [rad], shape (h,).
        damping: of each hinge [s], shape (h,).
        part: of each particle the least one of what it hangs together with, shape (n,).
        rigidity: by which K of each is larger than in units of its part, shape (n,).
        shrunk: of what lengths were in these units, those at rest, shape (n,).
        unit_stiffness: K in these, shape (n, n).
        unit_moments: G, from a rest vector b₀ of each hinge to forces, shape (n, h).
    """

    corners: Indices
    coefficients: Numbers
    rest: Numbers
    damping: Numbers
    part: Indices
    rigidity: Numbers
    shrunk: Numbers
    unit_stiffness: Compressed
    unit_moments: Compressed

    @property
    def stiffness(self) -> Compressed:
        """K [N/m]."""
        return self.unit_stiffness.times(self.rigidity)

    @property
    def moments(self) -> Compressed:
        """G [N]."""
        return self.unit_moments.times(self.shrunk * self.rigidity)


def plates_of(
    groups: Sequence[Group], positions: Numbers, masses: Numbers, shrunk: Numbers | None = None
) -> Plates:
    """The plates that groups of hinges describe.

    Args:
        groups: of the kind ``"bending"``.
        positions: at rest [m], or before they shrank, shape (n, 3).
        masses: infinite for pinned particles, shape (n,).
        shrunk: what is left of lengths at rest, the same in all that hangs together, shape (n,).
    """
    corners = np.concatenate([np.empty((0, 4), np.int64), *(g.indices for g in groups)])
    shrunk = np.ones(len(masses)) if shrunk is None else shrunk
    rest = angles_of([group.rest for group in groups])
    damping = _first_columns([group.damping for group in groups])
    unit_coefficients = hinge_coefficients(positions[corners])
    coefficients = unit_coefficients / shrunk[corners[:, :1]]
    compliance = _first_columns([group.compliance for group in groups])
    compliance = np.maximum(compliance, _softest(groups, positions, masses))
    folded = _first_columns([group.first_rest for group in groups])
    compliance = compliance * np.maximum(np.cos(0.5 * folded) ** 2, SHARPEST)
    compliance = compliance * _lengths_at_clamps(corners, np.isinf(masses))
    lightest = np.max(1.0 / masses[corners], axis=1, initial=0.0)
    freedom = lightest * np.sum(coefficients**2, axis=1)
    compliance = np.maximum(compliance, freedom / STIFFEST)
    compliance = np.maximum(compliance, freedom / _most_around(corners, freedom / compliance))
    part = connected([corners], np.ones(len(masses), np.bool_))
    units, compliance = in_units(compliance, part[corners[:, 0]], len(masses))
    creases = np.abs(folded) > CREASE
    may_go_on()
    matrices = _matrices(
        corners, unit_coefficients, compliance, positions, np.isinf(masses), creases
    )
    rigidity = 1.0 / (units[part] * shrunk**2)
    return Plates(corners, coefficients, rest, damping, part, rigidity, shrunk, *matrices)


@remembered
def _matrices(
    corners: Indices,
    coefficients: Numbers,
    compliance: Numbers,
    positions: Numbers,
    pinned: NDArray[np.bool_],
    creases: NDArray[np.bool_],
) -> tuple[Compressed, Compressed]:
    """K and G of hinges of such compliance."""
    count = len(corners)
    hinges = from_entries(
        np.repeat(np.arange(count), 4), corners.ravel(), coefficients.ravel(), (count, len(pinned))
    )
    curvature = _bends(corners, compliance, positions, pinned, creases)
    may_go_on()
    rows = product(curvature, hinges)
    columns = transposed(rows)
    return product(columns, rows), product(columns, curvature)


def _bends(
    corners: Indices,
    compliance: Numbers,
    positions: Numbers,
    pinned: NDArray[np.bool_],
    creases: NDArray[np.bool_],
) -> Compressed:
    """From angles of hinges to what the energy is half the square of: rows of curvatures, and one
    of each crease.

    b₀ of a crease turns with what is bent. Had a crease a part in the curvature of triangles, what
    pushes at their other hinges would so be the gradient of no energy, and pleats gain it.
    """
    plain, sharp = np.flatnonzero(~creases), np.flatnonzero(creases)
    found = curvatures(corners[plain], compliance[plain], positions, pinned)
    stiffness = np.where(compliance[sharp] > 0.0, compliance[sharp], np.inf) ** -0.5
    of_all = found._replace(columns=plain[found.columns], width=len(corners))
    return above(of_all, Compressed(np.arange(len(sharp) + 1), sharp, stiffness, len(corners)))


def angles_of(rests: Sequence[Numbers]) -> Numbers:
    """The angles of rest states of hinges, of which those are zero that are none: hinges that were
    bent once push like those that never were.
    """
    angles = _first_columns(rests)
    return np.where(np.abs(angles) > FLAT, angles, 0.0)


def _first_columns(tables: Sequence[Numbers]) -> Numbers:
    return np.concatenate([np.empty(0), *(table[:, 0] for table in tables)])


def _softest(groups: Sequence[Group], positions: Numbers, masses: Numbers) -> Numbers:
    """The compliance of each hinge that is as good as none, for the sheet that a group describes.

    The hinge of squares has about the rigidity of the sheet, whatever their size.
    """
    found = [np.empty(0)]
    for group in groups:
        own = np.unique(group.indices)
        size = float(np.linalg.norm(np.ptp(positions[own], axis=0))) if len(own) else 0.0
        free = masses[own][np.isfinite(masses[own])]
        mass = len(own) * float(free.mean()) if len(free) else 0.0
        least = 1.0 / (RIGID * mass * size) if mass * size > 0.0 else 0.0
        found.append(np.full(len(group.indices), least))
    return np.concatenate(found)


def _most_around(corners: Indices, squares: Numbers) -> Numbers:
    """``SLIVER`` times the largest number at the corners of each hinge, but for what is as large
    only within a few rings: in words of images the opening.

    Of all hinges of a corner the largest, as cells may be long and narrow.

    Args:
        squares: of each hinge; those that are zero don't count.
    """
    counts = squares > 0.0
    owners, found = corners[counts], squares[counts]
    count = int(corners.max(initial=-1)) + 1
    around = _largest_at(owners, found, count)
    for _ in range(ROUNDS):
        around = -_largest_at(owners, -around[owners].min(axis=1), count)
    for _ in range(ROUNDS):
        around = _largest_at(owners, around[owners].max(axis=1), count)
    most = np.full(len(squares), np.inf)
    most[counts] = SLIVER * around[owners].max(axis=1, initial=0.0)
    return most


def _largest_at(owners: Indices, values: Numbers, count: int) -> Numbers:
    """The largest of the values of its hinges at each particle."""
    found = np.full(count, -np.inf)
    _raise_to(owners, values, found)
    return found


@native
def _raise_to(owners, values, found):  # type: ignore[no-untyped-def]
    """np.maximum.at(found, owners, values), which is slow."""
    for i in range(len(owners)):
        for k in range(owners.shape[1]):
            found[owners[i, k]] = max(found[owners[i, k]], values[i])


def _lengths_at_clamps(corners: Indices, pinned: NDArray[np.bool_]) -> Numbers:
    """Of how much more cloth each hinge is the bend, where that begins at what is pinned.

    Curvature is largest at a clamp and falls from there. A sum that counts half a cell at the clamp
    and a whole one at the next hinges has too much of it: the end weights of Gregory's rule are
    5/12 and 13/12.
    """
    held = pinned[corners]
    sides = [held[:, ends].all(axis=1) for ends in HINGE_SIDES]
    clamped = np.zeros(len(pinned), np.bool_)
    for side, ends in zip(sides, HINGE_SIDES, strict=True):
        clamped[corners[side][:, ends]] = True
    beyond = clamped[corners[:, 2:]].sum(axis=1) * ~held[:, :2].any(axis=1)
    return np.where(sides[0] != sides[1], 5.0 / 6.0, 1.0 + beyond / 12.0)


@remembered
def hinge_coefficients(points: Numbers) -> Numbers:
    """c of hinges with corners at rest, shape (h, 4, 3), unfolded flat → (h, 4) [1/m].

    Zero where a triangle is degenerate.
    """
    edge = points[:, 1] - points[:, 0]
    length = np.linalg.norm(edge, axis=1)
    along = edge / np.where(length > 0.0, length, 1.0)[:, None]
    heights, shares = [], []
    for apex in (points[:, 2], points[:, 3]):
        way = np.einsum("hk,hk->h", apex - points[:, 0], along)
        heights.append(np.linalg.norm(apex - points[:, 0] - way[:, None] * along, axis=1))
        shares.append(way / np.where(length > 0.0, length, 1.0))
    proper = (np.min(heights, axis=0) > 0.0) & (length > 0.0)
    a, b = (1.0 / np.where(proper, height, np.inf) for height in heights)
    start = (1.0 - shares[0]) * a + (1.0 - shares[1]) * b
    return np.stack([start, shares[0] * a + shares[1] * b, -a, -b], axis=1)
