# SPDX-License-Identifier: GPL-3.0-or-later
"""Tetrahedra with the part of μ of the co-rotational energy, as the papers on it have them.

What rotations cost is measured with it (:mod:`core.solvers.corotational`), and projective dynamics
takes it. Soft bodies with all of their material are in :mod:`.soft_body`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..builder import Builder
from ..checks import pins_of
from ..errors import ModelError
from ..layout.group import Group
from ..mesh.surface import Indices
from ..mesh.tetrahedra import TetrahedralBody


@dataclass(frozen=True)
class CorotationalBody:
    """Such tetrahedra in a model.

    Attributes:
        particles: of its vertices, shape (n,).
        tetrahedra: corners as particles of the model, shape (m, 4).
        volumes: at rest [m³], shape (m,).
        constraints: its co-rotational constraints, for ``Simulation.forces``.
    """

    particles: NDArray[np.int64]
    tetrahedra: Indices
    volumes: NDArray[np.float64]
    constraints: Group


def shear_modulus(young_modulus: float, poisson_ratio: float) -> float:
    """Lamé's μ = E / (2 (1 + ν)) [Pa].

    Raises:
        ModelError: E is not positive, or ν not between -1 and ½.
    """
    if not 0.0 < young_modulus < np.inf:
        raise ModelError("Young's modulus must be positive and finite.")
    if not -1.0 < poisson_ratio < 0.5:
        raise ModelError("Poisson's ratio lies between -1 and ½.")
    return young_modulus / (2.0 * (1.0 + poisson_ratio))


def add_corotational(
    model: Builder,
    positions: ArrayLike,
    tetrahedra: ArrayLike,
    *,
    density: float,
    young_modulus: float,
    poisson_ratio: float = 0.0,
    damping: float = 0.0,
    pins: ArrayLike | None = None,
) -> CorotationalBody:
    """Add a tetrahedral mesh with the energy Σ μ V ‖F - R‖².

    Of the co-rotational material this is the part of μ; the part of λ, which resists changes of
    volume, is left out as in the papers (see ``core/constraints/corotational.py``). In small
    strains that is Hooke's law with λ = 0: no contraction across a stretch, and 2 μ =
    E / (1 + ν) as the stiffness along it. With ν = 0 that is E itself.

    Args:
        positions: rest shape [m], shape (n, 3).
        tetrahedra: corners, shape (m, 4).
        density: [kg/m³].
        young_modulus, poisson_ratio: E [Pa] and ν, from which μ is taken.
        damping: Rayleigh's stiffness-proportional coefficient [s].
        pins: vertices that don't move freely.

    Returns:
        A handle with ``particles`` and ``constraints``.

    Raises:
        ModelError: the mesh or the material can't be simulated; the message says why.
    """
    body = TetrahedralBody.of(positions, tetrahedra)
    mu = shear_modulus(young_modulus, poisson_ratio)
    if not 0.0 < density < np.inf:
        raise ModelError("The density must be positive and finite.")
    masses = body.lumped_masses(density)
    masses[pins_of("soft body", len(masses), pins)] = np.inf
    particles = model.add_particles(body.positions, masses)
    corners = particles[body.tetrahedra]
    constraints = model.add_constraints(
        "corotational",
        corners,
        rest=body.inverse_edges.reshape(-1, 9),
        compliance=1.0 / (2.0 * mu * body.volumes),
        damping=damping,
    )
    return CorotationalBody(particles, corners, body.volumes, constraints)
