# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects that can't touch know nothing of each other; those that can are kept apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import contact_scenes as scenes
import naive
import numpy as np
import pytest
from naive.crossings import crossing_pairs

import core

pytestmark = pytest.mark.long

FRAME = 1 / 24

Add = Callable[[core.Model], core.Cloth]
Box = tuple[np.ndarray, np.ndarray]

AUTOMATIC: dict[str, Any] = {"substeps": 400, "largest_stretch": 0.03, "near_pins": True}


def sheet(side: int = 8, size: float = 0.5, **options: Any) -> Add:
    """Adds a level sheet around the origin; ``at`` says where else."""
    at = np.asarray(options.pop("at", (0.0, 0.0, 0.0)), float)
    positions, faces = naive.quad_grid(side, side, size, size)
    middle = np.array([0.5 * size, 0.5 * size, 0.0])
    return lambda model: model.add_cloth(positions - middle + at, faces, **options)


def balloon(at: Sequence[float] = (3.0, 0.0, 1.0)) -> Add:
    """Adds one that needs many substeps."""
    points, triangles = scenes.ball(8)
    return lambda model: model.add_cloth(
        points + np.asarray(at, float), triangles,
        stretch_compliance=1e-5, volume_compliance=0.0, inflation=1.5, name="balloon",
    )  # fmt: skip


curtain = sheet(pins=[0, 8], name="curtain")


class Scene:
    """Objects over a floor that rises."""

    def __init__(
        self,
        *adders: Add,
        solver: Any = None,
        gravity: Any = (0.0, 0.0, -9.81),
        dtype: Any = np.float32,
    ) -> None:
        model = core.Model(dtype)
        self.objects = [add(model) for add in adders]
        floor, faces = naive.irregular_triangles(4, 4, 8.0, 8.0)
        floor[:, 2] = 0.0
        self.floor = model.add_collider(floor - (4.0, 4.0, 0.6), faces)
        self.simulation = core.Simulation(model, solver or core.XPBD(**AUTOMATIC), gravity)

    def advance(self, frames: int = 1) -> Scene:
        for _ in range(frames):
            pins = np.concatenate([each.pins for each in self.objects])
            self.simulation.set_targets(pins, self.simulation.positions[pins] + (0.01, 0.0, 0.0))
            self.floor.set_target(self.floor.vertices + np.array([0.0, 0.0, 0.005]))
            self.simulation.advance(FRAME)
        return self

    @property
    def islands(self) -> int:
        return len(list(self.simulation.islands))

    def bytes_of(self, number: int) -> bytes:
        return bytes(self.simulation.positions[self.objects[number].particles].tobytes())

    def counts(self, number: int) -> tuple[int, int]:
        (report,) = self.simulation.reports_of(self.objects[number])
        return report.substeps, report.iterations

    @property
    def crossings(self) -> int:
        faces = np.concatenate([each.triangles for each in self.objects])
        return len(crossing_pairs(self.simulation.positions.astype(float), faces))


def test_a_balloon_far_away_changes_nothing() -> None:
    alone, only = Scene(curtain).advance(24), Scene(balloon()).advance(24)
    assert only.counts(0)[0] > 2 * alone.counts(0)[0]
    for place, adders in enumerate([(curtain, balloon()), (balloon(), curtain)]):
        both = Scene(*adders).advance(24)
        assert both.islands == 2
        for number, single in ((place, alone), (1 - place, only)):
            assert both.bytes_of(number) == single.bytes_of(0)
            assert both.counts(number) == single.counts(0)
        assert both.simulation.report()[:2] == only.simulation.report()[:2]


@pytest.mark.parametrize(
    "make",
    [
        lambda: core.XPBD(substeps=4, iterations=3, warm_start=True),
        lambda: core.XPBD(substeps=4, iterations=3, method="jacobi"),
        lambda: core.PBD(substeps=4, iterations=3),
        lambda: core.ProjectiveDynamics(),
        lambda: core.ConstrainedDynamics(),
    ],
)
def test_it_is_so_with_every_solver(make: Callable[[], Any]) -> None:
    other = sheet(5, 0.7, at=(2.0, 0.0, 0.3), name="other")
    alone = Scene(curtain, solver=make()).advance(6)
    both = Scene(other, curtain, solver=make()).advance(6)
    assert both.islands == 2
    assert both.bytes_of(1) == alone.bytes_of(0)


def pair() -> tuple[Add, Add]:
    """Two sheets, the lower one flying into the upper one."""
    return (
        sheet(thickness=0.002, at=(0.013, 0.017, 0.0), velocities=(0.0, 0.0, 2.0), name="lower"),
        sheet(thickness=0.002, at=(0.0, 0.0, 0.5), name="upper"),
    )


def falling(threads: int | None = None) -> Scene:
    """Two sheets that meet, and a third far from both."""
    return Scene(
        *pair(),
        sheet(at=(2.0, 0.0, 0.0), name="third"),
        solver=core.XPBD(substeps=20, threads=threads),
        gravity=(0.0, 0.0, 0.0),
        dtype=np.float64,
    )


def test_what_comes_together_is_one_island() -> None:
    scene, found = falling(), []
    simulation = scene.simulation
    masses = simulation.model.masses[:, None]
    momentum = (masses * simulation.velocities).sum(axis=0)
    for _ in range(24):
        scene.advance()
        found.append(scene.islands)
        assert scene.crossings == simulation.crossings == 0
        now = (masses * simulation.velocities).sum(axis=0)
        np.testing.assert_allclose(now, momentum, atol=1e-4 * momentum[2])
    assert found[0] == 3
    assert 2 in found
    assert simulation.velocities[scene.objects[1].particles, 2].mean() > 0.5


def test_threads_do_not_change_a_byte() -> None:
    results = {falling(threads).advance(16).simulation.positions.tobytes() for threads in (1, 2, 3)}
    assert len(results) == 1


def test_objects_that_do_not_collide_are_islands_wherever_they_are() -> None:
    ghost = sheet(at=(0.0, 0.0, 0.001), body_collision=False, name="ghost")
    both = Scene(curtain, ghost).advance(6)
    assert both.islands == 2
    assert both.bytes_of(0) == Scene(curtain).advance(6).bytes_of(0)
    assert both.bytes_of(1) == Scene(ghost).advance(6).bytes_of(0)


def sling(compliance: float = 0.1, collides: bool = True) -> Callable[[core.Model], core.Strands]:
    """Adds a thread between two pins."""
    return lambda model: model.add_strands(
        np.array([(-0.1, 0.013, 0.2), (0.007, 0.013, 0.2), (0.1, 0.013, 0.2)]), [(0, 1), (1, 2)],
        pins=[0, 2], stretch_compliance=compliance, density=0.01, body_collision=collides,
    )  # fmt: skip


def let_go(compliance: float, collides: bool) -> tuple[core.Simulation, int]:
    """A frame of a sling above a sheet that stands still, and the number of its middle."""
    model = core.Model()
    positions, faces = naive.quad_grid(8, 8, 0.5, 0.5)
    model.add_cloth(positions - (0.25, 0.25, 0.0), faces, pins=range(81), thickness=0.002)
    strung = sling(compliance, collides)(model)
    simulation = core.Simulation(model, core.XPBD(substeps=80), (0.0, 0.0, 0.0))
    middle = int(strung.particles[1])
    simulation.positions[middle, 2] = 0.5
    assert len(list(simulation.islands)) == 2
    simulation.advance(FRAME)
    return simulation, middle


@pytest.mark.parametrize(("compliance", "returns"), [(2.0, False), (0.1, True)])
def test_what_goes_farther_than_foreseen_is_stepped_again_with_what_it_meets(
    compliance: float, returns: bool
) -> None:
    """The middle of the sling gets to the other side of the sheet, or there and back again."""
    freely, middle = let_go(compliance, collides=False)
    lowest = min(island.reached()[0][2] for island in freely.islands)
    assert lowest < -0.03
    assert (freely.positions[middle, 2] > 0.0) == returns
    simulation, middle = let_go(compliance, collides=True)
    assert len(list(simulation.islands)) == 1
    assert simulation.positions[middle, 2] > 0.0
    assert abs(simulation.positions[middle, 2] - freely.positions[middle, 2]) > 0.02


def test_what_is_tried_in_vain_is_laid_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sheet and sling, which seem to be apart as each frame begins."""
    simulation, middle = let_go(2.0, collides=True)
    prepare, laid_out = simulation.solver.prepare, []

    def noted(model: core.Model, earlier: Any) -> Any:
        laid_out.append(model)
        return prepare(model, earlier)

    monkeypatch.setattr(simulation.solver, "prepare", noted)
    for _ in range(3):
        simulation.positions[middle] = 0.007, 0.013, 0.5
        simulation.velocities[middle] = 0.0
        simulation.advance(FRAME)
        assert len(list(simulation.islands)) == 1
    assert laid_out == []


def test_a_checkpoint_goes_on_with_what_was_tried_in_vain() -> None:
    """Its warm state is used again where a later frame seems to part the island once more."""
    simulation, _ = let_go(2.0, collides=True)
    checkpoint = simulation.checkpoint()
    assert checkpoint["islands/counts"].tolist() == [1, 2]
    other, _ = let_go(2.0, collides=True)
    other.restore(checkpoint)
    restored = other.checkpoint()
    assert restored.keys() == checkpoint.keys()
    for name, array in checkpoint.items():
        assert restored[name].tobytes() == array.tobytes(), name


def test_velocities_that_are_set_are_heeded() -> None:
    both, alone = Scene(curtain, balloon()), Scene(curtain)
    for scene in (both, alone):
        scene.advance(2)
        scene.simulation.velocities[scene.objects[0].particles] += (0.0, 1.0, 0.0)
        scene.advance(2)
    assert both.bytes_of(0) == alone.bytes_of(0)


def test_an_island_that_is_new_begins_with_the_effort_of_those_it_is_made_of() -> None:
    scene = Scene(curtain, balloon((0.0, 0.0, 3.0)), gravity=(0.0, 0.0, 0.0)).advance(12)
    curtain_before, before = scene.counts(0)[0], scene.counts(1)[0]
    assert before > 2 * curtain_before
    heights = scene.simulation.positions[scene.objects[1].particles, 2]
    scene.simulation.positions[scene.objects[1].particles, 2] -= heights.min() - 0.009
    scene.advance()
    assert scene.islands == 1
    assert scene.counts(0) == scene.counts(1)
    assert scene.counts(0)[0] == pytest.approx(before, rel=0.06)
    scene.simulation.positions[scene.objects[1].particles, 2] += 1.0
    scene.advance()
    assert scene.islands == 2
    assert scene.counts(0)[0] == pytest.approx(before, rel=0.12)
    scene.advance(12)
    assert scene.counts(0)[0] < 0.7 * before


def test_islands_that_are_new_know_where_colliders_are() -> None:
    """They are made of two that have lain on a floor that rises, and of one that has."""
    low = sheet(at=(0.0, 0.0, -0.56), name="low")
    high = sheet(at=(0.03, 0.02, 0.1), velocities=(0.0, 0.0, 1.0), name="high")
    scene = Scene(low, high, solver=core.XPBD(substeps=20))
    found = []
    for frame in range(48):
        if frame == 36:
            scene.simulation.positions[scene.objects[1].particles, 2] += 2.0
        scene.advance()
        found.append(scene.islands)
        heights = scene.simulation.positions[:, 2] - scene.floor.vertices[0, 2]
        assert heights.min() > 0.02
        assert scene.simulation.positions[scene.objects[0].particles, 2].max() < 0.0
    assert [found[place] for place in (0, 30, 36, 47)] == [2, 1, 2, 2]
    assert heights[scene.objects[0].particles].max() < 0.05


def test_forces_are_told_as_if_all_were_one() -> None:
    other = sheet(5, 0.7, at=(2.0, 0.0, 0.3), pins=[0], name="other")
    both = Scene(curtain, other).advance(4).simulation
    alone = [Scene(each).advance(4).simulation for each in (curtain, other)]
    for kind in ("bending", "distance", "strain"):
        np.testing.assert_array_equal(
            both.forces(kind), np.concatenate([each.forces(kind) for each in alone])
        )
    for group, own in zip(both.model.groups, alone[0].model.groups, strict=False):
        np.testing.assert_array_equal(both.forces(group), alone[0].forces(own))


def test_the_object_that_is_left_too_long_is_named() -> None:
    soft = sheet(30, 1.0, at=(2.0, 0.0, 0.0), pins=[0, 30], name="soft")
    solver = core.XPBD(substeps=20, largest_stretch=1e-4)
    scene = Scene(sheet(4, name="free"), soft, solver=solver).advance(6)
    report = scene.simulation.report()
    assert report.worst == "soft"
    assert report.overstretch == scene.simulation.overstretch(scene.objects[1]) > 1e-4
    assert scene.simulation.overstretch(scene.objects[0]) < 1e-4
    assert scene.simulation.reports_of(scene.objects[1])[0].worst == "soft"
    assert scene.simulation.reports_of(scene.objects[0])[0].overstretch < 1e-4


def test_the_object_that_breaks_is_named() -> None:
    scene = Scene(curtain, sheet(at=(2.0, 0.0, 0.0), name="broken"))
    scene.simulation.velocities[scene.objects[1].particles] = np.nan
    with pytest.raises(core.SimulationError, match="'broken' became unstable"):
        scene.advance()


def test_a_model_that_has_changed_is_refused() -> None:
    scene = Scene(curtain, balloon())
    sheet(at=(0.0, 9.0, 0.0))(scene.simulation.model)
    with pytest.raises(core.ModelError, match="model has changed"):
        scene.advance()


def test_bodies_are_told_whom_they_share_an_island_with() -> None:
    scene, found = falling(), set()
    assert scene.simulation.islands_of(*scene.objects) == [0, 1, 2]
    for _ in range(24):
        lower, upper, third = scene.advance().simulation.islands_of(*scene.objects)
        assert third not in (lower, upper)
        found.add(lower == upper)
    assert found == {False, True}


def overlap(one: Box, other: Box) -> bool:
    """Whether two boxes of lower and upper corners do."""
    return bool((one[0] <= other[1]).all() and (other[0] <= one[1]).all())


def test_boxes_overlap_before_bodies_share_an_island() -> None:
    """Told of simulations apart from each other, as of one that holds both."""
    both = falling()
    both.simulation.watch()
    lower, upper = (Scene(each, solver=core.XPBD(substeps=20), gravity=(0.0, 0.0, 0.0),
                          dtype=np.float64) for each in pair())  # fmt: skip
    for scene in (lower, upper):
        scene.simulation.watch()
    for _ in range(24):
        boxes = [each.advance().simulation.reach_of(each.objects[0])[0] for each in (lower, upper)]
        numbers = both.advance().simulation.islands_of(*both.objects[:2])
        told = both.simulation.reach_of(*both.objects[:2])
        if overlap(*boxes):
            break
        assert numbers[0] != numbers[1]
        np.testing.assert_array_equal(told, boxes)
    assert numbers[0] == numbers[1]
    assert overlap(*told)


@pytest.mark.parametrize("other", [(), (sheet(at=(9.0, 0.0, 0.0)),)])
def test_boxes_hold_all_that_a_body_passed_in_a_frame(other: tuple[Add, ...]) -> None:
    """A stretched thread that is let go, there and back again."""
    strung = sling()
    model = core.Model()
    thread = strung(model)
    for add in other:
        add(model)
    simulation = core.Simulation(model, core.XPBD(substeps=80), (0.0, 0.0, 0.0))
    simulation.positions[thread.particles[1], 2] = 0.5
    simulation.watch()
    simulation.advance(FRAME)
    ((low, high),) = simulation.reach_of(thread)
    assert simulation.positions[thread.particles[1], 2] > 0.0
    assert low[2] < -0.03
    assert high[2] > 0.5


def test_boxes_hold_what_a_body_was_looked_for_in() -> None:
    """Twice as far as it gets: what is there would have been stepped together with it."""
    lower = Scene(pair()[0], solver=core.XPBD(substeps=20), gravity=(0.0, 0.0, 0.0))
    with pytest.raises(ValueError, match="Call watch"):
        lower.simulation.reach_of(lower.objects[0])
    lower.simulation.watch()
    lower.advance()
    height = lower.simulation.positions[:, 2].mean()
    assert height == pytest.approx(2.0 * FRAME, rel=0.01)
    ((_, high),) = lower.simulation.reach_of(lower.objects[0])
    assert high[2] == pytest.approx(2.0 * height + 0.002, rel=0.01)
