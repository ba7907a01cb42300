# SPDX-License-Identifier: GPL-3.0-or-later
"""Methods that advance a model, one folder each; :class:`.common.base.Solver` says what they offer.

``common``        what they share: the frame around substeps, one constraint's update, sweeps
``xpbd``          extended position-based dynamics, by Gauss–Seidel or Jacobi iterations
``pbd``           position-based dynamics
``projective``    projective dynamics: implicit Euler by a constant matrix
``constrained``   constrained dynamics: all constraints of a substep solved together
``corotational``  co-rotational tetrahedra by local and global steps; no ``Solver`` yet: it works on
                  a body of its own
"""
