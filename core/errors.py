# SPDX-License-Identifier: GPL-3.0-or-later
"""What can go wrong, for callers to catch; messages name the object and the cure."""

from __future__ import annotations


class ModelError(ValueError):
    """A mesh, a material, a constraint or an array that can't be simulated."""


MeshError = ModelError
"""The name that it had at first."""


class CheckpointError(ValueError):
    """A checkpoint of another simulation, or of another version."""


class SimulationError(RuntimeError):
    """The simulation produced something that is not a number."""
