# SPDX-License-Identifier: GPL-3.0-or-later
"""Position-based dynamics.

``solver``            the algorithm
``stiffness``         k of the constraints
``velocity_damping``  damping of everything but rigid motion
"""
