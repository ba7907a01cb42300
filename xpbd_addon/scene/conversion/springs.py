# SPDX-License-Identifier: GPL-3.0-or-later
"""What springs along the edges and diagonals of a mesh are as a fabric.

Blender's springs are the same on any mesh, so what they are like depends on its cells. Measured in
Blender's own units (forces in kg m/frame²): in squares of the side h, springs of the tension T
along edges and S along diagonals, which only pull, are a sheet of the stiffness C₁₁ = (T + S) / h,
C₁₂ = S / h, C₃₃ = S / 2 h; hinges of the stiffness B bend it with 0.05 B h².
"""

from __future__ import annotations

from dataclasses import dataclass

_QUADS_BEND = 0.05
_TRIANGLES_BEND = 0.029
"""Of a lattice 0.025, of squares cut in two 0.032 in the mean of all directions."""

_QUADS_EDGES, _TRIANGLES_EDGES = 2.0, 3.464
"""Squares of edge lengths over the area, of endless squares and equilateral triangles."""

_LATTICE = (1.155, 0.433, 1.0 / 3.0)
"""Young's modulus, shear modulus (both over T / h) and Poisson's ratio of equilateral triangles."""


@dataclass(frozen=True)
class Net:
    """A mesh as Blender's laws see it.

    Attributes:
        edge: mean length of its edges [Blender units].
        area: that each vertex stands for [m²].
        edges: sum of their squares over the area: more than of an endless mesh, as borders count.
        quads: what part of its area lies in faces of four or more corners.
        unit: metres in a Blender unit.
        surface: all of its area [m²].
        volume: enclosed [m³]; 0 where it is open.
        unevenness: standard deviation of what a vertex stands for, over the mean.
    """

    edge: float
    area: float
    edges: float
    quads: float
    unit: float
    surface: float
    volume: float
    unevenness: float


@dataclass(frozen=True)
class Membrane:
    """Stiffness in a plane [N/m], and Poisson's ratio."""

    stretch: float
    shear: float
    poisson_ratio: float


def membrane(net: Net, rate: float, tension: float, shear: float) -> Membrane:
    """What resists stretching and shearing, of Blender's stiffnesses T and S.

    With the density [kg/m²] equal to Blender's mass [kg per vertex], forces count by the area
    of a vertex.
    """
    factor = rate**2 * net.area / net.edge
    tension *= net.edges / _mean(net, _QUADS_EDGES, _TRIANGLES_EDGES)
    young, modulus, ratio = _LATTICE
    along = tension + shear
    narrowing = shear / along if along > 0.0 else 0.0
    square = (along - shear * narrowing, 0.5 * shear, narrowing)
    triangle = (young * tension, modulus * tension, ratio)
    mean = [_mean(net, *pair) for pair in zip(square, triangle, strict=True)]
    return Membrane(factor * mean[0], factor * mean[1], mean[2])


def _mean(net: Net, quads: float, triangles: float) -> float:
    return net.quads * quads + (1.0 - net.quads) * triangles


def flexural_rigidity(net: Net, rate: float, bending: float) -> float:
    """What resists bending [N m], of Blender's stiffness B."""
    law = _mean(net, _QUADS_BEND, _TRIANGLES_BEND)
    return law * bending * rate**2 * net.area * (net.edge * net.unit) ** 2


def pressure(net: Net, rate: float, given: float) -> float:
    """A pressure [Pa], of one in Blender's units."""
    return given * rate**2 * net.area / net.unit


def force(net: Net, rate: float, given: float) -> float:
    """A force on a vertex [N], of one in Blender's units."""
    return given * rate**2 * net.area * net.unit


def field_pressure(net: Net, rate: float, frames_per_second: float) -> float:
    """Of a force field on cloth [Pa for each unit of its strength]."""
    return pressure(net, rate, 0.02 / frames_per_second)


@dataclass(frozen=True)
class Gas:
    """What fills a closed surface: `inflation` and `volume_compliance` [m³/Pa]."""

    inflation: float
    compliance: float


def gas(net: Net, rate: float, push: float, factor: float, at_rest: float) -> Gas:
    """A line through Blender's law p = (P + V₀ / V - 1) factor where a skin may be blown up to.

    That is between V₀ and what a sphere of the same skin holds, or the volume without pressure.

    Args:
        push: P. factor: of pressure. at_rest: V₀ [m³].
    """
    fullest = net.surface**1.5 / 10.6347  # 6 √π
    if push < 1.0:
        fullest = min(fullest, at_rest / (1.0 - push))
    fullest = max(fullest, at_rest)
    most = pressure(net, rate, factor)
    return Gas((at_rest + push * fullest) / net.volume, fullest / most)


ROPE = 0.1
"""Weight of strands [kg/m] for each kilogram that Blender gives a vertex."""


def strand_stiffness(net: Net, rate: float, tension: float) -> float:
    """What resists stretching along edges without faces [N]."""
    return ROPE * rate**2 * tension * net.edge * net.unit**2


def pin_stiffness(net: Net, rate: float, spring: float) -> float:
    """Of pins [N/m for each m² or, without faces, m], of a vertex's spring in Blender's units."""
    return (1.0 if net.area else ROPE) * rate**2 * spring
