# SPDX-License-Identifier: GPL-3.0-or-later
"""What takes long before a first frame can be ended: whoever began it is asked now and then."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Ask = Callable[[], None]

_ask: ContextVar[Ask] = ContextVar("ask", default=lambda: None)


@contextmanager
def asking(ask: Ask) -> Iterator[None]:
    """Within it, in this thread, ask now and then: by raising something it ends the work."""
    before = _ask.set(ask)
    try:
        yield
    finally:
        _ask.reset(before)


def may_go_on() -> None:
    """Raise what whoever began the work wants it to end with."""
    _ask.get()()
