# SPDX-License-Identifier: GPL-3.0-or-later
"""Silk: the values and their source stand in core/materials/fabrics.py."""

import bpy

fabric = bpy.context.object.xpbd

fabric.density = 0.06
fabric.stretch_compliance = 0.001
fabric.shear_compliance = 0.0588
fabric.bend_compliance = 400000.0
fabric.poisson_ratio = 0.2
fabric.stretch_damping = 0.0
fabric.shear_damping = 0.0
fabric.bend_damping = 0.00318
fabric.friction = 0.25
