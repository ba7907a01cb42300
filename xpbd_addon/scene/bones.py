# SPDX-License-Identifier: GPL-3.0-or-later
"""The deforming bones of an armature: where they are, and how they have moved."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from ..errors import SceneError
from . import visible

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class BonesInput:
    """Bones on a frame, in the order of the armature.

    Attributes:
        armature: its name.
        names: of the bones.
        places: from each bone's own space to the world [m], shape (b, 3, 4).
        lengths: in the bone's own space, along its Y axis, shape (b,).
        reach: how far around them they take the inside along [m].
    """

    armature: str
    names: tuple[str, ...]
    places: Numbers
    lengths: Numbers
    reach: float

    @property
    def ends(self) -> Numbers:
        """Where each begins and ends [m], shape (b, 2, 3)."""
        heads = self.places[:, :, 3]
        tails = heads + self.lengths[:, None] * self.places[:, :, 1]
        return np.stack([heads, tails], axis=1)

    def movements(self, now: BonesInput) -> Numbers:
        """How they have moved since, x → A x + b as [A b] in the world [m], shape (b, 3, 4).

        Raises:
            SceneError: there are other bones now, or one could not be followed from the start.
        """
        if now.names != self.names:
            raise SceneError(
                f"The deforming bones of '{self.armature}' are others than at the start: simulate "
                "again from the start"
            )
        turns = now.places[:, :, :3] @ np.linalg.inv(self.places[:, :, :3])
        shifts = now.places[:, :, 3] - np.einsum("bij,bj->bi", turns, self.places[:, :, 3])
        return np.concatenate([turns, shifts[:, :, None]], axis=2)

    def directions(self, points: Numbers) -> Numbers:
        """Of points, shape (n, 3), how the nearest bone runs: unit vectors, shape (n, 3)."""
        least = np.full(len(points), np.inf)
        found = np.empty((len(points), 3))
        for start, end in self.ends:
            along, away = end - start, points - start
            share = np.clip(away @ along / (along @ along), 0.0, 1.0)
            distances = np.linalg.norm(away - share[:, None] * along, axis=1)
            closer = distances < least
            least[closer], found[closer] = distances[closer], along / np.linalg.norm(along)
        return found


def of(obj: bpy.types.Object) -> bpy.types.Object | None:
    """The armature that leads the inside of an object, if any does."""
    return obj.xpbd.bones if obj.xpbd.kind == "SOFT_BODY" else None


def names(armature: bpy.types.Object) -> tuple[str, ...]:
    """Of its deforming bones."""
    assert isinstance(armature.data, bpy.types.Armature)
    return tuple(bone.name for bone in armature.data.bones if bone.use_deform)


def read(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph, scale: float) -> BonesInput | None:
    """The bones that lead the inside of an object now; None where none do.

    Raises:
        SceneError: they can't lead anything.
    """
    armature = of(obj)
    if armature is None:
        return None
    check(obj, armature, depsgraph)
    evaluated = armature.evaluated_get(depsgraph)
    assert evaluated.pose is not None
    posed = [evaluated.pose.bones[name] for name in names(armature)]
    world = np.array(evaluated.matrix_world, np.float64)
    places = (world @ np.array([bone.matrix for bone in posed], np.float64))[:, :3]
    places[:, :, 3] *= scale
    flat = np.flatnonzero(np.abs(np.linalg.det(places[:, :, :3])) < visible.SMALLEST_SCALE**3)
    if len(flat):
        raise SceneError(
            f"Bone '{posed[flat[0]].name}' of '{armature.name}', which leads '{obj.name}', is "
            "scaled to zero: give each of its axes some scale, or switch off its Deform"
        )
    places[:, :, :3] *= scale
    lengths = np.array([bone.bone.length for bone in posed])
    reach = obj.xpbd.bone_reach * scale
    return BonesInput(armature.name, names(armature), places, lengths, reach)


def check(
    obj: bpy.types.Object, armature: bpy.types.Object, depsgraph: bpy.types.Depsgraph
) -> None:
    """Raise SceneError where the bones of an armature can't be read, or there are none."""
    if armature.data.is_editmode:
        raise SceneError(
            f"'{armature.name}', whose bones lead '{obj.name}', is in Edit Mode: leave it with Tab "
            "first"
        )
    if not visible.is_shown(armature, depsgraph):
        raise SceneError(
            f"'{armature.name}', whose bones lead '{obj.name}', is hidden or its collection is "
            "switched off: show it, or clear Bones"
        )
    if not names(armature):
        raise SceneError(
            f"'{armature.name}' has no deforming bones to lead '{obj.name}': switch on Deform of "
            "some, or clear Bones"
        )
