# SPDX-License-Identifier: GPL-3.0-or-later
"""Steel Wire: the values and their source stand in core/materials/strands.py."""

import bpy

strand = bpy.context.object.xpbd

strand.density = 0.00617
strand.strand_stretch_compliance = 6.37e-06
strand.strand_bend_compliance = 102.0
strand.strand_stretch_damping = 0.0
strand.strand_bend_damping = 0.0
strand.friction = 0.3
