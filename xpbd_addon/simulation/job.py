# SPDX-License-Identifier: GPL-3.0-or-later
"""A long simulation into the cache.

The main thread sets frames and reads the scene, some frames ahead; one worker thread simulates them
and stores what comes out, without Blender. The steps stand in `Job._steps`, a generator that yields
what the worker has to do. A modal operator polls it, `run_blocking` waits for it: both do the same
work.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any

import bpy

from ..errors import SceneError, together
from ..scene import display_modifier, fingerprint
from . import live, scene_input, session, taking_part, warmup
from .depsgraphs import depsgraph_of
from .job_progress import JobProgress
from .live import Live
from .read_ahead import Ahead
from .resumption import Resumption
from .scene_input import FrameInput

_READS_FOR = 0.1  # seconds, before Blender may do something else
_COMPILED_YET = 0.05  # seconds between two looks

Progress = Callable[[int, int], None]
_current: Job | None = None


class Job(JobProgress):
    """A running simulation of one scene.

    Args:
        kept_until: frames up to this one, or to the last checkpoint before it, are kept though they
            may be outdated, and those after it simulated; None: what lacks or is outdated is.

    Attributes:
        scene_name: name of the scene at the start.
        is_cancelled: whether it stops as soon as it can, or has stopped because of that.
        was_complete: whether it found that nothing has to be simulated.
        on_close: called once when it has ended, for whatever reason.

    Raises:
        SceneError: there is nothing to simulate, something can't be used, or another job runs.
    """

    def __init__(self, scene: bpy.types.Scene, kept_until: int | None = None) -> None:
        global _current
        if _current is not None:
            raise SceneError("A simulation is running: wait for it or cancel it with Esc")
        taking_part.check(scene, session.evaluated_depsgraph(scene))
        self.session = session.open_for_writing(scene)
        display_modifier.put_back(session.simulated_objects(scene))
        super().__init__(scene.xpbd.frame_end - scene.xpbd.frame_start + 1)
        self.scene_name = scene.name
        self.scene_uid = scene.session_uid
        self.was_complete = False
        self.on_close: list[Callable[[], None]] = []
        self._range = (scene.xpbd.frame_start, scene.xpbd.frame_end)
        self._frame_before = (scene.frame_current, scene.frame_subframe)
        self._kept_until = kept_until
        self.is_cancelled = False
        self._is_told = False
        self._running = True
        self._pending: Future[Any] | None = None
        self._ahead: Ahead | None = None
        self._worker = ThreadPoolExecutor(1, "xpbd solver")
        self._resumption = Resumption(
            self.session, self._worker, self.scene, self._range, lambda: self.is_cancelled
        )
        self._generator = self._steps()
        self._solver = scene.xpbd.solver
        warmup.start(self._solver, again=True)
        _current = self

    @property
    def frame_read(self) -> int:
        """The last frame that was read, which Blender shows; 0 before."""
        return self._ahead.next_frame - 1 if self._ahead is not None else 0

    def show_done(self) -> None:
        """Have Blender show the last frame that is done, give or take one: reading ahead, it went
        beyond that, and cloth were seen beside colliders of a later frame.
        """
        if self._ahead is None or not self._running:
            return
        done = self._range[0] + self.frames_done - 1
        if not done <= self.scene().frame_current <= done + 1:
            self.scene().frame_set(done)

    def can_do_without(self, seconds: float) -> bool:
        """Whether it goes on for so long without the main thread, as far as is known."""
        if self._ahead is None:
            return False
        self._ahead.drawing = seconds
        return self._ahead.is_enough()

    def cancel(self) -> None:
        """Stop after the frame, or the object, in work; the frames done are kept."""
        self.is_cancelled = True
        self.message = f"Stopping, after this: {self.message}" if self.message else "Stopping"

    def poll(self, timeout: float | None = None) -> bool:
        """Go on when the worker is done, on the main thread.

        Args:
            timeout: seconds to wait for the worker at most; None waits until it is done.

        Returns:
            Whether there is more to do.

        Raises:
            SceneError: the simulation had to stop; the frames before are kept.
        """
        if not self._running:
            return False
        if self._pending is not None and self._pending not in wait([self._pending], timeout).done:
            return True
        try:
            self._pending = next(self._generator)
        except StopIteration:
            self.close()
            return False
        except SceneError as error:
            self.close()
            if not self._is_told:  # else of each object
                self.session.error = str(error)
            raise
        except BaseException:
            self.close()
            raise
        return True

    def close(self, *, restore_frame: bool = True) -> None:
        """End it: wait for the worker, go back to the frame the user was on."""
        global _current
        if not self._running:
            return
        self._running = False
        self._generator.close()
        self._worker.shutdown(wait=True, cancel_futures=True)
        self.session.is_written = False
        try:
            if restore_frame:
                if session.take_back(self.scene()):
                    self.frames_done = session.frames_cached(self.scene())
                frame, subframe = self._frame_before
                self.scene().frame_set(frame, subframe=subframe)
        except SceneError:
            self.message = "The scene was deleted"
        finally:
            _current = None
            for callback in self.on_close:
                callback()

    def _steps(self) -> Iterator[Future[Any]]:
        if self._kept_until is not None:
            yield from self._compile()
            yield from self._frames_after(self._kept_until)
            return
        yield from self._compare_frames()
        self.was_complete = session.is_complete(self.scene())
        if self.was_complete or self.is_cancelled:
            self.frames_done = session.frames_cached(self.scene())
            return
        yield from self._compile()
        yield from self._all_frames()

    def _all_frames(self) -> Iterator[Future[Any]]:
        """From where it stands, or from the first frame, to the last."""
        if self.is_cancelled:
            return
        if not self._resume():
            self.message = "Looking for a checkpoint to go on from"
            simulation = yield from self._resumption.as_never_stopped()
            if simulation is not None:
                self._begin_at(simulation.frame)
            elif not self.is_cancelled:
                yield from self._restart()
        yield from self._to_the_end()

    def _frames_after(self, kept_until: int) -> Iterator[Future[Any]]:
        """From the last checkpoint up to a frame, with everything as it is now."""
        self.message = "Looking at the frames that are kept"
        simulation = yield from self._resumption.keeping(kept_until)
        if simulation is not None:
            self._begin_at(simulation.frame)
            yield from self._to_the_end()

    def _to_the_end(self) -> Iterator[Future[Any]]:
        """The frames of the live solver, of a new one where something else has to be, too."""
        while self.session.live is not None and not self.is_cancelled:
            if self.session.live.frame >= self._range[1]:
                break
            yield from self._frames(self.session.live)
            if self.session.live is None and not self.is_cancelled:
                yield from self._restart()
        if self.session.live is not None and self.has_begun:
            yield (kept := self._worker.submit(self.session.keep_checkpoint))
            kept.result()

    def _compile(self) -> Iterator[Future[None]]:
        """Until the solver is compiled; SceneError where it can't be."""
        state, _seconds, message = warmup.state(self._solver)
        while state == "COMPILING" and not self.is_cancelled:
            self.message = message
            yield self._worker.submit(time.sleep, _COMPILED_YET)
            state, _seconds, message = warmup.state(self._solver)
        self.message = ""
        if state == "FAILED":
            raise SceneError(message)

    def _compare_frames(self) -> Iterator[Future[None]]:
        """See from which frame on cached ones would be simulated from something else now."""
        scene = self.scene()
        self.message = "Comparing the frames in the cache with the scene"
        self.session.touch()  # a script may have changed what nobody was told of
        for frame in self.session.frames_to_compare(session.look(scene)):
            if self.is_cancelled:
                return
            scene.frame_set(frame)
            session.compare(scene, depsgraph_of(scene))
            yield self._worker.submit(lambda: None)  # Blender may do something else meanwhile

    def _frames(self, simulation: Live) -> Iterator[Future[None]]:
        """Simulate up to the end, or as long as this is the simulation to go on with."""
        self._ahead = ahead = Ahead(simulation, self._range[1])
        self.session.is_written = True
        while self.session.live is simulation and not self.is_cancelled:
            scene_input.check_unchanged(self.scene(), simulation.inputs)
            if ahead.is_low():
                try:
                    self._read(simulation, ahead)
                except SceneError:
                    yield from ahead.rest()  # the frames before are kept
                    raise
            if (first := ahead.first()) is None:
                return
            yield first
        yield from ahead.rest()  # what went wrong may not be seen yet

    def _read(self, simulation: Live, ahead: Ahead) -> None:
        """Read frames for the worker, for a moment."""
        scene, until = self.scene(), time.monotonic() + _READS_FOR
        while ahead.has_room() and not self.is_cancelled:
            scene.frame_set(ahead.next_frame)
            targets = scene_input.read_frame(scene, depsgraph_of(scene), simulation.inputs)
            ahead.add(targets, self._worker.submit(self._simulate, simulation, targets, ahead))
            if time.monotonic() > until:
                return

    def _simulate(self, simulation: Live, targets: FrameInput, ahead: Ahead) -> None:
        """In the worker: make the next frame; drop the solver's state where it failed."""
        if self.is_cancelled or self.session.live is not simulation:
            return
        started = time.monotonic()
        try:
            live.advance(simulation, targets)
        except BaseException:
            self.session.live = None
            raise
        if not self.session.store():
            self.frames_done += 1
        ahead.took(time.monotonic() - started)

    def _resume(self) -> bool:
        """Whether the live solver stands at the end of valid frames, to go on from there."""
        scene = self.scene()
        now = session.look(scene)
        simulation = self.session.live
        if simulation is None or simulation.inputs.mode == "RENDER":
            return False
        if not self.session.holds_end(now, self._range[1]):
            return False
        self._begin_at(simulation.frame)
        return True

    def _restart(self) -> Iterator[Future[Live]]:
        """Build a new simulation at the first frame; only then give up what is outdated.

        Where it is cancelled meanwhile, all stays as it was.
        """
        self.message = "Reading the scene"
        scene = self.scene()
        scene.frame_set(self._range[0])
        objects = session.simulated_objects(scene)
        display_modifier.put_back(objects)
        fingerprint.forget_meshes()
        now = session.look(scene)
        finished = self.session.finished(now, self._range[1])
        inputs = scene_input.read_scene(scene, depsgraph_of(scene), objects, now, finished)
        if not inputs.bodies:
            self.session.refuse(inputs)
            self.session.live = None
            if finished:
                return
            self._is_told = True
            raise SceneError(together(list(inputs.left_out.values())))
        self.message = "Preparing the simulation"
        yield (built := self._worker.submit(live.build, inputs, lambda: self.is_cancelled))
        if self.is_cancelled:
            self.frames_done = session.frames_cached(self.scene())
            return
        self.session.begin(built.result(), "simulate")
        self._begin_at(self._range[0])

    def _begin_at(self, frame: int) -> None:
        self.count_from(min(frame, self._range[1]) - self._range[0] + 1)

    def scene(self) -> bpy.types.Scene:
        """The scene that it simulates. Raises SceneError where that was deleted."""
        for scene in bpy.data.scenes:
            if scene.session_uid == self.scene_uid:
                return scene
        raise SceneError(f"The scene '{self.scene_name}' was deleted during the simulation")


def current() -> Job | None:
    """The running job."""
    return _current


def poll_idle(operator: type[bpy.types.Operator]) -> bool:
    """Whether an operator may run, that can't while a job does; if not, tell the user why."""
    if _current is not None:
        operator.poll_message_set("A simulation is running: wait for it or cancel it with Esc")
    elif rendering := bpy.app.is_job_running("RENDER"):
        operator.poll_message_set("A render is running: wait for it or cancel it")
    return _current is None and not rendering


def is_simulating(scene: bpy.types.Scene) -> bool:
    """Whether a job runs that simulates this scene."""
    return _current is not None and _current.scene_uid == scene.session_uid


def shown_frame(scene: bpy.types.Scene) -> float:
    """The frame that panels tell of: the current one, or the last one done while simulating."""
    frame: float = scene.frame_current_final
    _first, last = session.of(scene).frames()
    return min(frame, last) if last is not None and is_simulating(scene) else frame


def stop() -> None:
    """End the running job at once, because the file or the add-on goes away."""
    if _current is not None:
        _current.close(restore_frame=False)


def run_blocking(
    scene: bpy.types.Scene,
    frame_start: int | None = None,
    frame_end: int | None = None,
    progress: Progress | None = None,
    kept_until: int | None = None,
) -> int:
    """Simulate the scene into its cache and return how many frames of the range are cached.

    Args:
        frame_start, frame_end: the range; becomes `Scene.xpbd.frame_start` and `frame_end`.
        progress: called with the frames done and the frames in all.
        kept_until: as in :class:`Job`.

    Raises:
        SceneError: the simulation can't start, or had to stop; the frames before are kept.
    """
    if frame_start is not None and frame_start != scene.xpbd.frame_start:
        scene.xpbd.frame_start = frame_start
    if frame_end is not None and frame_end != scene.xpbd.frame_end:
        scene.xpbd.frame_end = frame_end
    job = Job(scene, kept_until)
    try:
        while job.poll():
            if progress is not None and job.frames_done:
                progress(job.frames_done, job.frames_total)
    finally:
        job.close()
    done = session.frames_cached(scene)
    if progress is not None:
        progress(done, scene.xpbd.frame_end - scene.xpbd.frame_start + 1)
    return done
