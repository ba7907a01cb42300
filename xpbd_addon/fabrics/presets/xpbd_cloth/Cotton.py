# SPDX-License-Identifier: GPL-3.0-or-later
"""Cotton: the values and their source stand in core/materials/fabrics.py."""

import bpy

fabric = bpy.context.object.xpbd

fabric.density = 0.15
fabric.stretch_compliance = 0.000494
fabric.shear_compliance = 0.0357
fabric.bend_compliance = 125000.0
fabric.poisson_ratio = 0.243
fabric.stretch_damping = 0.0
fabric.shear_damping = 0.0
fabric.bend_damping = 0.00477
fabric.friction = 0.4
