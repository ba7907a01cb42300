# SPDX-License-Identifier: GPL-3.0-or-later
"""A stitch: the distance between what is sewn together, which is no matter of stretch.

``Model.add_stitches`` makes threads of them, which get shorter and may tear; XPBD solves these by
themselves (:mod:`core.solvers.xpbd.stitches`).
"""

from __future__ import annotations

from dataclasses import replace

from . import attachment

CONSTRAINT = replace(attachment.CONSTRAINT, kind="stitch", order=38)
