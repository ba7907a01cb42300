# SPDX-License-Identifier: GPL-3.0-or-later
"""Co-rotational elasticity by local and global steps."""
