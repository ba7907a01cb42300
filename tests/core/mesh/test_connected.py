# SPDX-License-Identifier: GPL-3.0-or-later
"""What hangs together, against a search from every vertex."""

from __future__ import annotations

import numpy as np
import pytest

from core.mesh.connected import connected

pytestmark = pytest.mark.jit_off


def reached(tables: list[np.ndarray], free: np.ndarray) -> list[int]:
    """The smallest vertex that can be reached from each one, by going on until nothing is new."""
    joined: list[set[int]] = [set(row[free[row]].tolist()) for table in tables for row in table]
    found = []
    for vertex in range(len(free)):
        own, before = {vertex}, set[int]()
        while own != before:
            before = own
            own = own.union(*(row for row in joined if row & own))
        found.append(min(own) if free[vertex] else -1)
    return found


@pytest.mark.parametrize("seed", range(6))
def test_random_tables_of_several_widths(seed: int) -> None:
    random = np.random.default_rng(seed)
    tables = [random.integers(0, 60, (12, width)) for width in (1, 2, 4)]
    free = random.random(60) < 0.8
    assert connected(tables, free).tolist() == reached(tables, free)


def test_a_shuffled_chain_is_one_part_and_a_held_vertex_cuts_it() -> None:
    names = np.random.default_rng(0).permutation(200)
    chain = np.stack([names[:-1], names[1:]], axis=1)
    free = np.ones(200, np.bool_)
    assert not connected([chain], free).any()
    free[names[80]] = False
    found = connected([chain], free)
    assert set(found[names[:80]]) == {names[:80].min()}
    assert found[names[80]] == -1
    assert set(found[names[81:]]) == {names[81:].min()}


def test_nothing_joins_nothing() -> None:
    free = np.ones(3, np.bool_)
    assert connected([], free).tolist() == [0, 1, 2]
    assert connected([np.empty((0, 3), np.int64)], free).tolist() == [0, 1, 2]
