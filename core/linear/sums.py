# SPDX-License-Identifier: GPL-3.0-or-later
"""Sums of products, by the thread that asks for them.

NumPy's ``@`` leaves them to a BLAS that wakes a thread for each processor: these sum in an order
that depends on how many there are, and look for more to do for milliseconds, in which they are in
the way of ours.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def sum_of_products(one: NDArray[np.floating], other: NDArray[np.floating]) -> float:
    """Σ aᵢ bᵢ of two arrays of shape (n,)."""
    return float(np.einsum("i,i->", one, other))
