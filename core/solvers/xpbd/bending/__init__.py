# SPDX-License-Identifier: GPL-3.0-or-later
"""Bending as one linear solve after the prediction, instead of sweeps."""
