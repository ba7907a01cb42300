# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever is done in whatever order: in the end the cache holds what simulating at once gives."""

from __future__ import annotations

import random
from pathlib import Path

import bpy
import numpy as np
import pytest
from blender_scenes import empty_scene, sheet
from numpy.typing import NDArray
from playing import addon, frame_by_frame, play

pytestmark = pytest.mark.long

STEPS = 40
MOST_OBJECTS = 7


class Artist:
    """Does things to a scene of small cloths, some of which fall onto others.

    The first one stays: the origin of single precision lies in it.
    """

    def __init__(self, seed: int) -> None:
        self.choose = random.Random(seed)
        self.scene = empty_scene()
        self.made = 0
        for place in (0.0, 3.0, 6.0):
            self._add(place, 1.0)

    @property
    def objects(self) -> list[bpy.types.Object]:
        found: list[bpy.types.Object] = addon.simulation.session.simulated_objects(self.scene)
        return found

    def act(self) -> None:
        """Do one thing or another."""
        often = [self.add, self.soften, self.stop, self.play]
        seldom = [self.remove, self.switch, self.ignore, self.move_end, self.open_again]
        self.choose.choice(2 * often + seldom)()

    def add(self) -> None:
        if len(self.objects) < MOST_OBJECTS:
            place = self.choose.choice([0.0, 1.0, 3.0, 6.0, 9.0])
            self._add(place, 1.0 + self.choose.choice([0.05, 0.12, 0.3, 0.6]))

    def _add(self, x: float, z: float) -> None:
        """Some are pinned, some of these are led to a neighbour."""
        self.made += 1
        obj = sheet(f"Cloth {self.made}", cuts=3)
        obj.scale = (0.5, 0.5, 0.5)
        obj.location.x, obj.location.z = x, z
        obj.xpbd.pin_group = self.choose.choice(["Pins", ""])
        obj.keyframe_insert("location", frame=1)
        if self.choose.random() < 0.3:
            obj.location.x += self.choose.choice([-1.5, 1.5])
            obj.keyframe_insert("location", frame=8)

    def soften(self) -> None:
        self.choose.choice(self.objects).xpbd.stretch_stiffness = self.choose.choice([5, 50, 500])

    def remove(self) -> None:
        if len(self.objects) > 2:
            bpy.data.objects.remove(self.choose.choice(self.objects[1:]))

    def switch(self) -> None:
        """XPBD off for one, or on again."""
        off = [obj for obj in self.scene.objects if not obj.xpbd.use]
        if off or len(self.objects) > 2:
            self.choose.choice(off or self.objects[1:]).xpbd.use = bool(off)

    def ignore(self) -> None:
        settings = self.choose.choice(self.objects).xpbd
        nothing = bpy.data.collections.new("Nothing")
        settings.collision_collection = None if settings.collision_collection else nothing

    def move_end(self) -> None:
        self.scene.xpbd.frame_end = self.choose.choice([6, 7, 8, 10])

    def stop(self) -> None:
        """Simulate, and press Esc somewhere."""
        if addon.simulation.session.is_complete(self.scene):
            return
        job = addon.simulation.job.Job(self.scene)
        last = self.choose.randint(1, self.scene.xpbd.frame_end)
        with frame_by_frame():
            while job.poll():
                if job.frames_done >= last:
                    job.cancel()

    def play(self) -> None:
        play(self.scene, self.choose.randint(2, self.scene.xpbd.frame_end))

    def open_again(self) -> None:
        """What is only in memory is lost."""
        addon.simulation.session.forget()

    def simulated(self) -> dict[str, NDArray[np.float32]]:
        """All frames of all objects, shape (frames, n, 3)."""
        bpy.ops.xpbd.simulate()
        assert not addon.simulation.session.status(self.scene, exact=True).outdated
        frames = range(1, self.scene.xpbd.frame_end + 1)
        read = addon.simulation.session.cached_positions
        return {
            obj.name: np.array([read(self.scene, obj, frame) for frame in frames])
            for obj in self.objects
        }


@pytest.mark.parametrize("seed", range(6))
def test_in_the_end_it_is_as_if_simulated_at_once(seed: int, tmp_path: Path) -> None:
    artist = Artist(seed)
    for step in range(STEPS):
        artist.act()
        if step % 3 == 2:
            found = artist.simulated()
            artist.scene.xpbd.cache_directory = str(tmp_path / str(step))
            np.testing.assert_equal(found, artist.simulated())
            artist.scene.xpbd.cache_directory = ""
