# SPDX-License-Identifier: GPL-3.0-or-later
"""What makes numba compile fast and run on several threads."""
