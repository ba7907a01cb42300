# SPDX-License-Identifier: GPL-3.0-or-later
"""How a long simulation goes on from a checkpoint: what is read for that, and by whom it is built.

As the steps of a job both ways are generators that yield what the worker has to do.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import bpy

from ...core.frame_cache import CheckpointHead
from .. import log
from ..errors import SceneError
from ..scene import fingerprint, frame_inputs
from ..scene.frame_inputs import Row
from . import resuming, scene_input, session
from .depsgraphs import depsgraph_of
from .live import Live
from .scene_input import FrameInput, SceneInput
from .scene_session import Session

Steps = Generator[Future[Any], None, Live | None]
Rows = dict[int, dict[str, Row]]


class Resumption:
    """Checkpoints of a scene's session, for a job.

    Args:
        known: the session.
        worker: that builds simulations.
        find_scene: the scene; raises SceneError where it was deleted.
        frames: the first and the last of the range.
        is_cancelled: whether the user wants no more.
    """

    def __init__(
        self,
        known: Session,
        worker: ThreadPoolExecutor,
        find_scene: Callable[[], bpy.types.Scene],
        frames: tuple[int, int],
        is_cancelled: Callable[[], bool],
    ) -> None:
        self._session = known
        self._worker = worker
        self._find_scene = find_scene
        self._first, self._end = frames
        self._is_cancelled = is_cancelled

    def as_never_stopped(self) -> Steps:
        """Go on from the last checkpoint of valid frames; None where there is none.

        Raises:
            SceneError: the cache can't be written.
        """
        now = session.look(self._find_scene())
        for head in resuming.usable(self._session, now, self._end):
            try:
                simulation = yield from self._built(head, changed=False)
            except SceneError as error:
                log.say(f"{error}: going on from an earlier one")
                continue
            if self._is_cancelled():
                return None
            resuming.go_on(self._session, simulation)
            return simulation
        return None

    def keeping(self, last: int) -> Steps:
        """Go on from the last checkpoint up to a frame, with everything as it is now.

        Frames up to it count as if they had been simulated like that. None where it is cancelled.

        Raises:
            SceneError: there is none, or the cache can't be written.
        """
        now = session.look(self._find_scene())
        heads = resuming.before(self._session, now, last, self._end)
        if not heads:
            raise SceneError(resuming.NONE_BEFORE.format(frame=last))
        accepted = yield from self._rows_up_to(heads[0].frame)
        if self._is_cancelled():
            return None
        simulation = yield from self._built(heads[0], changed=True)
        resuming.go_on(self._session, simulation, accepted)
        return simulation

    def _rows_up_to(self, last: int) -> Generator[Future[Any], None, Rows]:
        """What the frames up to one would be simulated from now, till it is cancelled."""
        scene, found = self._find_scene(), Rows()
        for frame in range(self._first, last + 1):
            if self._is_cancelled():
                break
            scene.frame_set(frame)
            found[frame] = frame_inputs.read(scene, depsgraph_of(scene))
            yield self._worker.submit(lambda: None)  # Blender may do something else meanwhile
        return found

    def _built(self, head: CheckpointHead, *, changed: bool) -> Generator[Future[Any], None, Live]:
        """Raises SceneError."""
        start, there = self._read_at(head)
        yield (
            built := self._worker.submit(
                resuming.build, self._session, head, start, there, changed=changed
            )
        )
        return built.result()

    def _read_at(self, head: CheckpointHead) -> tuple[SceneInput, FrameInput]:
        """What is read on the first frame, and on that of a checkpoint. Raises SceneError."""
        scene = self._find_scene()
        scene.frame_set(self._first)
        fingerprint.forget_meshes()
        now, objects = session.look(scene), session.simulated_objects(scene)
        finished, depsgraph = resuming.others(head, now), depsgraph_of(scene)
        start = scene_input.read_scene(scene, depsgraph, objects, now, finished)
        scene.frame_set(head.frame)
        return start, scene_input.read_frame(scene, depsgraph_of(scene), start)
