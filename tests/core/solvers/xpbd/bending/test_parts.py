# SPDX-License-Identifier: GPL-3.0-or-later
"""Groups of which some constraints are laid out apart."""

from __future__ import annotations

import numpy as np
import pytest

import core
from core.layout.layout import Layout
from core.solvers.xpbd.bending.parts import slots_of
from core.solvers.xpbd.bending.predictor import parted

ZIGZAG = np.array([(0.0, 0, 0), (1, 0, 0), (2, 0.1, 0), (2, 1, 0), (3, 1, 0), (4, 1.1, 0)])


@pytest.mark.jit_off
def test_sharp_bends_are_laid_out_apart_and_the_model_knows_nothing_of_it() -> None:
    """Each constraint has the place of its multiplier where its part is laid out."""
    model = core.Model(np.float64)
    model.add_particles(ZIGZAG, 1.0)
    model.add_constraints("angle", [(i, i + 1, i + 2) for i in range(4)])
    model.add_constraints("distance", [(i, i + 1) for i in range(5)])
    parts, taken = parted(model.groups)
    assert [(part.owner, each) for part, each in zip(parts, taken, strict=True)] == [
        (0, True),
        (0, False),
        (1, False),
    ]
    smooth, sharp, _ = (part.chosen for part in parts)
    np.testing.assert_array_equal(smooth, [0, 3])
    np.testing.assert_array_equal(sharp, [1, 2])
    layout = Layout([part.group for part in parts], model.particle_count, model.dtype)
    slots = slots_of(model.groups, parts, layout.slots)
    assert [len(places) for places in slots] == [4, 5]
    assert len(np.unique(np.concatenate(slots))) == 9
    for part, places in zip(parts[:2], layout.slots, strict=False):
        np.testing.assert_array_equal(slots[0][part.chosen], places)
        np.testing.assert_array_equal(part.group.indices, model.groups[0].indices[part.chosen])
