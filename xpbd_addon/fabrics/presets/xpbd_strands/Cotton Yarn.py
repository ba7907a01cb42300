# SPDX-License-Identifier: GPL-3.0-or-later
"""Cotton Yarn: the values and their source stand in core/materials/strands.py."""

import bpy

strand = bpy.context.object.xpbd

strand.density = 3e-05
strand.strand_stretch_compliance = 0.01
strand.strand_bend_compliance = 200000000.0
strand.strand_stretch_damping = 0.0
strand.strand_bend_damping = 0.0
strand.friction = 0.4
