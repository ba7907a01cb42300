# SPDX-License-Identifier: GPL-3.0-or-later
"""Sentences in panels, which are narrow."""

from __future__ import annotations

import textwrap
from typing import Literal

import bpy

Icon = Literal["NONE", "ERROR", "INFO", "SORTTIME", "VIEW_PAN", "BLANK1"]
_LETTER_WIDTH = 8.0  # pixels of an average letter, with some to spare for the icon and margins
_FEWEST_LETTERS = 16


def draw_sentence(layout: bpy.types.UILayout, text: str, icon: Icon = "NONE") -> None:
    """A label that goes on in further lines where the region is narrow."""
    region = bpy.context.region
    letters = 60
    if region is not None:
        letter_width = _LETTER_WIDTH * bpy.context.preferences.system.ui_scale
        letters = max(_FEWEST_LETTERS, int(region.width / letter_width))
    column = layout.column(align=True)
    for line, part in enumerate(textwrap.wrap(text, letters)):
        column.label(text=part, icon="BLANK1" if line and icon != "NONE" else icon)
