# SPDX-License-Identifier: GPL-3.0-or-later
"""Air that flows around faces and strands: drag and lift by area and relative speed.

A face of area A and normal n in air that passes with the relative velocity u feels

    ½ ρ |u| A (c_n (u·n) n + c_t (u - (u·n) n)),

half of which is drag and the other lift where it is inclined. Each vertex takes its thirds of the
faces around it, and its own velocity, so that no face reads what another writes. With
T = Σ A/3 n nᵀ, whose trace is the vertex's area, that is ½ ρ |u| ((c_n - c_t) T u + c_t tr(T) u).
The half of an edge of a strand that is a vertex's, of diameter d and direction t, has the area
d L/2 and T = d L/2 (1 - t tᵀ).
"""

from __future__ import annotations

from dataclasses import astuple, dataclass
from math import isfinite, sqrt
from typing import Any

from ..errors import ModelError
from ..native.compiled import native_part
from ..native.vectors import Vector, cross, dot, row_of, subtract

FASTEST = 340.0
"""Speed of wind [m/s] beyond which the law of drag is another one."""

Areas = tuple[float, float, float, float, float, float, float]

TINY = 1e-30
"""Size of faces [m²] and edges [m] that count as none."""


@dataclass(frozen=True)
class Air:
    """What surrounds a body.

    Attributes:
        density: ρ [kg/m³]; 1.2 near the ground.
        normal: c_n, drag coefficient of a sheet that faces the air: 1.2 for a square, 2 for a long
            strip.
        tangential: c_t, of a sheet along which it flows.

    Raises:
        ModelError: one is negative or not finite, or c_t is greater than c_n.
    """

    density: float = 1.2
    normal: float = 1.2
    tangential: float = 0.02

    def __post_init__(self) -> None:
        if not all(isfinite(each) and each >= 0.0 for each in astuple(self)):
            raise ModelError(f"The density and the drag of air must not be negative: {self}.")
        if self.tangential > self.normal:
            raise ModelError("Air can't hold a sheet more along it than across it.")


@native_part
def areas_of(outside: Any, rows: Any, i: int) -> Areas:
    """T of a vertex and its area [m²]: xx, yy, zz, xy, xz, yz, area."""
    here, width = row_of(rows, i), 0.5 * outside.widths[i]
    xx, yy, zz, xy, xz, yz, area = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for place in range(outside.starts[i], outside.starts[i + 1]):
        j, k = outside.neighbours[place, 0], outside.neighbours[place, 1]
        along, part = subtract(row_of(rows, j), here), -width
        if j != k:
            along, part = cross(along, subtract(row_of(rows, k), here)), 1.0 / 6.0
        x, y, z = along
        size = sqrt(x * x + y * y + z * z)
        area += abs(part) * size
        if j == k:
            xx, yy, zz = xx + width * size, yy + width * size, zz + width * size
        part /= max(size, TINY)
        xx, yy, zz = xx + part * x * x, yy + part * y * y, zz + part * z * z
        xy, xz, yz = xy + part * x * y, xz + part * x * z, yz + part * y * z
    return xx, yy, zz, xy, xz, yz, area


@native_part
def spread(areas: Areas, u: Vector) -> Vector:
    """T u."""
    xx, yy, zz, xy, xz, yz, _ = areas
    return (
        xx * u[0] + xy * u[1] + xz * u[2],
        xy * u[0] + yy * u[1] + yz * u[2],
        xz * u[0] + yz * u[1] + zz * u[2],
    )


@native_part
def wind_velocity(force: Vector, pressure: float, normal: float) -> Vector:
    """The wind [m/s] whose pressure on what faces it is that of a force field."""
    size = sqrt(dot(force, force))
    if size == 0.0 or normal == 0.0:
        return 0.0, 0.0, 0.0
    speed = min(FASTEST, sqrt(size * pressure / normal)) / size
    return speed * force[0], speed * force[1], speed * force[2]
