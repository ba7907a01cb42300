# SPDX-License-Identifier: GPL-3.0-or-later
"""Constrained dynamics: all constraints of a substep solved together.

``solver``        the method, and what takes over where it would not be calm
``schur``         the numbers of the linear system, and what evaluates them
``schur_layout``  who stands where in it
``schur_step``    one step of its solution, safeguarded
"""
