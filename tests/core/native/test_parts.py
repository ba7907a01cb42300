# SPDX-License-Identifier: GPL-3.0-or-later
"""How functions are compiled: once for all constants, parts only within others."""

from __future__ import annotations

import numba
import pytest

from core.native.compiled import native, native_part

pytestmark = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")


@native_part
def weighed(value, first, negative):  # type: ignore[no-untyped-def]
    return -value * first if negative else value * first


@native
def with_constants(value):  # type: ignore[no-untyped-def]
    return weighed(value, 2, True) + weighed(value, 3, False) + weighed(value, 5, True)


@native
def with_variables(value, first, negative):  # type: ignore[no-untyped-def]
    return weighed(value, first, negative)


def test_constants_are_no_types() -> None:
    assert with_constants(1.5) == 1.5 * (-2 + 3 - 5)
    assert with_variables(1.5, 7, True) == -10.5
    assert len(weighed.signatures) == 1


def test_parts_have_no_machine_code() -> None:
    with_constants(1.5)
    (part,), (whole,) = weighed.overloads.values(), with_constants.overloads.values()
    name = part.fndesc.llvm_func_name
    assert part.library.get_function(name)
    assert "ret" in str(part.library.get_function(name))
    assert name not in str(whole.library.get_asm_str())
