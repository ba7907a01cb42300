# SPDX-License-Identifier: GPL-3.0-or-later
"""What numba has found out about its own functions is remembered while ours are compiled."""

from __future__ import annotations

import numba
import pytest

pytestmark = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")


def test_each_call_is_resolved_once_and_numba_is_left_as_it_was() -> None:
    from numba.core import types

    from core.native import calls
    from core.native.compiled import native

    @native
    def often(value):  # type: ignore[no-untyped-def]
        return max(value, value * value * value * value)

    before, known = types.BaseFunction.get_call_type, set(calls._signatures)
    assert often(3.0) == 81.0
    assert types.BaseFunction.get_call_type is before
    real = (types.float64, types.float64)
    asked = [key for key in calls._signatures if key[1] == real]
    assert len(asked) >= 2
    assert len(set(calls._signatures) - known) <= 2


def test_numba_is_left_as_it_was_where_compiling_fails() -> None:
    from numba.core import types
    from numba.core.errors import TypingError

    from core.native.compiled import native

    @native
    def wrong(value):  # type: ignore[no-untyped-def]
        return value.nothing

    before = types.BaseFunction.get_call_type
    with pytest.raises(TypingError):
        wrong(3.0)
    assert types.BaseFunction.get_call_type is before
