# SPDX-License-Identifier: GPL-3.0-or-later
"""The one kind of error that is shown to the user."""

from __future__ import annotations


class SceneError(RuntimeError):
    """Something in the scene can't be used: one sentence that names it and the cure."""
