# SPDX-License-Identifier: GPL-3.0-or-later
"""What the solvers share: the frame, the way through time, one constraint's update, sweeps."""
