# SPDX-License-Identifier: GPL-3.0-or-later
"""How far a simulation is, in the same few words wherever it is shown."""

from __future__ import annotations

from ..simulation.job_progress import JobProgress


def text(running: JobProgress) -> str:
    """Short enough for the bar in a narrow panel: '261 / 5000 · 1:12 left'."""
    frames = f"{running.frames_done} / {running.frames_total}"
    if running.seconds_left is None:
        return frames
    return f"{frames} · {duration(running.seconds_left)} left"


def duration(seconds: float) -> str:
    """A time to wait, as a clock shows it: '0:08', '2:05', '1:10:00'."""
    minutes, seconds_left = divmod(max(0, round(seconds)), 60)
    hours, minutes_left = divmod(minutes, 60)
    if hours:
        return f"{hours}:{minutes_left:02d}:{seconds_left:02d}"
    return f"{minutes}:{seconds_left:02d}"
