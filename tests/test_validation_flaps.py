# SPDX-License-Identifier: GPL-3.0-or-later
"""What the report on multirate measures with: a flap, its frequency and its decay."""

from __future__ import annotations

import numpy as np
import pytest

import core
from validation.flaps import COTTON, RATE, Flap, bending_period, frequency_and_decay


def test_frequency_and_decay_are_those_of_a_damped_cosine() -> None:
    times = 0.05 * np.arange(200)
    path = 0.3 * np.exp(-0.07 * times) * np.cos(2.5 * times + 0.4)
    assert frequency_and_decay(path, 6, 0.05) == pytest.approx((2.5, 0.07), rel=1e-9)


def test_a_flap_is_clamped_and_bends_like_a_beam() -> None:
    """The first mode: at the clamp neither height nor slope, at the tip no curvature."""
    flap = Flap(cells=200, across=1, cell=0.001)
    positions, _ = flap.mesh
    line = positions[:, 1] == 0.0
    x, height = positions[line, 0], flap.mode()[line]
    assert x[:2] == pytest.approx([-0.001, 0.0])
    assert x[-1] == pytest.approx(flap.length) == pytest.approx(0.2)
    assert (height[x <= 1e-12] == 0.0).all()
    assert height[-1] == pytest.approx(1.0)
    curvature = np.diff(height, 2) / 0.001**2
    assert abs(curvature[-1]) < 1e-3 * curvature[2]
    fourth = np.diff(height, 4) / 0.001**4
    expected = flap.beam_frequency**2 * COTTON.density * COTTON.bend_compliance
    np.testing.assert_allclose(fourth[50:150] / height[52:152], expected, rtol=1e-2)


def test_a_flap_sinks_and_its_bending_waits_only_where_it_may() -> None:
    flap = Flap(cells=3, across=2)
    often, seldom = (core.XPBD(substeps=80, multirate=each) for each in (False, True))
    assert 0.0 < flap.sag(often, 0.0981, 4.0, 1.0) < flap.length
    for solver, least, most in ((often, 1.0, 1.0), (seldom, 2.0, 8.0)):
        simulation = flap.simulation(solver)
        simulation.advance(1 / RATE)
        assert least <= bending_period(simulation) <= most


def test_a_flap_swings_about_its_rest() -> None:
    flap = Flap(cells=3, across=2)
    path = flap.swing(core.XPBD(substeps=20), 1e-3, 1)
    assert 0.9e-3 < path[0] < 1e-3
    assert path.min() < -0.5e-3
