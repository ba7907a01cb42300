# SPDX-License-Identifier: GPL-3.0-or-later
"""What the case of swings takes for granted."""

from __future__ import annotations

import numpy as np
import pytest

from validation.motion import FIRST_ZERO, first_swing, swing_of


def test_the_chain_keeps_its_length_and_solves_its_equation() -> None:
    """-ω² y = g ((L - s) y')' at small reach, with g and L of 1."""
    down = np.linspace(0.0, 1.0, 201)
    way, height = first_swing(down, 0.1)
    lengths = np.hypot(np.diff(way), np.diff(height))
    np.testing.assert_allclose(lengths, 1 / 200, rtol=1e-3)
    assert way[0] == pytest.approx(0.0, abs=1e-9)
    assert way[-1] == pytest.approx(0.1)
    middle = 0.5 * (down[1:] + down[:-1])
    pull = np.diff((1.0 - middle) * np.diff(way) * 200) * 200
    np.testing.assert_allclose(pull, -((0.5 * FIRST_ZERO) ** 2) * way[1:-1], atol=2e-3)


def test_period_and_loss_are_found_between_frames() -> None:
    times = np.arange(200) / 24
    ways = np.exp(-0.05 * times) * np.cos(2.0 * np.pi * times / 1.7)
    period, kept = swing_of(ways, 1 / 24)
    assert period == pytest.approx(1.7, rel=1e-3)
    assert kept == pytest.approx(np.exp(-0.05 * 1.7), rel=1e-3)
