# SPDX-License-Identifier: GPL-3.0-or-later
"""Boxes in the body-centred cubic lattice."""

from __future__ import annotations

import numpy as np
import pytest

from core import ModelError
from core.mesh.lattice import body_centred_box
from core.mesh.tetrahedra import signed_volumes, surface_triangles

CELLS, SIZE = (4, 3, 2), (0.4, 0.3, 0.2)

pytestmark = pytest.mark.jit_off


def test_all_tetrahedra_are_a_twelfth_of_a_cube() -> None:
    positions, tetrahedra = body_centred_box(CELLS, SIZE)
    assert len(tetrahedra) == 12 * 24
    np.testing.assert_allclose(signed_volumes(positions, tetrahedra), 0.1**3 / 12.0, rtol=1e-12)
    assert len(positions) == 5 * 4 * 3 + 24


def test_its_surface_is_that_of_the_box() -> None:
    positions, tetrahedra = body_centred_box(CELLS, SIZE)
    corners = positions[surface_triangles(tetrahedra)]
    assert len(corners) == 2 * 2 * (12 + 8 + 6)
    volume = np.linalg.det(corners).sum() / 6.0
    assert volume == pytest.approx(0.4 * 0.3 * 0.2)


def test_a_box_without_cells_is_refused() -> None:
    with pytest.raises(ModelError, match="needs cells and a size"):
        body_centred_box((0, 1, 1), SIZE)
