# SPDX-License-Identifier: GPL-3.0-or-later
"""Jersey: the values and their source stand in core/materials/fabrics.py."""

import bpy

fabric = bpy.context.object.xpbd

fabric.density = 0.187
fabric.stretch_compliance = 0.029
fabric.shear_compliance = 0.0271
fabric.bend_compliance = 43500.0
fabric.poisson_ratio = 0.3
fabric.stretch_damping = 0.0
fabric.shear_damping = 0.0
fabric.bend_damping = 0.00637
fabric.friction = 0.4
