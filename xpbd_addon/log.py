# SPDX-License-Identifier: GPL-3.0-or-later
"""The one place that writes to the terminal."""

from __future__ import annotations

import sys


def say(text: str) -> None:
    """Print a line, at once."""
    sys.stdout.write(f"xpbd: {text}\n")
    sys.stdout.flush()
