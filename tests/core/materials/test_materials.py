# SPDX-License-Identifier: GPL-3.0-or-later
"""The material table is complete, physical and says where it comes from."""

import dataclasses
import math

import pytest

from core.materials.fabrics import MATERIALS, Material

each_material = pytest.mark.parametrize("material", MATERIALS.values(), ids=MATERIALS.keys())


def test_the_promised_materials_exist() -> None:
    assert {"silk", "cotton", "denim", "leather", "rubber"} <= set(MATERIALS)


def test_keys_are_lower_case_names() -> None:
    assert all(key == material.name.lower() for key, material in MATERIALS.items())


@each_material
def test_constants_are_those_of_a_sheet(material: Material) -> None:
    assert 0.02 < material.density < 2.0
    assert 1e1 < 1.0 / material.stretch_compliance < 1e5
    assert 1e0 < 1.0 / material.shear_compliance < 1e5
    assert 1e-6 < 1.0 / material.bend_compliance < 1e-2
    assert 0.0 <= material.poisson_ratio < 0.5
    assert 0.0 < material.friction <= 1.0
    for damping in (material.stretch_damping, material.shear_damping, material.bend_damping):
        assert 0.0 <= damping < 0.05


@each_material
def test_source_is_said(material: Material) -> None:
    assert len(material.source) > 40


def test_materials_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(MATERIALS["silk"], "density", 1.0)  # noqa: B010 (mypy knows it is frozen)


def test_stiffness_ranks_as_the_hand_feels_it() -> None:
    bending = {name: 1.0 / material.bend_compliance for name, material in MATERIALS.items()}
    assert bending["silk"] < bending["cotton"] < bending["denim"] < bending["leather"]
    assert MATERIALS["jersey"].stretch_compliance > MATERIALS["cotton"].stretch_compliance


def test_rubber_obeys_the_isotropic_relation() -> None:
    rubber = MATERIALS["rubber"]
    ratio = rubber.shear_compliance / rubber.stretch_compliance
    assert math.isclose(ratio, 2.0 * (1.0 + rubber.poisson_ratio), rel_tol=0.01)
