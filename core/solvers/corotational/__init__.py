# SPDX-License-Identifier: GPL-3.0-or-later
"""Co-rotational tetrahedra by local and global steps."""
