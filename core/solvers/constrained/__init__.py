# SPDX-License-Identifier: GPL-3.0-or-later
"""Constrained dynamics: all constraints of a substep solved together."""
