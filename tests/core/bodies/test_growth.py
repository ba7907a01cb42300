# SPDX-License-Identifier: GPL-3.0-or-later
"""Solids that swell, contract like muscles, and yield."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from contact_scenes import rotation
from naive.solids import box

import core
from core.bodies.soft_body import SoftBody
from core.constraints import patch
from core.mesh.lattice import body_centred_box
from core.mesh.tetrahedra import signed_volumes

pytestmark = pytest.mark.long

SIZE = np.array([0.1, 0.1, 0.2])
BAR = body_centred_box((2, 2, 4), (0.1, 0.1, 0.2))
MIDDLE = 0.5 * SIZE
FRAME = 1.0 / 24.0


def bar(**options: Any) -> tuple[core.Model, SoftBody]:
    model = core.Model()
    material = {"density": 1000.0, "young_modulus": 2e4, "thickness": 1e-4} | options
    return model, model.add_soft_body(BAR[0], tetrahedra=BAR[1], self_collision=False, **material)


def weightless(model: core.Model) -> core.Simulation:
    return core.Simulation(model, core.XPBD(substeps=20), gravity=(0.0, 0.0, 0.0))


def settled(model: core.Model, frames: int = 36) -> np.ndarray:
    simulation = weightless(model)
    for _ in range(frames):
        simulation.advance(FRAME)
    return np.asarray(simulation.positions[: len(BAR[0])], np.float64)


def assert_same_shape(found: np.ndarray, expected: np.ndarray) -> None:
    """Wherever it has drifted and turned."""
    found, expected = found - found.mean(axis=0), expected - expected.mean(axis=0)
    left, _, right = np.linalg.svd(found.T @ expected)
    np.testing.assert_allclose(found @ (left @ right), expected, atol=1e-4)


@pytest.mark.parametrize("energy", ["neo-hookean", "corotational"])
@pytest.mark.parametrize("ratio", [0.2, 0.45])
def test_it_swells_to_the_volume_that_is_said(energy: str, ratio: float) -> None:
    model, _ = bar(inflation=1.5, poisson_ratio=ratio, energy=energy, drag=8.0)
    expected = MIDDLE + np.cbrt(1.5) * (BAR[0] - MIDDLE)
    assert_same_shape(settled(model), expected)


def test_it_swells_where_it_is_painted() -> None:
    painted = np.where(BAR[0][:, 2] < 0.1, 1.0, 2.0)
    model, _ = bar(inflation=painted, drag=8.0)
    volumes = signed_volumes(settled(model), BAR[1]) / signed_volumes(*BAR)
    heights = BAR[0][BAR[1]].mean(axis=1)[:, 2]
    assert np.median(volumes[heights < 0.06]) == pytest.approx(1.0, abs=0.05)
    assert np.median(volumes[heights > 0.14]) == pytest.approx(2.0, abs=0.1)


@pytest.mark.parametrize("axis", [(0.0, 0.0, 1.0), (0.0, 3.0, 0.0), (1.0, 1.0, 0.0)])
def test_a_muscle_is_shorter_along_its_fibres_and_wider_across(axis: tuple[float, ...]) -> None:
    fibres = np.broadcast_to(axis, BAR[0].shape)
    model, _ = bar(contraction=0.36, fibres=fibres, drag=8.0)
    along = np.array(axis) / np.linalg.norm(axis)
    shape = 0.64 * np.outer(along, along) + 1.25 * (np.eye(3) - np.outer(along, along))
    assert_same_shape(settled(model), BAR[0] @ shape)


def test_a_muscle_pulls_as_strongly_as_its_material() -> None:
    """Held at its length it is stretched by 1 / (1 - c): a small strain c pulls by E A c."""
    ends = np.flatnonzero((BAR[0][:, 2] == 0.0) | (BAR[0][:, 2] == SIZE[2]))
    model, _ = bar(contraction=0.02, poisson_ratio=0.0, pins=ends, pin_stiffness=1e9, drag=8.0)
    simulation = weightless(model)
    for _ in range(24):
        simulation.advance(FRAME)
    pulled = model.groups[-1].compliance
    anchors = model.groups[-1].indices[:, 0]
    away = simulation.positions[anchors] - simulation.positions[model.groups[-1].indices[:, 1]]
    forces = away[:, 2] / pulled[:, 0]
    force = forces[BAR[0][ends, 2] == SIZE[2]].sum()
    assert force == pytest.approx(2e4 * 0.1 * 0.1 * 0.02, rel=0.06)


def stretched(length: float) -> np.ndarray:
    across = length**-0.5
    return MIDDLE + (BAR[0] - MIDDLE) * [across, across, length]


def pulled_and_let_go(frames: int = 12, **material: Any) -> np.ndarray:
    """A bar that was pulled to 1.5 times its length at its volume, held there, and freed."""
    every = np.arange(len(BAR[0]))
    options: dict[str, Any] = {"poisson_ratio": 0.45, "drag": 8.0, "pins": every} | material
    model, body = bar(pin_stiffness=1e9, **options)
    simulation = weightless(model)
    for step in range(1, frames + 1):
        simulation.set_targets(body.pins, stretched(1.0 + 0.5 * min(1.0, step / 6.0)))
        simulation.advance(FRAME)
    simulation.go_on_with(bar(pin_stiffness=0.0, **options)[0])
    for _ in range(36):
        simulation.advance(FRAME)
    return np.asarray(np.ptp(simulation.positions[body.particles], axis=0) / SIZE)


@pytest.mark.parametrize("energy", ["neo-hookean", "corotational"])
def test_a_bar_keeps_what_is_beyond_its_yield_strain(energy: str) -> None:
    """Pulled to λ at constant volume, all but 1 + y of it stays: λ / (1 + y)."""
    kept = pulled_and_let_go(plasticity=np.inf, yield_stretch=0.2, energy=energy)
    assert kept[2] == pytest.approx(1.5 / 1.2, rel=0.005)
    assert kept[:2] == pytest.approx([1.25**-0.5] * 2, rel=0.005)


def test_it_creeps_at_its_rate() -> None:
    """Of the logarithm of what is beyond, 1 - exp(-rate t) flows while it is held."""
    kept = [pulled_and_let_go(frames, plasticity=0.5, yield_stretch=0.2)[2] for frames in (12, 36)]
    left = [np.log(1.25) - np.log(each) for each in kept]
    assert left[1] / left[0] == pytest.approx(np.exp(-0.5 * 24 * FRAME), rel=0.02)


def test_what_springs_back_keeps_nothing() -> None:
    assert pulled_and_let_go(plasticity=np.inf, yield_stretch=0.6)[2] == pytest.approx(
        1.0, abs=1e-3
    )


def test_it_yields_whichever_way_it_is_turned_and_keeps_its_volume() -> None:
    random = np.random.default_rng(1)
    points = random.normal(size=(5, 6, 3))
    rest = patch.measure_gradients(points)
    moved = points @ random.normal(size=(3, 3)).T
    limit, share = np.full(5, 0.1), np.full(5, 0.7)
    found = patch.flow(rest, moved, limit, share)
    turn = rotation((1.0, 2.0, 3.0), 1.0)
    np.testing.assert_allclose(patch.flow(rest, moved @ turn.T, limit, share), found, atol=1e-9)
    before, after = (
        np.linalg.det((moved[:, 1:] - moved[:, :1]).transpose(0, 2, 1) @ each.reshape(5, 5, 3))
        for each in (rest, found)
    )
    np.testing.assert_allclose(after, before, rtol=1e-9)


def test_what_has_yielded_is_carried_into_another_rest_shape() -> None:
    random = np.random.default_rng(2)
    points = random.normal(size=(4, 7, 3))
    before = np.column_stack([patch.measure_gradients(points), np.full(4, 0.3)])
    change = np.eye(3) + 0.2 * random.normal(size=(4, 3, 3))
    gradients = before[:, :-1].reshape(4, 6, 3)
    yielded = np.column_stack([(gradients @ change).reshape(4, -1), np.full(4, 0.3)])
    now = np.column_stack([0.8 * before[:, :-1], np.full(4, 0.5)])
    found = patch.carry(yielded, before, now)
    np.testing.assert_allclose(found[:, :-1], 0.8 * yielded[:, :-1], atol=1e-12)
    np.testing.assert_array_equal(found[:, -1], 0.5)


def squeezed_flat(model: core.Model, body: SoftBody) -> core.Simulation:
    simulation = weightless(model)
    simulation.set_targets(body.pins, stretched(1.0 / 1.5))
    for _ in range(3):
        simulation.advance(FRAME)
    return simulation


def test_it_goes_on_from_a_checkpoint_as_it_has_yielded() -> None:
    made = [bar(plasticity=5.0, pins=np.arange(len(BAR[0])), pin_stiffness=1e8) for _ in range(2)]
    first = squeezed_flat(*made[0])
    second = weightless(made[1][0])
    second.restore(first.checkpoint())
    for simulation in (first, second):
        for _ in range(3):
            simulation.advance(FRAME)
    assert first.positions.tobytes() == second.positions.tobytes()
    described = made[0][0].groups[0].rest
    assert not np.allclose(first.rest_states.model.groups[0].rest, described, rtol=0.01)


@pytest.mark.parametrize("embedded", [False, True])
def test_it_goes_back_to_its_rest_shape(embedded: bool) -> None:
    """It starts twice as wide along x, and turned."""
    block = box((0.0, 0.0, 0.0), SIZE)
    rest, cells = (block[0], {"faces": block[1], "cell_size": 0.05}) if embedded else (
        BAR[0], {"tetrahedra": BAR[1]},
    )  # fmt: skip
    start = rest * [2.0, 1.0, 1.0] @ rotation((0.0, 0.0, 1.0), 0.5).T
    model = core.Model()
    body = model.add_soft_body(
        start, rest_positions=rest, young_modulus=2e4, drag=8.0, thickness=1e-4, **cells
    )
    simulation = weightless(model)
    before = simulation.surface(body)
    np.testing.assert_allclose(before, start, atol=0.01 if embedded else 1e-6)
    for _ in range(36):
        simulation.advance(FRAME)
    assert_same_shape(simulation.surface(body), rest)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"inflation": 0.0}, "inflation"),
        ({"contraction": 1.0}, "contraction"),
        ({"fibres": (0.0, 0.0, 0.0)}, "fibres"),
        ({"plasticity": -1.0}, "plasticity"),
        ({"yield_stretch": -0.1}, "yield"),
    ],
)
def test_what_leaves_no_rest_shape_is_refused(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(core.ModelError, match=said):
        bar(**wrong)


PULSES = [0.0, 0.1, 0.3, 0.3, 0.1, 0.0]


def pulsing(simulation: core.Simulation, body: SoftBody, pulses: list[float]) -> np.ndarray:
    for contraction in pulses:
        simulation.grow(body, contraction=contraction, inflation=1.0 + contraction)
        simulation.advance(FRAME)
    return simulation.positions.copy()


@pytest.mark.parametrize("plasticity", [0.0, 20.0])
@pytest.mark.parametrize("energy", ["neo-hookean", "corotational"])
def test_growth_is_that_of_a_body_that_is_described_anew(energy: str, plasticity: float) -> None:
    options = {"energy": energy, "plasticity": plasticity, "yield_stretch": 0.01}
    model, body = bar(**options)
    grown = weightless(model)
    found = pulsing(grown, body, PULSES)
    anew = weightless(bar(**options)[0])
    for contraction in PULSES:
        changed = {"contraction": contraction, "inflation": 1.0 + contraction}
        anew.go_on_with(bar(**options | changed)[0])
        anew.advance(FRAME)
    np.testing.assert_array_equal(found, anew.positions)
    assert np.abs(found - BAR[0]).max() > 1e-3


def test_painted_growth_reaches_the_inside_of_a_surface() -> None:
    points, faces = box((0.0, 0.0, 0.0), SIZE)
    painted = np.where(points[:, 2] < 0.1, 0.0, 0.3)
    models = core.Model(), core.Model()
    for model, contraction in zip(models, [np.zeros(len(points)), painted], strict=True):
        model.add_soft_body(points, faces, cell_size=0.05, thickness=1e-4, contraction=contraction)
    grown, described = map(weightless, models)
    body = models[0].soft_bodies[0]
    grown.grow(body, contraction=painted)
    for _ in range(3):
        grown.advance(FRAME)
        described.advance(FRAME)
    np.testing.assert_array_equal(grown.positions, described.positions)
    top = grown.surface(body)[points[:, 2] > 0.19]
    assert np.ptp(top[:, 0]) > 1.05 * SIZE[0]


def test_growth_lasts_over_a_checkpoint() -> None:
    options = {"plasticity": 20.0, "yield_stretch": 0.01}
    model, body = bar(**options)
    whole = weightless(model)
    pulsing(whole, body, PULSES[:3])
    again, same = bar(**options, contraction=0.3, inflation=1.3)
    resumed = weightless(again)
    resumed.restore(whole.checkpoint())
    expected = pulsing(whole, body, PULSES[3:])
    np.testing.assert_array_equal(pulsing(resumed, same, PULSES[3:]), expected)


@pytest.mark.parametrize(
    ("growth", "message"),
    [
        ({"contraction": 1.0}, "contraction of a soft body must be below 1"),
        ({"inflation": [1.0, 2.0]}, "inflation of 'soft body' must be one number"),
        ({"inflation": 0.0}, "inflation of a soft body must be above 0"),
    ],
)
def test_growth_that_cannot_be_is_refused(growth: dict[str, Any], message: str) -> None:
    model, body = bar()
    simulation = weightless(model)
    with pytest.raises(core.ModelError, match=message):
        simulation.grow(body, **growth)
