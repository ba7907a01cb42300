# SPDX-License-Identifier: GPL-3.0-or-later
"""Projective dynamics.

``solver``           the method, and its matrix for each time step
``constant_matrix``  A = M / h² + a stiffness that acts on x, y, z alike
``elastic_force``    the force of a constraint's energy
``descent``          the iteration, in native code
``pace``             how far an iteration goes
"""
