# SPDX-License-Identifier: GPL-3.0-or-later
"""Groups of points are sorted each along the longest side of its own box."""

from __future__ import annotations

import numpy as np

from core.contact.halving import along_longest_sides


def test_each_group_is_sorted_along_its_own_side_and_stays_where_it_is() -> None:
    generator = np.random.default_rng(7)
    points = generator.uniform(-1.0, 1.0, (20, 3))
    points[:12] *= (1.0, 5.0, 1.0)
    points[12:] *= (1.0, 1.0, 5.0)
    mixed = np.concatenate([generator.permutation(12), 12 + generator.permutation(8)])
    order = along_longest_sides(points, mixed, np.array([0, 12, 20]))
    assert sorted(order[:12]) == list(range(12))
    assert np.all(np.diff(points[order[:12], 1]) > 0.0)
    assert np.all(np.diff(points[order[12:], 2]) > 0.0)
