# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulated frames on disk, found again by whoever opens the folder.

``cache``        a folder of frames: written, read, cut off, deleted
``object_files`` the frames of one object
``description``  what stands in its cache.json, believed only where every field is right
``frame_file``   one file of frames: arrays of one shape behind a header
``inputs_file``  what each frame of an object was simulated from
``set_aside``    frames that are about to be replaced
"""

from . import set_aside as set_aside
from .cache import CacheError as CacheError
from .cache import FrameCache as FrameCache
from .cache import cache_error as cache_error
from .description import CachedObject as CachedObject
from .inputs_file import InputsFile as InputsFile
