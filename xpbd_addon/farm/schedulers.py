# SPDX-License-Identifier: GPL-3.0-or-later
"""The kinds of scheduler that a job can be written for."""

from __future__ import annotations

from pathlib import Path

from . import flamenco, job_file, open_job
from .job_file import Job


def write_open_job(job: Job) -> Path:
    """For any scheduler that knows Open Job Description. Raises SceneError."""
    return job_file.write(job, open_job.FILE, open_job.text)


def write_flamenco(job: Job) -> Path:
    """For Flamenco. Raises SceneError."""
    return job_file.write(job, flamenco.file_name(job), flamenco.text)


FORMATS = {"openjd": write_open_job, "flamenco": write_flamenco}
"""By the name that a command line has for them."""
