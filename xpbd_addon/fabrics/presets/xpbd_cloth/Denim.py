# SPDX-License-Identifier: GPL-3.0-or-later
"""Denim: the values and their source stand in core/materials/fabrics.py."""

import bpy

fabric = bpy.context.object.xpbd

fabric.density = 0.324
fabric.stretch_compliance = 0.000986
fabric.shear_compliance = 0.0187
fabric.bend_compliance = 15600.0
fabric.poisson_ratio = 0.05
fabric.stretch_damping = 0.0
fabric.shear_damping = 0.0
fabric.bend_damping = 0.00637
fabric.friction = 0.5
