# SPDX-License-Identifier: GPL-3.0-or-later
"""Rubber Cord: the values and their source stand in core/materials/strands.py."""

import bpy

strand = bpy.context.object.xpbd

strand.density = 0.00672
strand.strand_stretch_compliance = 0.0943
strand.strand_bend_compliance = 168000.0
strand.strand_stretch_damping = 0.0
strand.strand_bend_damping = 0.0
strand.friction = 0.9
