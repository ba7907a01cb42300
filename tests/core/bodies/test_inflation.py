# SPDX-License-Identifier: GPL-3.0-or-later
"""What is inflated over a time: cushions stay on their floor, factors are those of a formula."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import contact_scenes as scenes
import naive
import numpy as np
import pytest

import core
from core.bodies.inflation import inflated, is_swelling
from core.mesh.lattice import body_centred_box

pytestmark = pytest.mark.long

FRAME = 1.0 / 24.0

SOLVERS: dict[str, Callable[[], Any]] = {
    "XPBD": lambda: core.XPBD(substeps=20),
    "Automatic": lambda: core.XPBD(
        substeps=60, largest_stretch=0.03, near_pins=True, implicit_bending=True, second_order=True
    ),
    "Jacobi": lambda: core.XPBD(substeps=20, iterations=4, method="jacobi"),
    "PBD": lambda: core.PBD(substeps=20),
}

by_all_that_fill = pytest.mark.parametrize("solver", SOLVERS)


def volume_of(points: np.ndarray, triangles: np.ndarray) -> float:
    placed = np.asarray(points, np.float64) - points.mean(axis=0)
    return float(np.linalg.det(placed[triangles]).sum() / 6.0)


BALL = scenes.ball(8)


def ball(**options: Any) -> core.Model:
    """A skin that gives, around what does not."""
    model = core.Model()
    model.add_cloth(
        *BALL, stretch_compliance=0.1, shear_compliance=0.2, drag=2.0, volume_compliance=0.0,
        **options,
    )  # fmt: skip
    return model


def blown_up(solver: str, frames: int, **options: Any) -> core.Simulation:
    simulation = core.Simulation(ball(**options), SOLVERS[solver](), gravity=(0.0, 0.0, 0.0))
    for _ in range(frames):
        simulation.advance(FRAME)
    return simulation


def factor(simulation: core.Simulation) -> float:
    return volume_of(simulation.positions, BALL[1]) / volume_of(*BALL)


# --- the formula ----------------------------------------------------------------------------------


def test_it_rises_from_nothing_to_all_of_it() -> None:
    moments = np.linspace(0.0, 2.0, 41)
    factors = np.array([inflated(3.0, 2.0, each) for each in moments])
    np.testing.assert_allclose(factors[[0, 10, 20, 30, 40]], [1.0, 1.3125, 2.0, 2.6875, 3.0])
    rates = np.diff(factors)
    assert rates.min() > 0.0
    assert rates[0] < 0.1 * rates.max() > rates[-1], "slowly at first and in the end"
    np.testing.assert_array_equal(inflated(np.array([0.5, 4.0]), 1.0, 0.5), [0.75, 2.5])


@pytest.mark.parametrize(("time", "elapsed"), [(0.0, 0.0), (0.3, 0.3), (0.3, 7.0)])
def test_in_the_end_it_is_exactly_what_was_said(time: float, elapsed: float) -> None:
    painted = np.array([0.3, 1.1])
    assert inflated(painted, time, elapsed) is painted
    assert not is_swelling(painted, time, elapsed)


def test_what_is_not_inflated_does_not_swell() -> None:
    assert is_swelling(1.1, 1.0, 0.5)
    assert not is_swelling(np.ones(3), 1.0, 0.5)


# --- what is filled -------------------------------------------------------------------------------


@by_all_that_fill
def test_halfway_there_is_half_of_it(solver: str) -> None:
    simulation = blown_up(solver, 0, inflation=1.4, inflation_time=0.5)
    for expected in (1.0625, 1.2, 1.3375, 1.4, 1.4):
        found = []
        for _ in range(3):
            simulation.advance(FRAME)
            found.append(factor(simulation))
        assert found[-1] == pytest.approx(expected, rel=2e-3)
        assert np.all(np.diff(found) > -1e-3)


@pytest.mark.parametrize("is_keyed", [False, True])
@by_all_that_fill
def test_within_a_frame_it_grows_evenly(solver: str, is_keyed: bool) -> None:
    """Blown up in a single frame, the skin still moves with V' / A when it ends."""
    if is_keyed:
        simulation = blown_up(solver, 0)
        for value in (1.2, 1.05):  # the last one counts
            simulation.go_on_with(ball(inflation=value))
        simulation.advance(FRAME)
    else:
        simulation = blown_up(solver, 1, inflation=1.05, inflation_time=FRAME)
    outwards = (simulation.velocities * BALL[0]).sum(axis=1).mean()
    assert outwards == pytest.approx(0.05 / 3.0 / FRAME, rel=0.1)


def test_at_once_is_what_was_there_before() -> None:
    """The default; and the time means nothing where nothing is inflated."""
    for one, other in (
        ({"inflation": 1.4}, {"inflation": 1.4, "inflation_time": 0.0}),
        ({}, {"inflation_time": 1.0}),
    ):
        found = [blown_up("Automatic", 5, **each).positions.copy() for each in (one, other)]
        np.testing.assert_array_equal(found[0], found[1])
    assert factor(blown_up("Automatic", 1, inflation=1.4)) == pytest.approx(1.4, rel=1e-3)


def cushion(time: float) -> core.Simulation:
    """Two panels of 40 cm, 1 cm apart, a millimetre above a floor."""
    points, quads = naive.quad_grid(12, 12, 0.4, 0.4)
    count = len(points)
    panels = np.concatenate([points + np.array([0.0, 0.0, height]) for height in (0.002, 0.012)])
    rim = [*range(12), *range(12, 168, 13), *range(168, 156, -1), *range(156, 0, -13)]
    sides = [(a, b, b + count, a + count) for a, b in zip(rim, [*rim[1:], rim[0]], strict=True)]
    lower, upper = [quad[::-1] for quad in quads], [[k + count for k in quad] for quad in quads]
    model = core.Model()
    model.add_cloth(
        panels, [*lower, *upper, *sides], density=0.15, stretch_compliance=1e-3,
        shear_compliance=2e-2, thickness=0.001, volume_compliance=0.0, inflation=4.0,
        inflation_time=time,
    )  # fmt: skip
    model.add_collider(*scenes.quad(2.0), thickness=0.0)
    return core.Simulation(model, SOLVERS["Automatic"]())


def heights_and_speeds(simulation: core.Simulation) -> tuple[np.ndarray, np.ndarray]:
    """The lowest and highest place [m], and the mean speed [m/s], of two seconds' frames."""
    heights, speeds = [], []
    for _ in range(48):
        simulation.advance(FRAME)
        height = simulation.positions[:, 2]
        heights.append((height.min(), height.max()))
        speeds.append(float(np.sqrt((simulation.velocities**2).sum(axis=1).mean())))
    return np.array(heights), np.array(speeds)


def test_a_flat_cushion_fills_on_its_floor() -> None:
    heights, speeds = heights_and_speeds(cushion(1.0))
    assert heights[:, 0].max() < 0.003
    assert heights[-1, 1] > 0.04
    assert heights[:, 1].max() < 1.1 * heights[-1, 1]
    assert speeds.max() < 0.15
    at_once, leaping = heights_and_speeds(cushion(0.0))
    assert at_once[:, 0].max() > 0.5 and leaping.max() > 3.0, "else this proves nothing"


# --- what swells ----------------------------------------------------------------------------------

BAR = body_centred_box((2, 2, 4), (0.1, 0.1, 0.2))


def bar(**options: Any) -> tuple[core.Simulation, core.SoftBody]:
    model = core.Model()
    body = model.add_soft_body(BAR[0], tetrahedra=BAR[1], thickness=1e-4, **options)
    return core.Simulation(model, core.XPBD(substeps=20), gravity=(0.0, 0.0, 0.0)), body


@pytest.mark.parametrize("plasticity", [0.0, 20.0])
def test_a_soft_body_grows_by_the_formula(plasticity: float) -> None:
    """As one that is told in each frame how far it is."""
    painted = np.where(BAR[0][:, 2] < 0.1, 1.0, 2.0)
    yielding = {"plasticity": plasticity, "yield_stretch": 0.01}
    swelling, _ = bar(inflation=painted, inflation_time=0.3, **yielding)
    told, body = bar(**yielding)
    for frame in range(1, 13):
        told.grow(body, inflation=inflated(painted, 0.3, frame * FRAME))
        for simulation in (swelling, told):
            simulation.advance(FRAME)
    np.testing.assert_allclose(swelling.positions, told.positions, atol=1e-6)
    assert np.ptp(swelling.positions[:, 2]) > 1.1 * np.ptp(BAR[0][:, 2])


def test_what_grows_otherwise_meanwhile_swells_on() -> None:
    """A muscle that contracts on the way, and whose inflation is told anew."""
    swelling, body = bar(inflation=1.5, inflation_time=0.3, contraction=0.1)
    told, same = bar(contraction=0.1)
    for frame in range(1, 13):
        aim, contraction = (1.5, 0.1) if frame < 4 else (2.0, 0.2)
        if frame == 4:
            swelling.grow(body, inflation=aim, inflation_time=0.3, contraction=contraction)
        now = float(inflated(aim, 0.3, frame * FRAME))
        told.grow(same, inflation=now, contraction=contraction)
        for simulation in (swelling, told):
            simulation.advance(FRAME)
    np.testing.assert_allclose(swelling.positions, told.positions, atol=1e-6)


# --- values that change, and checkpoints ----------------------------------------------------------


def test_inflation_that_is_keyed_comes_about_as_well() -> None:
    """The time counts from the start, whatever the value is on a frame."""
    simulation = blown_up("Automatic", 0, inflation=1.0, inflation_time=0.5)
    for frame in range(1, 16):
        keyed = 1.0 + 0.03 * frame
        simulation.go_on_with(ball(inflation=keyed, inflation_time=0.5))
        simulation.advance(FRAME)
        assert factor(simulation) == pytest.approx(
            float(inflated(keyed, 0.5, frame * FRAME)), rel=2e-3
        )


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"inflation": 1.1, "inflation_time": 0.5}, (1.05, 1.1)),
        ({"inflation": 1.4, "inflation_time": 0.0}, (1.4, 1.4)),
        ({"inflation": 1.4, "inflation_time": 1.0}, (1.0625, 1.2)),
        ({"inflation": 1.0}, (1.0, 1.0)),
    ],
    ids=str,
)
def test_a_checkpoint_goes_on_as_the_changed_model_says(
    changed: dict[str, float], expected: tuple[float, float]
) -> None:
    before = blown_up("Automatic", 5, inflation=1.4, inflation_time=0.5)
    after = blown_up("Automatic", 0, **changed)
    after.restore(before.checkpoint(), changed=True)
    found = []
    for frame in range(6, 13):
        after.advance(FRAME)
        found.append(factor(after))
        if frame == 6:
            assert found[-1] == pytest.approx(expected[0], rel=2e-3)
    assert found[-1] == pytest.approx(expected[1], rel=2e-3)


@pytest.mark.parametrize("changed", [{"inflation": 1.2}, {}], ids=str)
def test_so_does_a_soft_body(changed: dict[str, float]) -> None:
    before, _ = bar(inflation=2.0, inflation_time=0.5, drag=20.0)
    for _ in range(6):
        before.advance(FRAME)
    after, _ = bar(drag=20.0, **changed)
    after.restore(before.checkpoint(), changed=True)
    for _ in range(24):
        after.advance(FRAME)
    longer = np.ptp(after.positions, axis=0) / np.ptp(BAR[0], axis=0)
    np.testing.assert_allclose(longer, np.cbrt(changed.get("inflation", 1.0)), rtol=0.01)


# --- what can't be --------------------------------------------------------------------------------


@pytest.mark.jit_off
@pytest.mark.parametrize("time", [-0.1, np.inf, np.nan])
def test_times_that_can_not_be_are_refused(time: float) -> None:
    match = "inflation time must be finite and not negative"
    with pytest.raises(core.ModelError, match=match):
        ball(inflation_time=time)
    with pytest.raises(core.ModelError, match=match):
        bar(inflation_time=time)
