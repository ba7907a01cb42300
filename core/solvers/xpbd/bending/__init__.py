# SPDX-License-Identifier: GPL-3.0-or-later
"""Bending that is solved as a whole, before the sweeps over everything else."""
