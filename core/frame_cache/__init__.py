# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulated frames on disk, found again by whoever opens the folder.

``cache``        a folder of frames: written, cut off, copied, deleted
``found_frames`` the same as it is found: read, and looked at again
``lock``         who may write there
``object_files`` the frames of one object
``description``  what stands in its cache.json, believed only where every field is right
``checksums``    what tells a frame that was written from one that only seems to be there
``frame_file``   one file of frames: arrays of one shape behind a header
``checkpoint_file``  what a simulation goes on from, as named arrays
``checkpoints``  those that belong to the frames of a cache
``inputs_file``  what each frame of an object was simulated from
``set_aside``    frames that are about to be replaced
``plain_file``   files that are nothing else, links for example
``errors``       what can go wrong, as sentences
"""

from . import checkpoints as checkpoints
from . import set_aside as set_aside
from .cache import FrameCache as FrameCache
from .checkpoint_file import CheckpointHead as CheckpointHead
from .description import CachedObject as CachedObject
from .errors import CacheError as CacheError
from .errors import of_writing as of_writing
from .frame_file import pc2_file as pc2_file
from .inputs_file import InputsFile as InputsFile
