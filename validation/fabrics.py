# SPDX-License-Identifier: GPL-3.0-or-later
"""Fabrics as cases simulate them."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import core

DESCRIBING = ("name", "source")


def fabric_options(name: str) -> dict[str, Any]:
    """Return the preset's values as ``core.Model.add_cloth`` takes them."""
    values = asdict(core.MATERIALS[name])
    return {key: value for key, value in values.items() if key not in DESCRIBING}
