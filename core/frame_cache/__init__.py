# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulated frames on disk, found again by whoever opens the folder."""

from .cache import CacheError as CacheError
from .cache import FrameCache as FrameCache
