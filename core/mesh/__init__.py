# SPDX-License-Identifier: GPL-3.0-or-later
"""Topology and measures of meshes.

``surface``     faces, edges, triangles and hinges; areas, masses, strain
``quads``       quads that somebody has cut into triangles
``tetrahedra``  tetrahedral meshes: volumes, faces, gradients
``lattice``     boxes in the body-centred cubic lattice
``patches``     tetrahedra that share one deformation gradient
``connected``   what hangs together
``incidence``   what belongs to what
"""
