# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the display modifier stands among an object's modifiers."""

from __future__ import annotations

import bpy

from . import display_nodes, hair_nodes

MODIFIER = "XPBD"

# Modifiers that change how many vertices there are; ours stands before the first of them.
GENERATIVE = frozenset(
    {
        "ARRAY",
        "BEVEL",
        "BOOLEAN",
        "BUILD",
        "DECIMATE",
        "EDGE_SPLIT",
        "EXPLODE",
        "FLUID",
        "MASK",
        "MESH_TO_VOLUME",
        "MIRROR",
        "MULTIRES",
        "NODES",
        "OCEAN",
        "PARTICLE_INSTANCE",
        "REMESH",
        "SCREW",
        "SKIN",
        "SOLIDIFY",
        "SUBSURF",
        "TRIANGULATE",
        "VOLUME_TO_MESH",
        "WELD",
        "WIREFRAME",
    }
)


def modifier(obj: bpy.types.Object) -> bpy.types.NodesModifier | None:
    """The object's modifier of ours, None where there is none."""
    for found in obj.modifiers:
        if isinstance(found, bpy.types.NodesModifier) and display_nodes.is_display(found):
            return found
    return None


def first_generative(obj: bpy.types.Object) -> int | None:
    """Place in the stack of the first modifier that changes the number of vertices."""
    for place, found in enumerate(obj.modifiers):
        ours = display_nodes.is_display(found) or hair_nodes.is_follow(found)
        if found.type in GENERATIVE and not ours:
            return place
    return None


def is_writable(obj: bpy.types.Object) -> bool:
    """Whether the object belongs to this file, be it as a library override.

    Its mesh need not: the positions shown are not saved anyway.
    """
    return obj.library is None


def linked(obj: bpy.types.Object) -> str:
    """What to do with an object that is not writable, for the user."""
    return (
        f"'{obj.name}' is linked from another file: make a library override of it "
        "(Object > Library Override > Make), or make it local"
    )
