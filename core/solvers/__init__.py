# SPDX-License-Identifier: GPL-3.0-or-later
"""Solvers, one file a method. Each offers ``step(model, state, dt)``."""
