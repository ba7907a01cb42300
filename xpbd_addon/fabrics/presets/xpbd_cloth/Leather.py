# SPDX-License-Identifier: GPL-3.0-or-later
"""Leather: the values and their source stand in core/materials/fabrics.py."""

import bpy

fabric = bpy.context.object.xpbd

fabric.density = 0.52
fabric.stretch_compliance = 0.00025
fabric.shear_compliance = 0.0007
fabric.bend_compliance = 3940.0
fabric.poisson_ratio = 0.4
fabric.stretch_damping = 0.0
fabric.shear_damping = 0.0
fabric.bend_damping = 0.00637
fabric.friction = 0.5
