# SPDX-License-Identifier: GPL-3.0-or-later
"""Named tuples of arrays that native code gets by their address.

numba passes a tuple by value: ten arrays are seventy arguments, unpacked and packed again at each
call. Of a tuple declared here native functions get one pointer, and read the members they use.
That halves what LLVM has to read and optimise. For Python nothing changes.
"""

from __future__ import annotations

from typing import TypeVar

import numba

from .fence import internals_work

Tuple = TypeVar("Tuple", bound=type)


def by_address(kind: Tuple) -> Tuple:
    """Let native functions get tuples of this class by address.

    Members are arrays, numbers, and further tuples of such classes. They stay what they are while
    native code runs; what arrays hold may change. Where numba's internals don't work, tuples are
    passed by value.
    """
    if not numba.config.DISABLE_JIT and internals_work():
        from .address_type import pass_by_address

        pass_by_address(kind)
    return kind
