# SPDX-License-Identifier: GPL-3.0-or-later
"""Rods go on as they have turned where clamps come and go, whatever order they lie in then."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import core

TURN = 0.4 * np.arange(10)
ROUND, NONE = 0.1 * np.cos(TURN), np.zeros(10)
CURLS = np.concatenate(
    [
        np.stack([ROUND, NONE, 0.1 * np.sin(TURN)], axis=1),
        np.stack([1.0 + NONE, ROUND, 0.1 * np.sin(TURN)], axis=1),
    ]
)
LINKS = np.stack([np.arange(9), np.arange(1, 10)], axis=1)


def curls(pins: list[int], **material: Any) -> core.Model:
    """Two curls at right angles, of which a bend between three pins is none."""
    model = core.Model()
    model.add_strands(
        CURLS,
        np.concatenate([LINKS, LINKS + 10]),
        pins=pins,
        thickness=0.002,
        stretch_compliance=1e-4,
        bend_compliance=0.2,
        **material,
    )
    return model


@pytest.mark.parametrize("restored", [False, True])
def test_one_curl_is_let_go_as_another_is_caught(restored: bool) -> None:
    """There are as many bends as before, in another order: both curls stay at rest."""
    solver = core.XPBD(substeps=20, implicit_bending=True, second_order=True)
    simulation = core.Simulation(curls([0, 1, 2]), solver, gravity=(0.0, 0.0, 0.0))
    for _ in range(3):
        simulation.advance(1 / 24)
    np.testing.assert_allclose(simulation.positions, CURLS, atol=1e-5)
    if restored:
        checkpoint = simulation.checkpoint()
        simulation = core.Simulation(curls([10, 11, 12]), solver, gravity=(0.0, 0.0, 0.0))
        simulation.restore(checkpoint, changed=True)
    else:
        simulation.go_on_with(curls([10, 11, 12]))
    for _ in range(6):
        simulation.advance(1 / 24)
    np.testing.assert_allclose(simulation.positions, CURLS, atol=1e-5)


@pytest.mark.parametrize("twists", [False, True])
def test_strands_begin_or_cease_to_resist_twisting(twists: bool) -> None:
    solver = core.XPBD(substeps=20, implicit_bending=True, second_order=True)
    resisting: dict[str, Any] = {"twist_compliance": 0.3}
    before, after = ({}, resisting) if twists else (resisting, {})
    simulation = core.Simulation(curls([0, 10], **before), solver, gravity=(0.0, 0.0, 0.0))
    simulation.advance(1 / 24)
    simulation.go_on_with(curls([0, 1, 10], **after))
    simulation.advance(1 / 24)
    np.testing.assert_allclose(simulation.positions, CURLS, atol=1e-5)
