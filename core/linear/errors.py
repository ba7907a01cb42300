# SPDX-License-Identifier: GPL-3.0-or-later
"""Why a system of linear equations was not solved."""

from __future__ import annotations


class NotPositiveDefinite(ValueError):
    """The matrix is not positive definite, or not to the precision of double precision numbers."""


class NotConverged(ArithmeticError):
    """The iteration stopped before the residual was as small as asked for."""
