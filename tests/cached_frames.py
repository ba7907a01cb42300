# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames for tests of the frame cache, and what its description says."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from core.frame_cache import CachedObject


def frame(value: float, points: int = 4) -> np.ndarray:
    return np.full((points, 3), value, np.float32)


def of_points(**counts: int) -> dict[str, CachedObject]:
    return {object_id: CachedObject(points) for object_id, points in counts.items()}


def described(folder: Path, **changes: object) -> str:
    """The ``cache.json`` of a folder with other fields; a field of None is left out."""
    content = json.loads((folder / "cache.json").read_text()) | changes
    return json.dumps({key: value for key, value in content.items() if value is not None})
