# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the display modifier stands among an object's modifiers."""

from __future__ import annotations

import bpy

from . import display_nodes, hair_nodes, tension_nodes

MODIFIER = "XPBD"

# Modifiers that may change what vertices and faces there are.
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

# Those of them that make what is modelled whole, by one half of it or by parts that are joined.
_MODELLING = frozenset({"ARRAY", "DECIMATE", "MIRROR", "SCREW", "WELD"})

# Modifiers that may change weights of vertices, and leave these what they are.
WEIGHING = frozenset(
    {
        "DATA_TRANSFER",
        "DYNAMIC_PAINT",
        "VERTEX_WEIGHT_EDIT",
        "VERTEX_WEIGHT_MIX",
        "VERTEX_WEIGHT_PROXIMITY",
    }
)

# Modifiers that need the mesh as it is modelled: Blender lets no others that make geometry before.
_OF_ORIGINAL = frozenset({"MULTIRES", "SOFT_BODY"})


def modifier(obj: bpy.types.Object) -> bpy.types.NodesModifier | None:
    """The object's modifier of ours, None where there is none."""
    for found in obj.modifiers:
        if isinstance(found, bpy.types.NodesModifier) and display_nodes.is_display(found):
            return found
    return None


def is_generative(found: bpy.types.Modifier) -> bool:
    """Whether a modifier may change what vertices and faces there are."""
    return found.type in GENERATIVE and not any(
        is_ours(found)
        for is_ours in (display_nodes.is_display, hair_nodes.is_follow, tension_nodes.is_tension)
    )


def first_refining(obj: bpy.types.Object) -> int | None:
    """Place in the stack of the first modifier that refines what is simulated before it."""
    simulated = _MODELLING | _OF_ORIGINAL
    for place, found in enumerate(obj.modifiers):
        if is_generative(found) and found.type not in simulated:
            return place
    return None


def is_made(obj: bpy.types.Object, mode: str = "") -> bool:
    """Whether modifiers before ours make the geometry that is simulated.

    Args:
        mode: of the dependency graph, 'VIEWPORT' or 'RENDER', in which modifiers may be off; empty:
            in either.
    """
    return any(is_generative(each) and is_on(each, mode) for each in _around(obj)[0])


def is_weighed(obj: bpy.types.Object) -> bool:
    """Whether modifiers before ours, on or off, may give vertex groups other weights."""
    return is_made(obj) or bool(weighing_before(obj))


def may_weigh_before(obj: bpy.types.Object, found: bpy.types.Modifier) -> bool:
    """Whether modifiers before one, on or off, may give vertex groups other weights."""
    before = list(obj.modifiers)[: obj.modifiers.find(found.name)]
    return any(each.type in WEIGHING or is_generative(each) for each in before)


def weighing_before(obj: bpy.types.Object) -> list[bpy.types.Modifier]:
    """Modifiers before ours, on or off, that give vertex groups other weights."""
    return [each for each in _around(obj)[0] if each.type in WEIGHING]


def weighing_after(obj: bpy.types.Object) -> list[bpy.types.Modifier]:
    """Modifiers shown that give vertex groups other weights only after ours."""
    return [each for each in _around(obj)[1] if each.type in WEIGHING and each.show_viewport]


def is_remade(obj: bpy.types.Object, mode: str = "") -> bool:
    """Whether modifiers after ours make other geometry of it."""
    return any(is_generative(each) and is_on(each, mode) for each in _around(obj)[1])


def is_on(found: bpy.types.Modifier, mode: str) -> bool:
    """Whether a modifier takes part in dependency graphs of such a mode."""
    shown = {"VIEWPORT": found.show_viewport, "RENDER": found.show_render}
    return shown[mode] if mode else any(shown.values())


def _around(obj: bpy.types.Object) -> tuple[list[bpy.types.Modifier], list[bpy.types.Modifier]]:
    """The modifiers before and after ours; none where ours is missing."""
    every = list(obj.modifiers)
    for place, found in enumerate(every):
        if display_nodes.is_display(found):
            return every[:place], every[place + 1 :]
    return [], []


def put(obj: bpy.types.Object, found: bpy.types.Modifier, place: int) -> None:
    """Move a modifier that makes geometry to a place in the stack, or as near as Blender lets it.

    Args:
        place: among the others, before that which has this place there.
    """
    others = [each for each in obj.modifiers if each != found]
    behind = [index for index, each in enumerate(others, 1) if each.type in _OF_ORIGINAL]
    first = behind[-1] if behind else 0
    obj.modifiers.move(obj.modifiers.find(found.name), max(place, first))


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
