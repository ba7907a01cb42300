# SPDX-License-Identifier: GPL-3.0-or-later
"""What the handles of cloths and strands have in common."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..mesh.surface import Indices


@dataclass(frozen=True)
class Body:
    """A handle to what a mesh has become in a model.

    Attributes:
        particles: the particle of each vertex, shape (n,).
        pins: pinned particles, shape (p,).
        edges: pairs of particles, shape (e, 2), and their rest_lengths [m], shape (e,).
    """

    name: str
    particles: NDArray[np.int64]
    pins: NDArray[np.int64]
    edges: Indices
    rest_lengths: NDArray[np.float64] = field(repr=False)

    def owns(self, particle: int) -> bool:
        """Whether a particle is one of the body's, which follow each other in the model."""
        return bool(self.particles[0] <= particle <= self.particles[-1])
