# SPDX-License-Identifier: GPL-3.0-or-later
"""Co-rotational tetrahedra by local and global steps.

``local_global``            a body that is brought to the minimum of its energy
``rotation_step``           the local step: the rotation of every element
``interpolated_rotations``  the same from rotations of samples
``held_matrix``             a sparse matrix with some unknowns held
"""
