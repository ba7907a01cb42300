# SPDX-License-Identifier: GPL-3.0-or-later
"""Choosing a solver, its own settings, strain limits, bounciness, and the read-out of strain."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from blender_scenes import empty_scene, sheet
from playing import addon

import core
from xpbd_addon.settings.solvers import SOLVERS as ENTRIES

SOLVERS = [entry.identifier for entry in ENTRIES]


@pytest.fixture
def scene() -> bpy.types.Scene:
    return empty_scene()


def simulated(scene: bpy.types.Scene, frames: int = 12) -> None:
    scene.xpbd.frame_end = frames
    assert bpy.ops.xpbd.simulate() == {"FINISHED"}


def last_positions(scene: bpy.types.Scene, obj: bpy.types.Object) -> np.ndarray:
    return addon.simulation.session.cached_positions(scene, obj, scene.xpbd.frame_end)


def edge_strain(obj: bpy.types.Object, positions: np.ndarray) -> np.ndarray:
    rest = np.array([obj.matrix_world @ vertex.co for vertex in obj.data.vertices])
    edges = np.array([edge.vertices for edge in obj.data.edges])
    lengths = np.linalg.norm(rest[edges[:, 1]] - rest[edges[:, 0]], axis=1)
    return core.edge_strain(positions, edges, lengths)


@pytest.mark.parametrize("solver", SOLVERS)
def test_each_solver_makes_cloth_of_a_sheet(scene: bpy.types.Scene, solver: str) -> None:
    """With the counts it comes with the sheet falls, hangs from its pins and hardly stretches."""
    obj = sheet(cuts=8)
    scene.xpbd.property_unset("substeps")
    scene.xpbd.solver = solver
    simulated(scene, 24)
    positions = last_positions(scene, obj)
    pinned = addon.scene.weights.read_pins(obj, obj.xpbd)[0]
    rest = np.array([obj.matrix_world @ vertex.co for vertex in obj.data.vertices])
    np.testing.assert_allclose(positions[pinned], rest[pinned], atol=1e-6)
    assert -1.3 < positions[:, 2].min() < 0.6
    assert np.abs(edge_strain(obj, positions)).max() < 0.1


def test_a_solver_brings_its_counts_along() -> None:
    settings = bpy.context.scene.xpbd
    for solver, substeps, iterations in (
        ("PROJECTIVE_DYNAMICS", 40, 4),
        ("CONSTRAINED_DYNAMICS", 10, 2),
        ("PBD", 160, 1),
        ("XPBD", 400, 8),
    ):
        settings.solver = solver
        assert (settings.substeps, settings.iterations) == (substeps, iterations)


def test_counts_that_were_chosen_stay(scene: bpy.types.Scene) -> None:
    """Each by itself."""
    settings = scene.xpbd
    settings.substeps = 77
    for solver in reversed(SOLVERS):
        settings.solver = solver
        assert settings.substeps == 77
        assert settings.iterations == settings.suited_counts[1]


def test_each_solver_says_when_to_choose_it() -> None:
    items = bpy.types.Scene.bl_rna.properties["xpbd"].fixed_type.properties["solver"].enum_items
    assert [item.identifier for item in items] == SOLVERS
    assert all("Choose" in item.description for item in items)


@pytest.mark.parametrize(
    ("solver", "name", "value"),
    [
        ("XPBD", "warm_start", 0.5),
        ("PBD", "velocity_damping", 0.5),
        ("XPBD", "solver", "PBD"),
    ],
)
def test_the_settings_of_a_solver_reach_it(
    scene: bpy.types.Scene, solver: str, name: str, value: object
) -> None:
    """They change the animation, and outdate what was cached."""
    obj = sheet()
    scene.xpbd.substeps, scene.xpbd.iterations = 10, 2
    scene.xpbd.solver = solver
    simulated(scene, 8)
    before = last_positions(scene, obj)
    setattr(scene.xpbd, name, value)
    assert addon.simulation.session.status(scene, exact=True).outdated
    simulated(scene, 8)
    assert np.abs(last_positions(scene, obj) - before).max() > 1e-5


def test_settings_of_another_solver_do_not_outdate_the_cache(scene: bpy.types.Scene) -> None:
    sheet()
    simulated(scene, 3)
    scene.xpbd.velocity_damping = 0.7
    assert not addon.simulation.session.status(scene, exact=True).outdated


def test_zero_compliance_is_refused_by_projective_dynamics(scene: bpy.types.Scene) -> None:
    obj = sheet("Banner")
    obj.xpbd.stretch_compliance = 0.0
    scene.xpbd.solver = "PROJECTIVE_DYNAMICS"
    with pytest.raises(RuntimeError, match="ompliance"):
        bpy.ops.xpbd.simulate()
    assert addon.simulation.session.status(scene, exact=True).last is None


def test_calm_refuses_strands_and_simulates_the_cloth_beside_them(scene: bpy.types.Scene) -> None:
    """Along strands it would swing four times too slowly."""
    rope, cloth = sheet("Rope"), sheet("Cape")
    rope.xpbd.kind = "STRANDS"
    scene.xpbd.solver, scene.xpbd.frame_end = "PROJECTIVE_DYNAMICS", 2
    bpy.ops.xpbd.simulate()
    (sentence,) = addon.simulation.session.left_out(scene)
    assert sentence.startswith("'Rope' is made of strands, along which Calm is too slow")
    assert "(Standard, Classic or Unstretchable)" in sentence
    assert addon.simulation.session.cached_measures(scene, cloth, 2) is not None
    scene.xpbd.solver = "XPBD"
    bpy.ops.xpbd.simulate()
    assert not addon.simulation.session.left_out(scene)


# --- strain limits and bounciness -----------------------------------------------------------------


@pytest.mark.parametrize("solver", SOLVERS)
def test_strain_limits_hold_a_soft_sheet(scene: bpy.types.Scene, solver: str) -> None:
    largest = []
    for limited in (False, True):
        obj = sheet("Soft")
        obj.xpbd.stretch_compliance = obj.xpbd.shear_compliance = 0.5
        obj.xpbd.use_strain_limits, obj.xpbd.stretch_limit = limited, 10.0
        scene.xpbd.substeps, scene.xpbd.iterations = 20, 10
        scene.xpbd.solver = solver
        simulated(scene, 24)
        largest.append(edge_strain(obj, last_positions(scene, obj)).max())
        bpy.data.objects.remove(obj)
    assert largest[0] > 0.2
    assert largest[1] < 0.12


def test_bounciness_throws_it_back(scene: bpy.types.Scene) -> None:
    """A sheet that falls flat onto a floor 0.5 m below rises again to e² of the height."""
    bpy.ops.mesh.primitive_plane_add(size=10.0, location=(0, 0, 0))
    bpy.ops.object.modifier_add(type="COLLISION")
    heights = []
    for bounciness in (0.0, 0.8):
        obj = sheet("Ball")
        obj.xpbd.pin_group = ""
        obj.location.z = 0.5
        obj.xpbd.drag = 0.0
        obj.xpbd.restitution = bounciness
        scene.xpbd.substeps = 40
        simulated(scene, 20)
        shown = (
            addon.simulation.session.cached_positions(scene, obj, frame) for frame in range(11, 21)
        )
        heights.append(max(positions[:, 2].mean() for positions in shown))
        bpy.data.objects.remove(obj)
    assert heights[0] < 0.05
    assert heights[1] > 0.2


# --- the read-out ---------------------------------------------------------------------------------


def test_the_measures_are_those_of_the_cached_frame(scene: bpy.types.Scene) -> None:
    one, other = sheet("One"), sheet("Other")
    other.location.x = 5.0
    other.xpbd.stretch_compliance = 0.05
    simulated(scene, 6)
    for obj in (one, other):
        for frame in (2, 4, 6):
            strain = edge_strain(obj, addon.simulation.session.cached_positions(scene, obj, frame))
            found = addon.simulation.session.cached_measures(scene, obj, frame)
            assert found.largest_strain == pytest.approx(strain.max(), abs=2e-5)
            assert found.mean_strain == pytest.approx(np.abs(strain).mean(), abs=2e-5)
            assert 0.0 < found.residual < 0.1
    first = addon.simulation.session.cached_measures(scene, one, 1)
    assert (first.largest_strain, first.mean_strain, first.residual) == (0.0, 0.0, 0.0)
    assert addon.simulation.session.cached_measures(scene, one, 7) is None


def test_more_substeps_leave_less_strain_and_residual(scene: bpy.types.Scene) -> None:
    found = []
    for substeps in (2, 40):
        obj = sheet()
        scene.xpbd.substeps = substeps
        simulated(scene, 10)
        found.append(addon.simulation.session.cached_measures(scene, obj, 10))
        bpy.data.objects.remove(obj)
    assert found[1].largest_strain < found[0].largest_strain
    assert found[1].residual < found[0].residual


def test_measures_are_written_for_people() -> None:
    text = addon.simulation.measures.Measures(0.0321, 0.00456, 1.23e-5)
    assert str(text) == "Stretch 3.2 % max, 0.46 % mean"
    assert text.residual_text == "Still off by 0.012 mm"
    lengths = (0.0, "less than 0.001 mm"), (9.9e-5, "0.099 mm"), (0.0234, "23.4 mm")
    for residual, shown in lengths:
        text = addon.simulation.measures.Measures(0.0, 0.0, residual)
        assert text.residual_text == f"Still off by {shown}"
    assert text._replace(bend_error=0.004).residual_text == "Still off by 23.4 mm"
    assert text._replace(bend_error=0.073).residual_text == "Still off by 23.4 mm, bend by 7 %"


def test_a_cache_without_measures_still_plays(scene: bpy.types.Scene) -> None:
    """As another program may write it."""
    obj = sheet()
    simulated(scene, 4)
    cache = addon.simulation.session.of(scene).cache
    frames = {frame: cache.read(obj.xpbd.cache_id, frame) for frame in range(1, 5)}
    cache.create(cache.fingerprint, cache.objects, 1, "simulate")
    for frame, positions in frames.items():
        cache.append(frame, {obj.xpbd.cache_id: positions})
    assert addon.simulation.session.cached_measures(scene, obj, 3) is None
    scene.frame_set(3)
    np.testing.assert_array_equal(
        addon.simulation.session.shown_positions(scene, obj, 3), frames[3]
    )
