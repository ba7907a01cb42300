# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulated frames on disk, found again by whoever opens the folder."""

from . import checkpoints as checkpoints
from . import set_aside as set_aside
from .cache import FrameCache as FrameCache
from .checkpoint_file import CheckpointHead as CheckpointHead
from .description import CachedObject as CachedObject
from .encodings import FULL as FULL
from .encodings import LATTICE as LATTICE
from .errors import CacheError as CacheError
from .errors import of_writing as of_writing
from .frame_file import is_pc2 as is_pc2
from .frame_file import pc2_file as pc2_file
from .inputs_file import InputsFile as InputsFile
