# SPDX-License-Identifier: GPL-3.0-or-later
"""Slow and obvious references in double precision, against which tests hold the core.

Written from the papers with loops and dense matrices; nothing here is shared with what it checks,
except where a reference is told to use a constraint body of the core (:func:`from_registry`).

``functions``       C of every constraint type, and derivatives by differences
``constraints``     a model's constraints, each by itself
``chains``          what multipliers along a chain do to its particles
``xpbd``            Algorithm 1
``constrained``     constrained dynamics by dense solves
``implicit_euler``  implicit Euler by Newton's method
``springs``         the same of springs
``elastica``        how clamped rods hang
``statics``         elastic energy, and what small loads do
``meshes``          meshes, and their topology by brute force
``crossings``       which triangles intersect, by ``orientation`` and ``boxes``
``near``            distances of vertices from faces, and of edges from each other
"""

from __future__ import annotations

from .constrained import constrained_step, velocity_level_step
from .constraints import (
    NaiveConstraint,
    block_of,
    blocks_of,
    constraints_of,
    evaluate_body,
    from_registry,
)
from .crossings import crossing_pairs
from .functions import FUNCTIONS, bending, differentiate, nearest_rotation
from .implicit_euler import implicit_euler_step
from .meshes import (
    irregular_triangles,
    is_conflict_free,
    quad_grid,
    spring_grid,
    triangles_at_edges,
    unique_edges,
)
from .springs import spring_step, spring_system
from .statics import deflection, elastic_energy, stiffness
from .xpbd import project, xpbd_step

__all__ = [
    "FUNCTIONS",
    "NaiveConstraint",
    "bending",
    "block_of",
    "blocks_of",
    "constrained_step",
    "constraints_of",
    "crossing_pairs",
    "deflection",
    "differentiate",
    "elastic_energy",
    "evaluate_body",
    "from_registry",
    "implicit_euler_step",
    "irregular_triangles",
    "is_conflict_free",
    "nearest_rotation",
    "project",
    "quad_grid",
    "spring_grid",
    "spring_step",
    "spring_system",
    "stiffness",
    "triangles_at_edges",
    "unique_edges",
    "velocity_level_step",
    "xpbd_step",
]
