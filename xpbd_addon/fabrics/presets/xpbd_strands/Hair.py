# SPDX-License-Identifier: GPL-3.0-or-later
"""Hair: the values and their source stand in core/materials/strands.py."""

import bpy

strand = bpy.context.object.xpbd

strand.density = 0.000508
strand.strand_stretch_compliance = 0.00065
strand.strand_bend_compliance = 2120000.0
strand.strand_stretch_damping = 0.0
strand.strand_bend_damping = 0.0
strand.friction = 0.3
