# SPDX-License-Identifier: GPL-3.0-or-later
"""How the overstretch of constraints that touch something, and of those around them, is counted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from core.solvers.xpbd.quality import HIDDEN, TIGHT, Measured, Touching, overstretch_of

pytestmark = pytest.mark.jit_off

ALLOWED = 0.03
COUNT, TOUCHING, NEAR, TANGLED = 3000, 1000, 2000, 2500
"""Links of a row, of which the first touch something, and those up to the second are near; from the
third on they may be tangled."""

HELD, CLOSE, FAR = range(TOUCHING), range(TOUCHING, NEAR - 1), range(NEAR, COUNT)


def overstretch(
    error: Any,
    stretch: Any = 0.0,
    pinned: Any = (),
    *,
    touching: bool = True,
    is_tangled: bool = False,
) -> Any:
    """Of links as long as each other; ``error`` and ``stretch`` as for :func:`values`."""
    corners = np.stack([np.arange(COUNT), np.arange(COUNT) + 1], axis=1)
    group = Measured(
        corners,
        np.zeros((2, COUNT), np.int64),
        np.ones(COUNT),
        np.ones(COUNT),
        np.asarray(pinned, np.int64),
        1.0,
        1.0,
    )
    particles = np.arange(COUNT + 1)
    tangled = (particles >= TANGLED) & is_tangled
    state = Touching(particles <= TOUCHING, particles < NEAR, tangled) if touching else None
    return overstretch_of(group, values(error), values(stretch), state, ALLOWED)


def values(given: Any) -> np.ndarray:
    """One number, or {links: number} with zeros elsewhere."""
    if not isinstance(given, dict):
        return np.full(COUNT, float(given))
    found = np.zeros(COUNT)
    for part, value in given.items():
        found[part] = value
    return found


def test_without_contact_all_count() -> None:
    assert overstretch(0.1, 0.1, touching=False).error == pytest.approx(0.1)


@pytest.mark.parametrize("stretch", [0.0, 0.5 * ALLOWED])
def test_where_nothing_is_tight_contact_changes_nothing(stretch: float) -> None:
    assert overstretch({CLOSE: 0.1}, {HELD: stretch, CLOSE: 0.1}).error == pytest.approx(0.1)
    assert overstretch({FAR: 0.1}, {HELD: stretch}).error == pytest.approx(0.1)


@pytest.mark.parametrize("stretch", [0.05, 0.1, 0.9])
def test_near_what_is_held_apart_more_is_allowed(stretch: float) -> None:
    """As much as it is stretched beyond what is allowed, up to a limit, and twice that."""
    hidden = min(stretch - ALLOWED, HIDDEN * ALLOWED)
    for part in (HELD, CLOSE):
        found = overstretch({part: 0.1}, {HELD: stretch, CLOSE: stretch})
        assert found.error == pytest.approx(0.1 * TIGHT * ALLOWED / (ALLOWED + hidden))


def test_no_more_is_allowed_than_there_is_stretch_around() -> None:
    """A few that are held very far apart hide nothing."""
    few = range(25)
    found = overstretch({CLOSE: 0.1}, {HELD: 0.01, CLOSE: 0.01, few: 2.0})
    assert found.error == pytest.approx(0.1 * TIGHT * ALLOWED / (ALLOWED + 0.01))


def test_far_from_it_all_counts() -> None:
    found = overstretch({HELD: 0.1, FAR: 0.08}, {HELD: 0.5, CLOSE: 0.5, FAR: 0.5})
    assert found.error == pytest.approx(0.08)


@pytest.mark.parametrize("part", [CLOSE, FAR])
def test_what_is_torn_by_what_holds_it_counts_by_its_length(part: range) -> None:
    """It looks alike: at five times its length a quarter counts of what did at twice."""
    stretched = {HELD: 1.0 + ALLOWED, CLOSE: 1.0}
    torn = {HELD: 4.0 + ALLOWED, CLOSE: 4.0}
    assert overstretch({part: 0.1}, torn).error == pytest.approx(
        overstretch({part: 0.1}, stretched).error / 4.0
    )


def test_what_touches_may_be_longer_in_a_hundredth_and_what_is_beside_it_too() -> None:
    """Its way is not free."""
    for start in (0, TOUCHING):
        assert overstretch({range(start, start + 20): 0.1}).error == 0.0
        assert overstretch({range(start, start + 40): 0.1}).error == pytest.approx(0.1)
    assert overstretch({range(NEAR, NEAR + 20): 0.1}).error == pytest.approx(0.1)


def test_near_a_tangle_nothing_counts() -> None:
    tangled = range(TANGLED, COUNT)
    assert overstretch({tangled: 0.1}).error == pytest.approx(0.1)
    assert overstretch({tangled: 0.1}, is_tangled=True).error == 0.0
    assert overstretch({FAR: 0.1}, is_tangled=True).error == pytest.approx(0.1)


def test_those_too_far_apart_are_named() -> None:
    found = overstretch({range(5, 15): 0.1, range(100, 104): 0.02}, {HELD: 0.1})
    np.testing.assert_array_equal(found.held_apart, np.arange(5, 16))
    assert len(overstretch({range(5, 8): 0.1}).held_apart) == 0, "no more than a thousandth"
    assert len(overstretch({CLOSE: 0.1}).held_apart) == 0, "those are free"


def test_between_pins_nothing_counts() -> None:
    pinned = np.arange(100, 200)
    found = overstretch({range(100, 200): 0.1}, 0.0, pinned)
    assert found.error == 0.0
    np.testing.assert_array_equal(found.held_apart, np.arange(100, 201))
    pinned += NEAR
    found = overstretch({range(NEAR + 100, NEAR + 200): 0.1}, 0.0, pinned, touching=False)
    assert found.error == 0.0
    assert len(found.held_apart) == 101


def test_the_stretch_is_that_of_all_but_a_hundredth() -> None:
    assert overstretch(0.0, {range(25): 1.0, range(25, 80): 0.4}).stretch == pytest.approx(0.4)


def test_the_worst_but_one_near_what_touches_is_told_of() -> None:
    assert overstretch({HELD[5]: 2.0, CLOSE[5]: 1.5}).caught == 1.5
    assert overstretch({HELD[5]: 2.0, FAR[5]: 1.5}).caught == 0.0
    assert overstretch({HELD[5]: 2.0, CLOSE[5]: 1.5}, touching=False).caught == 0.0
