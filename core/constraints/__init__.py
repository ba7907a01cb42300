# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraint types. Every module of this folder that holds ``CONSTRAINTS`` or one is registered.

``base``           what such a module must hold
``patch``          what those on patches of tetrahedra have in common
``distance``       the length between two particles
``bimodular_distance``  the same, softer when pushed together
``attachment``     a spring to where a particle is wanted
``tie``            a particle or a point of a triangle at a point of a tetrahedron
``angle``          the angle by which a strand turns at a particle
``bending``        the angle between two triangles
``strain``         Green strain of a triangle
``bimodular_strain``  the same, of yarns that are softer when pushed together
``corotational``   co-rotational strain of a tetrahedron
``neo_hookean``    stable neo-Hookean energy of a patch of tetrahedra
``patch_corotational``  co-rotational energy of a patch, with its volume term
``patch_volume``   the volume of a patch
``volume``         the volume inside a closed surface
``stitch``         what is sewn together
``stretch_limit``  bounds of a length
``strain_limit``   bounds of a triangle's singular values
"""

from __future__ import annotations

import importlib
import pkgutil

from .base import Constraint


def _discover() -> dict[str, Constraint]:
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    found: dict[str, Constraint] = {}
    for name in names:
        if name in ("base", "patch"):
            continue
        module = importlib.import_module(f"{__name__}.{name}")
        constraints = getattr(module, "CONSTRAINTS", (getattr(module, "CONSTRAINT", None),))
        for constraint in constraints:
            if not isinstance(constraint, Constraint):
                raise TypeError(f"core/constraints/{name}.py needs a CONSTRAINT; see base.py.")
            if constraint.kind in found:
                raise TypeError(f"There is a constraint '{constraint.kind}' already.")
            found[constraint.kind] = constraint
    return found


REGISTRY: dict[str, Constraint] = _discover()

__all__ = ["REGISTRY", "Constraint"]
