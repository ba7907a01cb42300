# SPDX-License-Identifier: GPL-3.0-or-later
"""Methods that advance a model, one file each; they offer what :class:`.base.Solver` says.

- :mod:`.xpbd` (Gauss–Seidel; along chains by :mod:`.chain_projection`; :mod:`.jacobi` with
  :mod:`.chebyshev`), :mod:`.pbd`
- :mod:`.projective_dynamics` (:mod:`.descent`, :mod:`.constant_matrix`)
- :mod:`.constrained_dynamics` (:mod:`.schur`)

Beside them :mod:`.local_global` minimises the energy of co-rotational tetrahedra from positions to
positions, with every rotation or with :mod:`.interpolated_rotations`.
"""
