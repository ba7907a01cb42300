# SPDX-License-Identifier: GPL-3.0-or-later
"""Hemp Rope: the values and their source stand in core/materials/strands.py."""

import bpy

strand = bpy.context.object.xpbd

strand.density = 0.07
strand.strand_stretch_compliance = 1.25e-05
strand.strand_bend_compliance = 100.0
strand.strand_stretch_damping = 0.0
strand.strand_bend_damping = 0.0
strand.friction = 0.6
