# SPDX-License-Identifier: GPL-3.0-or-later
"""A force field as Blender has them, described in world space."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelError

KINDS = ("FORCE", "WIND", "VORTEX", "MAGNET", "HARMONIC", "TURBULENCE", "DRAG")
FORCE, WIND, VORTEX, MAGNET, HARMONIC, TURBULENCE, DRAG = range(7)
SHAPES = ("POINT", "LINE", "PLANE")
POINT, LINE, PLANE = range(3)
FALLOFFS = ("SPHERE", "TUBE", "CONE")
SPHERE, TUBE, CONE = range(3)
DIRECTIONS = ("BOTH", "POSITIVE", "NEGATIVE")
BOTH, POSITIVE, NEGATIVE = range(3)

Vector = tuple[float, float, float]

NOWHERE = -1.0
"""A smallest or greatest distance that is not used."""


@dataclass(frozen=True, kw_only=True)
class Field:
    """A force field; what its numbers do is told by `field_force` and `falloff`.

    Attributes:
        name: how messages call it.
        kind: of `KINDS`. shape: what of the field object it comes from, of `SHAPES`.
        origin: of the field object [m]; axis: its local z, of any length.
        world: the world's origin [m], where places are told from another one.
        strength: in Blender's unit, the acceleration of a particle of 1 kg [m/s²].
        flow: how far the strength is that of a medium which moves with the force, and brakes.
        weight: by which all of the field counts; at zero or below it is off.
        falloff: of `FALLOFFS`, with its power and nearest and farthest distances [m] (`NOWHERE`:
            not used); the same of the radius [m] of tubes and the angle [degrees] of cones.
        direction: of `DIRECTIONS`: the sides, along the axis, on which it acts.
        gravity_falloff: a force falls with the square of the distance, too.
        noise: random part of the strength; seed: of that, another on each frame.
        size: of turbulence [m]. in_world: turbulence does not move with the field object.
        rest_length: of a harmonic field [m]; damping: its own.
        linear_drag, quadratic_drag: as Blender calls them, whose first one counts by v².
        across: part of the force that acts only along the normals of faces.

    Raises:
        ModelError: a number is not finite, or a word is none of those.
    """

    name: str = "field"
    kind: str = "FORCE"
    shape: str = "POINT"
    falloff: str = "SPHERE"
    direction: str = "BOTH"
    origin: Vector = (0.0, 0.0, 0.0)
    axis: Vector = (0.0, 0.0, 1.0)
    world: Vector = (0.0, 0.0, 0.0)
    strength: float = 1.0
    flow: float = 0.0
    weight: float = 1.0
    power: float = 0.0
    nearest: float = NOWHERE
    farthest: float = NOWHERE
    radial_power: float = 0.0
    radial_nearest: float = NOWHERE
    radial_farthest: float = NOWHERE
    gravity_falloff: bool = False
    noise: float = 0.0
    seed: int = 1
    size: float = 0.0
    in_world: bool = False
    rest_length: float = 0.0
    damping: float = 0.0
    linear_drag: float = 0.0
    quadratic_drag: float = 0.0
    across: float = 0.0

    def __post_init__(self) -> None:
        for word, words in zip(astuple(self)[1:5], _WORDS, strict=True):
            if word not in words:
                raise ModelError(f"The field '{self.name}' can't be {word}, only one of {words}.")
        numbers = [*self.origin, *self.axis, *self.world, *astuple(self)[8:]]
        if not all(map(math.isfinite, numbers)):
            raise ModelError(
                f"A setting of the field '{self.name}' is not a finite number: type another one."
            )


_WORDS = (KINDS, SHAPES, FALLOFFS, DIRECTIONS)
_TYPES: dict[str, Any] = {
    "str": np.int64, "int": np.int64, "bool": np.int64, "float": np.float64,
    "Vector": (np.float64, 3),
}  # fmt: skip
FIELD = np.dtype([(each.name, _TYPES[str(each.type)]) for each in fields(Field)[1:]])
"""A field for native code: words by their numbers, the axis of length 1."""


def records_of(given: Sequence[Field]) -> NDArray[Any]:
    """Fields for native code, one at least: the last one is none."""
    records = np.zeros(len(given) + 1, FIELD)
    for place, field in enumerate(given):
        words = [words.index(word) for word, words in zip(astuple(field)[1:5], _WORDS, strict=True)]
        records[place] = (*words, *astuple(field)[5:])
        length = math.hypot(*field.axis)
        records["axis"][place] = np.array(field.axis) / length if length > 0.0 else (0.0, 0.0, 1.0)
    return records
