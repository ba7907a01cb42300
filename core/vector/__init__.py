# SPDX-License-Identifier: GPL-3.0-or-later
"""Vector code from plain Python: a body written on scalars runs as it is, or as SIMD code."""
