# SPDX-License-Identifier: GPL-3.0-or-later
"""The hair of the validation report has the article's size."""

import numpy as np
import pytest

from core.bodies.strands import bends
from validation.hair import Hair, long_straight


@pytest.fixture(scope="module")
def hair() -> Hair:
    return long_straight()


def test_it_has_the_numbers_of_the_article(hair: Hair) -> None:
    assert len(hair.sizes) == 24_570
    assert len(hair.positions) == hair.sizes.sum() == 995_032
    assert (hair.sizes.min(), hair.sizes.max()) == (4, 74)
    assert hair.lengths.min() == pytest.approx(0.0728)
    assert hair.lengths.max() == pytest.approx(1.1234)
    assert hair.sizes[hair.lengths.argmin()] == 4
    assert hair.sizes[hair.lengths.argmax()] == 74


def test_it_is_the_same_each_time(hair: Hair) -> None:
    np.testing.assert_array_equal(long_straight().positions, hair.positions)


def test_strands_are_apart_from_each_other(hair: Hair) -> None:
    assert len(hair.edges) == 995_032 - 24_570
    joints, _ = bends(hair.positions, hair.edges)
    assert len(joints) == 995_032 - 2 * 24_570
    assert (np.diff(joints, axis=1) == 1).all()
    assert len(hair.pins) == 2 * 24_570


def test_a_sample_goes_from_the_shortest_to_the_longest(hair: Hair) -> None:
    few = hair.sample(100)
    assert len(few.sizes) == 246
    assert few.sizes[0] == 74
    assert few.sizes[-1] < 10
    assert few.lengths.max() == pytest.approx(1.1234)
    assert few.sizes.mean() == pytest.approx(hair.sizes.mean(), rel=0.01)
