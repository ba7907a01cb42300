# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls of the system that fail while a simulation stores its frames."""

from __future__ import annotations

import errno
import os
import random
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from core.frame_cache import CacheError, plain_file

from . import judge, work

ERRORS = errno.ENOSPC, errno.EIO, errno.EROFS, errno.EACCES, errno.EMFILE, errno.EDQUOT
OPERATIONS = 500
"""About as many as a simulation has."""


class _Faulty:
    """A file of which one operation fails, some bytes of which may have been written."""

    def __init__(self, file: Any, fail: Callable[[], None]) -> None:
        self._file, self._fail = file, fail

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def __enter__(self) -> _Faulty:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def write(self, content: Any) -> int:
        data = bytes(content)
        try:
            self._fail()
        except OSError:
            self._file.write(data[: len(data) // 2])
            raise
        return int(self._file.write(data))

    def read(self, *size: int) -> bytes:
        self._fail()
        return bytes(self._file.read(*size))

    def truncate(self, *size: int) -> int:
        self._fail()
        return int(self._file.truncate(*size))


def campaign(count: int, seed: int, scratch: Path) -> dict[str, int]:
    """So many faults, each in a simulation that goes on afterwards.

    Raises:
        Wrong: what is left is not as it must be.
    """
    draw, found, folder = random.Random(seed), Counter[str](), scratch / "faults"
    while found["faults"] < count:
        number, failure = draw.randrange(1, OPERATIONS), draw.choice(ERRORS)
        with _failing(number, failure) as happened:
            try:
                work.simulate(folder)
            except CacheError:
                found["told in a sentence"] += 1
        found["faults"] += len(happened)
        found[f"of {errno.errorcode[failure]}"] += len(happened)
        judge.last_frame(folder)
        work.simulate(folder)
        judge.is_whole(folder)
        if draw.random() < 0.5:
            judge.is_cleared(folder)
    return dict(found)


@contextmanager
def _failing(number: int, failure: int) -> Iterator[list[str]]:
    """Let one operation fail, counted from here on."""
    left, happened = [number], list[str]()

    def fail(name: str = "file") -> None:
        left[0] -= 1
        if left[0] == 0:
            happened.append(name)
            raise OSError(failure, os.strerror(failure))

    def failing(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*arguments: Any, **options: Any) -> Any:
            fail(name)
            result = function(*arguments, **options)
            return _Faulty(result, fail) if name == "opened" else result

        return wrapped

    places = (plain_file, "opened"), (plain_file, "remove"), (os, "replace")
    originals = [getattr(place, name) for place, name in places]
    for (place, name), function in zip(places, originals, strict=True):
        setattr(place, name, failing(name, function))
    try:
        yield happened
    finally:
        for (place, name), function in zip(places, originals, strict=True):
            setattr(place, name, function)
