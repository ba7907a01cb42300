# SPDX-License-Identifier: GPL-3.0-or-later
"""The solver settings with which the extension starts; the sheet checks them against it."""

SUBSTEPS = 160
ITERATIONS = 1
DRAG = 0.5  # 1/s
FRAME = 1 / 24  # s
