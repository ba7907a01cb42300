# SPDX-License-Identifier: GPL-3.0-or-later
"""Single Hair: the values and their source stand in core/materials/strands.py."""

import bpy

strand = bpy.context.object.xpbd

strand.density = 5.08e-06
strand.strand_stretch_compliance = 0.065
strand.strand_bend_compliance = 212000000.0
strand.strand_stretch_damping = 0.0
strand.strand_bend_damping = 0.0
strand.friction = 0.3
