# SPDX-License-Identifier: GPL-3.0-or-later
"""What makes numba compile fast and run on several threads.

Numba's internals are used behind :mod:`.fence` only: where they don't work as expected, compiling
falls back to plain numba. Beside that the intrinsics here and in :mod:`core.vector` use numba's
extension interface (``numba.extending``, ``numba.core.types``, ``cgutils``), which has no fallback.
"""
