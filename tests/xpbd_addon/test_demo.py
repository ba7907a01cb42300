# SPDX-License-Identifier: GPL-3.0-or-later
"""The demo's figure is whole, walks, and its garments start apart and stay so."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from numpy.typing import NDArray
from playing import addon

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "demo"))

import drape
import figure
import garments
import stage
import surface
import walk

SIMULATED = 16
each_garment = pytest.mark.parametrize("made", [garments.skirt, garments.tunic, garments.poncho])


def sides(faces: list[list[int]]) -> NDArray[np.int64]:
    """How many faces lie at each edge of a mesh."""
    edges = [(face[k - 1], face[k]) for face in faces for k in range(len(face))]
    return np.unique(np.sort(edges, axis=1), axis=0, return_counts=True)[1]


def test_the_figure_is_one_closed_surface() -> None:
    points, quads = surface.mesh(figure.parts(), figure.CELL)
    assert np.isin(sides(quads.tolist()), 2).all()
    assert len(points) - 2 * len(quads) + len(quads) == 2  # Euler: like a ball
    corners = points[quads[:, :3]]
    volume = np.linalg.det(corners).sum() / 3.0  # half of each quad, twice
    assert 0.03 < volume < 0.09
    assert np.abs(surface.distance(figure.parts(), points)).max() < 1e-4


def test_skin_follows_the_bone_it_lies_on() -> None:
    points, _ = surface.mesh(figure.parts(), figure.CELL)
    weights = figure.skin_weights(points)
    np.testing.assert_allclose(sum(weights.values()), 1.0)
    assert weights["head"][points[:, 2] > 1.66].min() > 0.99
    for side, sign in (("L", 1.0), ("R", -1.0)):
        assert weights[f"hand.{side}"][sign * points[:, 0] > 0.6].min() > 0.9
        assert weights[f"foot.{side}"][sign * points[:, 0] < 0.0].max() < 0.01


def test_the_foot_that_bears_stays_where_it_is() -> None:
    rig = figure.add_figure(bpy.context.scene, bpy.data.materials.new("Skin")).parent
    walk.animate(rig, walk.STRIDING + walk.CYCLE)
    first = walk.LOWERED + walk.CYCLE  # the left foot is set down
    found = []
    for frame in range(first + 2, first + 9):
        bpy.context.scene.frame_set(frame)
        found.append(rig.pose.bones["foot.L"].head.copy())
    start = rig.pose.bones["foot.L"].bone.head_local
    assert max((place - found[0]).length for place in found) < 0.006
    assert max(abs(place.z - start.z) for place in found) < 0.006
    assert found[0].y < start.y - 0.5


@each_garment
def test_garments_start_with_room_around_the_figure(made: Callable[[], Any]) -> None:
    points, faces = made()
    assert surface.distance(figure.parts(), points).min() > 0.012  # thicknesses and some more
    assert set(sides(faces)) == {1, 2}


@pytest.mark.long
def test_garments_lie_on_each_other_and_nothing_goes_through() -> None:
    scene = bpy.context.scene
    scene.xpbd.frame_start, scene.xpbd.frame_end = 1, SIMULATED
    worn = stage.add_dressed_figure(scene, (0.0, 0.0, 0.0), SIMULATED)
    for garment, fabric in worn:
        drape.make_cloth(garment, fabric)
    bpy.ops.xpbd.simulate()
    session = addon.simulation.session
    for garment, _ in worn:
        points = session.cached_positions(scene, garment, SIMULATED)
        assert np.isfinite(points).all()
        assert points[:, 2].min() > 0.3
        measured = [session.cached_measures(scene, garment, at) for at in range(2, SIMULATED + 1)]
        assert max(found.crossings for found in measured) == 0
        assert max(found.largest_strain for found in measured) < 0.5
