# SPDX-License-Identifier: GPL-3.0-or-later
"""Islands: what can be simulated by itself in a frame, as nothing else can touch it."""
