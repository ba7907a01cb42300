# SPDX-License-Identifier: GPL-3.0-or-later
"""Rubber: the values and their source stand in core/materials/fabrics.py."""

import bpy

fabric = bpy.context.object.xpbd

fabric.density = 0.95
fabric.stretch_compliance = 0.000667
fabric.shear_compliance = 0.00199
fabric.bend_compliance = 6080.0
fabric.poisson_ratio = 0.49
fabric.stretch_damping = 0.0
fabric.shear_damping = 0.0
fabric.bend_damping = 0.00159
fabric.friction = 0.9
