# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of soft solids is complete, physical and says where it comes from."""

from __future__ import annotations

import pytest

from core.bodies.soft_material import MOST_POISSON
from core.materials.soft_bodies import SOFT_MATERIALS, SoftPreset

each_preset = pytest.mark.parametrize("preset", SOFT_MATERIALS.values(), ids=SOFT_MATERIALS.keys())

pytestmark = pytest.mark.jit_off


def test_the_promised_ones_exist() -> None:
    promised = {"gelatine", "silicone", "rubber", "foam", "flesh", "fat", "sponge", "dough"}
    assert promised == set(SOFT_MATERIALS)
    assert all(key == preset.name.lower() for key, preset in SOFT_MATERIALS.items())


@each_preset
def test_constants_are_those_of_a_soft_solid(preset: SoftPreset) -> None:
    assert 20.0 < preset.density < 1500.0
    assert 1e3 < preset.young_modulus < 1e7
    assert 0.0 <= preset.poisson_ratio <= MOST_POISSON
    assert 0.0 <= preset.damping < 0.05
    assert 0.0 < preset.friction <= 1.0
    assert len(preset.source) > 40


def test_stiffness_ranks_as_the_hand_feels_it() -> None:
    young = {name: preset.young_modulus for name, preset in SOFT_MATERIALS.items()}
    assert young["fat"] < young["flesh"] < young["silicone"] < young["rubber"]
