# SPDX-License-Identifier: GPL-3.0-or-later
"""What is taken over of an object, and what both of Blender's simulations have alike."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import bpy

from ...settings.constraints import SOFTEST
from ...settings.surroundings import WEIGHTS
from . import clock, springs
from .goals import Pins
from .springs import Net

_LEAST_MASS = 1e-4
_MOST_FRICTION = 10.0  # Blender's default of 5 is a Coulomb coefficient of 0.5


@dataclass
class Taken:
    """What an object is simulated with from now on.

    Attributes:
        kind: as ``Object.xpbd.kind``.
        values: of properties of ``Object.xpbd``, by name.
        weights: of gravity and fields, by name, and their collection.
        pins: the pin group; None where nothing is pinned.
        collides: whether with anything but itself.
        lost: what can't be carried over, a sentence each.
    """

    kind: str
    values: dict[str, Any] = field(default_factory=dict)
    weights: dict[str, Any] = field(default_factory=dict)
    pins: Pins | None = None
    collides: bool = True
    lost: list[str] = field(default_factory=list)

    def lose(self, sentence: str, when: object = True) -> None:
        """Say what can't be carried over, if it is so."""
        if when:
            self.lost.append(sentence)


@dataclass(frozen=True)
class Springs:
    """Stiffnesses of Blender's springs in its own units, and how time goes."""

    tension: float
    shear: float
    bending: float
    rate: float


def take_material(taken: Taken, net: Net, mass: float, given: Springs) -> None:
    """Weight and stiffness.

    Args:
        mass: of a vertex, in Blender's kilograms.
    """
    if taken.kind == "STRANDS":
        taken.values |= {
            "line_density": springs.ROPE * max(mass, _LEAST_MASS),
            "strand_stretch_stiffness": springs.strand_stiffness(net, given.rate, given.tension),
            "strand_bend_compliance": SOFTEST,
        }
        taken.lose("Bending: strands hang limp, set Bend by hand", given.bending > 0.0)
        return
    found = springs.membrane(net, given.rate, given.tension, given.shear)
    taken.values |= {
        "areal_density": max(mass, _LEAST_MASS),
        "stretch_stiffness": found.stretch,
        "shear_stiffness": found.shear,
        "poisson_ratio": found.poisson_ratio,
        "bend_stiffness": springs.flexural_rigidity(net, given.rate, given.bending),
    }
    soft = 0.0 < taken.values["bend_stiffness"] <= 1.0 / SOFTEST
    taken.lose("Bending: it is so soft that it counts as none", soft)
    taken.lose(
        "the uneven mesh: Blender makes its small cells heavier and softer than its large ones, "
        "XPBD makes all alike",
        net.unevenness > 0.5,
    )


def take_drag(taken: Taken, mass: float, viscosity: float, rate: float) -> None:
    """What slows each vertex down, of the force 0.01 viscosity × speed."""
    taken.values["drag"] = 0.01 * viscosity * rate / max(mass, _LEAST_MASS)


def take_gravity(taken: Taken, effectors: bpy.types.EffectorWeights, rate: float) -> None:
    """The weights of gravity and of force fields."""
    taken.weights = {name: getattr(effectors, name) for name in ("all", *WEIGHTS.values())}
    taken.weights["gravity"] = effectors.gravity * clock.part_of_gravity(rate)
    taken.weights["collection"] = effectors.collection


def take_friction(taken: Taken, friction: float) -> None:
    """Of what is touched."""
    taken.values["friction"] = min(0.1 * friction, _MOST_FRICTION)
