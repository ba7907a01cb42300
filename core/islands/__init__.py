# SPDX-License-Identifier: GPL-3.0-or-later
"""Islands: what can be simulated by itself in a frame, as nothing else can touch it.

- :mod:`.units`: what is never parted, and which of it may touch
- :mod:`.reach`: how far that may get in a frame
- :mod:`.island`: the part of a model that is stepped by itself
- :mod:`.islands`: all of them, frame by frame
- :mod:`.failures`: what a step must not leave behind
"""
