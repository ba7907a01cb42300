# SPDX-License-Identifier: GPL-3.0-or-later
"""The fence around numba's internals, which the next numba may change without notice.

:mod:`.parts`, :mod:`.address_type` and what they import lean on them to compile fast. They are
tried out before anything is declared: where they fail, everything is compiled by what numba offers
publicly.
"""

from __future__ import annotations

import logging
from functools import cache

import numba


@cache
def internals_work() -> bool:
    """Whether numba's internals are as we know them; a warning in the log tells if they are not."""
    try:
        from .trial import run

        run()
    except OSError:
        raise  # the cache folder, not numba
    except Exception as cause:
        logging.getLogger("xpbd").warning(
            "XPBD compiles its solvers in a slower way, which takes more than ten minutes once: "
            "numba %s is not built as expected (%s: %s). Results are the same; a newer XPBD may "
            "know this numba.",
            numba.__version__,
            type(cause).__name__,
            cause,
        )
        return False
    return True
