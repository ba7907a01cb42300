# SPDX-License-Identifier: GPL-3.0-or-later
"""A walk for the figure: it stands, lets its arms down, and walks off along -y."""

from __future__ import annotations

import math

import bpy
from figure import bones
from mathutils import Quaternion, Vector

STAND, LOWERED, STRIDING = 8, 22, 36  # arms start down, are down, the walk is in full swing
CYCLE = 26  # frames of two steps
REACH = 0.23  # metres that a foot is set down before the hips
STANCE = 0.6  # part of a cycle that a foot is on the ground
X, Y, Z = Vector((1.0, 0.0, 0.0)), Vector((0.0, 1.0, 0.0)), Vector((0.0, 0.0, 1.0))
_SPEED = 2.0 * REACH / (STANCE * CYCLE)  # metres a frame


def animate(rig: bpy.types.Object, frames: int) -> None:
    """Key the armature's bones on every frame from 1 on."""
    for bone in rig.pose.bones:
        bone.rotation_mode = "QUATERNION"
    travelled = 0.0
    for frame in range(1, frames + 1):
        travelled += _SPEED * _amount(frame)
        turns, shift = pose(frame)
        shift.y -= travelled
        for bone in rig.pose.bones:
            rest = bone.bone.matrix_local.to_quaternion()
            turn = turns.get(bone.name, Quaternion())
            bone.rotation_quaternion = rest.inverted() @ turn @ rest
            bone.keyframe_insert("rotation_quaternion", frame=frame)
        pelvis = rig.pose.bones["pelvis"]
        pelvis.location = pelvis.bone.matrix_local.to_3x3().inverted() @ shift
        pelvis.keyframe_insert("location", frame=frame)


def pose(frame: float) -> tuple[dict[str, Quaternion], Vector]:
    """Turns of the bones against their parents, in the armature's axes, and the hips' shift."""
    amount, phase = _amount(frame), (frame - LOWERED) / CYCLE
    swing = amount * math.cos(2.0 * math.pi * phase)  # 1 where the left foot is in front
    sway = amount * math.sin(2.0 * math.pi * phase)  # 1 where the left foot bears
    bob = amount * math.cos(4.0 * math.pi * phase)
    shift = Vector((0.018 * sway, 0.0, -0.022 * amount - 0.012 * bob))
    hips = Quaternion(Z, -0.10 * swing) @ Quaternion(Y, 0.05 * sway)
    turns = {
        "pelvis": hips,
        "spine": Quaternion(Z, 0.08 * swing) @ Quaternion(Y, -0.04 * sway),
        "chest": Quaternion(Z, 0.12 * swing) @ Quaternion(Y, -0.02 * sway),
        "neck": Quaternion(Z, -0.06 * swing),
        "head": Quaternion(Z, -0.04 * swing),
    }
    for side, sign in (("L", 1.0), ("R", -1.0)):
        turns |= _arm(side, sign, _smooth((frame - STAND) / (LOWERED - STAND)), -sign * swing)
        turns |= _leg(side, (phase if side == "L" else phase + 0.5) % 1.0, amount, hips, shift)
    return turns, shift


def _arm(side: str, sign: float, lowered: float, swing: float) -> dict[str, Quaternion]:
    """An arm that hangs as far as it is lowered and swings, forward above zero."""
    bend = lowered * (0.22 + 0.16 * swing)
    elbow = Vector((-1.0, 0.0, -sign)).normalized()  # across the arm as it is at rest
    upper = Quaternion(X, -0.42 * swing) @ Quaternion(Y, sign * 0.44 * lowered)
    return {f"upper_arm.{side}": upper, f"forearm.{side}": Quaternion(elbow, bend)}


def _leg(
    side: str, phase: float, amount: float, hips: Quaternion, shift: Vector
) -> dict[str, Quaternion]:
    """A leg that is bent until it reaches as far as the foot has to go, then turned there."""
    place = bones()
    pelvis, hip, knee, foot = (
        Vector(place[name][0])
        for name in ("pelvis", f"thigh.{side}", f"shin.{side}", f"foot.{side}")
    )
    ahead, lift, pitch = (amount * value for value in _step(phase))
    upper, lower = knee - hip, foot - knee
    way = foot + Vector((0.0, -ahead, lift)) - (pelvis + shift + hips @ (hip - pelvis))
    product = 0.5 * (way.length_squared - upper.length_squared - lower.length_squared)
    straight = math.atan2(upper.y, -upper.z) - math.atan2(lower.y, -lower.z)
    bent = math.acos(min(product / (upper.length * lower.length), 1.0)) + straight
    knee_turn = Quaternion(X, bent)
    thigh = (upper + knee_turn @ lower).rotation_difference(way)
    return {
        f"thigh.{side}": hips.inverted() @ thigh,
        f"shin.{side}": knee_turn,
        f"foot.{side}": (thigh @ knee_turn).inverted() @ Quaternion(X, pitch),
    }


def _step(phase: float) -> tuple[float, float, float]:
    """Of a foot: how far before the hips [m], how high [m], toes how far down [rad]."""
    heel = _smooth((phase - 0.38) / (STANCE - 0.38))
    if phase < STANCE:
        strike = -0.2 * (1.0 - _smooth(phase / 0.1))
        return REACH * (1.0 - 2.0 * phase / STANCE), 0.055 * heel, 0.45 * heel + strike
    s = (phase - STANCE) / (1.0 - STANCE)
    slope = -2.0 * REACH * (1.0 - STANCE) / STANCE
    hermite = REACH * (6.0 * s * s - 4.0 * s**3 - 1.0) + slope * s * (1.0 - s) * (1.0 - 2.0 * s)
    lift = 0.055 * (1.0 - _smooth(s)) + 0.06 * math.sin(math.pi * s) ** 2
    return hermite, lift, 0.45 - 0.65 * _smooth(s)


def _amount(frame: float) -> float:
    """0 while the figure stands, 1 in full stride."""
    return _smooth((frame - LOWERED) / (STRIDING - LOWERED))


def _smooth(value: float) -> float:
    """From 0 to 1, level at both ends."""
    t = min(max(value, 0.0), 1.0)
    return t * t * (3.0 - 2.0 * t)
