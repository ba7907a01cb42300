# SPDX-License-Identifier: GPL-3.0-or-later
"""What is bent or stretched beyond a limit stays so."""

from __future__ import annotations

from typing import Any

import naive
import numpy as np
import pytest

import core

FRAME = 1.0 / 24.0
LENGTH, WIDTH = 0.3, 0.05  # m

DEFAULTS: dict[str, Any] = {
    "substeps": 400, "iterations": 8, "largest_stretch": 0.03, "near_pins": True,
    "implicit_bending": True, "second_order": True,
}  # fmt: skip
"""The solver as the add-on has it."""


def strip(cells: int, pin_stiffness: float, **material: Any) -> tuple[core.Model, Any]:
    """A strip of which each vertex is pulled to a target."""
    points, quads = naive.quad_grid(cells, max(1, cells // 6), LENGTH, WIDTH)
    model = core.Model()
    cloth = model.add_cloth(
        points,
        quads,
        pins=np.arange(len(points)),
        pin_stiffness=pin_stiffness,
        bend_compliance=10.0,
        drag=5.0,
        plasticity=np.inf,
        self_collision=False,
        **material,
    )
    return model, cloth


def led_and_let_go(cells: int, shapes: Any, solver: dict[str, Any], **material: Any) -> np.ndarray:
    """The places along a strip that was led through shapes, and then let go, shape (k, 3)."""
    model, cloth = strip(cells, 1e9, **material)
    points = model.positions[cloth.particles].copy()
    options = DEFAULTS | solver
    simulation = core.Simulation(model, core.XPBD(**options), gravity=(0.0, 0.0, 0.0))
    for share in np.arange(1, 37) / 36.0:
        simulation.set_targets(cloth.pins, shapes(points, share))
        simulation.advance(FRAME)
    simulation.go_on_with(strip(cells, 0.0, **material)[0])
    for _ in range(48):
        simulation.advance(FRAME)
    return simulation.positions[: len(points)][points[:, 1] == 0.0]


def bent(angle: float) -> Any:
    """Shapes along an arc that turns by more and more."""

    def shape(points: np.ndarray, share: float) -> np.ndarray:
        radius = LENGTH / (share * angle)
        arc = (points[:, 0] - 0.5 * LENGTH) / radius
        return np.stack([radius * np.sin(arc), points[:, 1], radius * (1.0 - np.cos(arc))], axis=1)

    return shape


def turned(line: np.ndarray) -> float:
    ways = np.diff(line, axis=0)
    ways /= np.linalg.norm(ways, axis=1)[:, None]
    between = np.clip((ways[1:] * ways[:-1]).sum(axis=1), -1.0, 1.0)
    return float(np.arccos(between).sum()) * len(ways) / (len(ways) - 1)


@pytest.mark.parametrize("solver", [{}, {"largest_stretch": 0.0, "substeps": 20, "iterations": 1}])
@pytest.mark.parametrize("cells", [12, 24])
def test_a_strip_keeps_the_angle_of_an_ideal_hinge(cells: int, solver: dict[str, Any]) -> None:
    """Bent by 2 rad, of which 3 1/m × 0.3 m are elastic: 1.1 rad stay, as of a plastic hinge."""
    found = turned(led_and_let_go(cells, bent(2.0), solver, yield_bend=3.0))
    assert found == pytest.approx(2.0 - 3.0 * LENGTH, rel=0.03)


def test_what_is_bent_less_springs_back() -> None:
    assert turned(led_and_let_go(12, bent(0.8), {}, yield_bend=3.0)) < 0.02


@pytest.mark.parametrize("membrane", ["springs", "continuum"])
def test_a_strip_stays_longer_by_what_is_beyond_the_limit(membrane: str) -> None:
    """Pulled by 30%, of which 10% are elastic, and let back to 18%: it stays 1.3 / 1.1 times as
    long.
    """

    def pulled(points: np.ndarray, share: float) -> np.ndarray:
        longer = min(0.3, 0.6 * share, 0.3 - 0.36 * (share - 2.0 / 3.0))
        return np.stack([(1.0 + longer) * points[:, 0], points[:, 1], points[:, 2]], axis=1)

    material = {"yield_stretch": 0.1, "membrane": membrane, "poisson_ratio": 0.0}
    line = led_and_let_go(12, pulled, {}, **material)
    length = np.linalg.norm(np.diff(line, axis=0), axis=1).sum()
    assert length == pytest.approx(1.3 / 1.1 * LENGTH, rel=0.02)


@pytest.mark.jit_off
def test_a_limit_of_zero_is_refused() -> None:
    points, quads = naive.quad_grid(2, 2, 1.0, 1.0)
    for name in ("yield_bend", "yield_stretch"):
        with pytest.raises(core.ModelError, match=f"The {name.replace('_', ' ')} must be positive"):
            core.Model().add_cloth(points, quads, plasticity=1.0, **{name: 0.0})  # type: ignore[arg-type]
    with pytest.raises(core.ModelError, match="plasticity can't be -1"):
        core.Model().add_cloth(points, quads, plasticity=-1.0)
