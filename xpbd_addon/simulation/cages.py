# SPDX-License-Identifier: GPL-3.0-or-later
"""The cage that a soft body would be simulated as, to be looked at before anything is."""

from __future__ import annotations

from itertools import chain

import bpy
import numpy as np
from numpy.typing import NDArray

from ..errors import SceneError
from ..scene import mesh_io
from ..scene.digests import digest
from .live import solver_lock

Lines = NDArray[np.float32]

NONE = np.empty((0, 3), np.float32)

_known: dict[int, tuple[str, Lines]] = {}


def lines_of(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Lines:
    """The edges of its tetrahedra around the shape that arrives on this frame.

    Made anew only where that has changed, and never while something is simulated.

    Returns:
        World positions [Blender units], both ends of each edge, shape (2 e, 3); none of what can't
        be simulated, which simulating says why.
    """
    try:
        positions = mesh_io.read_positions(obj, depsgraph, 1.0)
        faces = mesh_io.read_elements(obj, depsgraph)
    except SceneError:
        return NONE
    flat = faces if isinstance(faces, np.ndarray) else np.array(list(chain(*faces)), np.int32)
    key = digest([positions, flat, obj.xpbd.cell_size])
    known, lines = _known.get(obj.session_uid, ("", NONE))
    if key == known or not solver_lock.acquire(blocking=False):
        return lines
    try:
        lines = _made(positions, faces, obj.xpbd.cell_size)
    finally:
        solver_lock.release()
    _known[obj.session_uid] = key, lines
    return lines


def forget() -> None:
    """Keep no cages: the add-on is switched off."""
    _known.clear()


def _made(positions: mesh_io.Positions, faces: mesh_io.Faces, cell_size: float) -> Lines:
    from ... import core
    from ...core.mesh.cage import cage_of
    from ...core.mesh.tetrahedra import edges_of

    try:
        cage = cage_of(positions, faces, cell_size)
    except core.ModelError:
        return NONE
    return cage.positions[edges_of(cage.tetrahedra)].reshape(-1, 3).astype(np.float32)
