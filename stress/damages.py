# SPDX-License-Identifier: GPL-3.0-or-later
"""Caches whose files are damaged by something else."""

from __future__ import annotations

import random
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from core.frame_cache import CacheError, FrameCache

from . import judge, work


def _flip(draw: random.Random, path: Path) -> None:
    content = bytearray(path.read_bytes())
    for _ in range(draw.randint(1, 3) if content else 0):
        content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
    path.write_bytes(content)


def _cut(draw: random.Random, path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: draw.randrange(len(content) + 1)])


def _zero(draw: random.Random, path: Path) -> None:
    content = bytearray(path.read_bytes())
    start = draw.randrange(len(content) + 1)
    content[start : start + 512] = bytes(len(content[start : start + 512]))
    path.write_bytes(content)


def _lengthen(draw: random.Random, path: Path) -> None:
    path.write_bytes(path.read_bytes() + draw.randbytes(draw.randrange(1, 2000)))


def _swap(draw: random.Random, path: Path) -> None:
    other = draw.choice(sorted(path.parent.iterdir()))
    own, others = path.read_bytes(), other.read_bytes()
    path.write_bytes(others)
    other.write_bytes(own)


def _remove(_draw: random.Random, path: Path) -> None:
    path.unlink()


DAMAGES: dict[str, Callable[[random.Random, Path], None]] = {
    "bits flipped": _flip,
    "cut off": _cut,
    "zeroed": _zero,
    "too long": _lengthen,
    "swapped": _swap,
    "removed": _remove,
}


def campaign(count: int, seed: int, scratch: Path) -> dict[str, int]:
    """So many damaged copies of a cache, each looked at, gone on with and cleared.

    Raises:
        Wrong: something damaged is shown, or can't be mended by simulating again.
    """
    draw, found = random.Random(seed), Counter[str]()
    good, folder = scratch / "good", scratch / "damaged"
    work.simulate(good)
    files = sorted(path.name for path in good.iterdir() if path.name != "cache.lock")
    for _ in range(count):
        shutil.copytree(good, folder)
        name, kind = draw.choice(files), draw.choice(list(DAMAGES))
        DAMAGES[kind](draw, folder / name)
        found[kind] += 1
        found["with frames left"] += judge.last_frame(folder) > 0
        try:
            work.simulate(folder)
            judge.is_whole(folder)
        except CacheError:
            found["refused in a sentence, as it might be another program's"] += 1
        FrameCache(folder).clear()
        shutil.rmtree(folder, ignore_errors=True)
    return dict(found)
