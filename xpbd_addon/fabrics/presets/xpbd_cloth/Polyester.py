# SPDX-License-Identifier: GPL-3.0-or-later
"""Polyester: the values and their source stand in core/materials/fabrics.py."""

import bpy

fabric = bpy.context.object.xpbd

fabric.density = 0.128
fabric.stretch_compliance = 0.000496
fabric.shear_compliance = 0.0521
fabric.bend_compliance = 19200.0
fabric.poisson_ratio = 0.38
fabric.stretch_damping = 0.0
fabric.shear_damping = 0.0
fabric.bend_damping = 0.00318
fabric.friction = 0.3
