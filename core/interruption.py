# SPDX-License-Identifier: GPL-3.0-or-later
"""Work that takes long before a first frame can be ended: who began it is asked now and then."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Ask = Callable[[], None]

_ask: ContextVar[Ask] = ContextVar("ask", default=lambda: None)


@contextmanager
def asking(ask: Ask) -> Iterator[None]:
    """Have :func:`may_go_on` call ``ask`` in this thread; what that raises ends the work."""
    before = _ask.set(ask)
    try:
        yield
    finally:
        _ask.reset(before)


def may_go_on() -> None:
    """Call the ``ask`` of the :func:`asking` around this, if there is one: it may end the work."""
    _ask.get()()
