# SPDX-License-Identifier: GPL-3.0-or-later
"""What the solvers share: the frame, the way through time, one constraint's update, sweeps.

``base``         the frame around the substeps of every solver
``integration``  prediction and velocities of particles
``second_order`` the same by Houbolt's method, which does not damp
``projection``   the XPBD update of one constraint
``sweep``        running the kernels of a program over its batches
``weights``      ∇C M⁻¹ ∇Cᵀ of any constraint
``chebyshev``    Chebyshev's acceleration
``residual``     what one more iteration would move
``report``       what a solver tells of a step
"""
