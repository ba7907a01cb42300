# SPDX-License-Identifier: GPL-3.0-or-later
"""What the report on sameness measures with: strain of yarns, folds, and its pictures."""

from __future__ import annotations

import numpy as np
import pytest

from validation.sameness_folds import folds_of
from validation.sameness_picture import VIEW, axes_of, shaded, window_of
from validation.sameness_sheet import FAR, PATCH, SIZE, Mesh, Pinning, Sheet, hang, spread

MESHES: tuple[Mesh, ...] = ("quads", "triangles", "irregular")


@pytest.mark.parametrize(("pinning", "count"), [("patches", 18), ("edge", 32), ("points", 2)])
def test_a_sheet_is_pinned_at_its_upper_edge(pinning: Pinning, count: int) -> None:
    sheet = Sheet.of(32, pinning)
    assert len(sheet.pins) == count
    assert sheet.positions[sheet.pins, 1].max() <= PATCH
    far = sheet.positions[sheet.is_far()]
    gaps = np.linalg.norm(far[:, None] - sheet.positions[sheet.pins], axis=2)
    assert gaps.min() > FAR
    assert 0.8 * 32**2 < len(far) < 32**2


@pytest.mark.parametrize("mesh", MESHES)
def test_the_strain_of_yarns_is_the_same_on_any_mesh(mesh: Mesh) -> None:
    """2% along the warp; shear lengthens the weft a little, and diagonals a lot."""
    sheet = Sheet.of(8, mesh=mesh)
    x, y, _ = sheet.positions.T
    points = np.stack([1.02 * x + 0.3 * y, y, 0.1 * y], axis=1)
    warp, weft = sheet.yarn_strain(points).T
    np.testing.assert_allclose(warp, 0.02, atol=1e-12)
    np.testing.assert_allclose(weft, np.sqrt(1.0 + 0.3**2 + 0.1**2) - 1.0, atol=1e-12)


def test_a_sheet_that_hangs_is_measured() -> None:
    from core import XPBD

    hung = hang(Sheet.of(8, "edge"), XPBD(substeps=8), rate=12)
    assert len(hung.lows) == len(hung.peaks) == len(hung.seconds) == 24
    assert hung.effort == "8"
    assert -1.2 * SIZE < hung.low < -0.8 * SIZE
    assert hung.low == np.mean(hung.lows[-3:])
    assert hung.far_strain == max(hung.peaks[-3:])
    assert 0.0 < hung.far_yarn_strain(50.0) < hung.far_yarn_strain() <= 1.001 * hung.peaks[-1]
    assert spread([-2.0, -2.01, -1.99]) == pytest.approx(1.0)


def wavy(height: float, length: float, rows: int = 40, columns: int = 200) -> np.ndarray:
    """A level sheet whose yarns are cosines."""
    y, x = np.meshgrid(np.linspace(0, 2, rows), np.linspace(0, 2, columns), indexing="ij")
    return np.stack([x, height * np.cos(2 * np.pi * x / length), -y], axis=2)


@pytest.mark.parametrize("length", [2.0, 1.0, 0.4])
def test_folds_have_the_height_and_slope_of_a_wave(length: float) -> None:
    folds = folds_of(wavy(0.03, length), 2.0, 0.3)
    assert folds.height == pytest.approx(0.03 / np.sqrt(2), rel=0.01)
    assert folds.steepness == pytest.approx(2 * np.pi * folds.height / length, rel=0.01)
    assert folds.lengths[folds.heights.argmax()] == pytest.approx(length)


def test_folds_too_short_and_slants_are_left_out() -> None:
    assert folds_of(wavy(0.03, 0.2), 2.0, 0.3).height < 1e-4
    level = wavy(0.0, 1.0)
    level[..., 1] = 0.5
    assert folds_of(level, 2.0, 0.3).height < 1e-12


def test_a_picture_shows_the_nearer_side_of_a_folded_sheet() -> None:
    """Folded to the front one sees its other side, in the other colour."""
    axes = np.stack(axes_of(VIEW))
    np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-12)
    assert axes[1, 2] > 0.0
    x, along = np.meshgrid(np.linspace(0, 1, 20), np.linspace(-1, 1, 40))
    blue = []
    for depth in (-0.1, 0.1):  # nearer, farther
        points = np.stack([x, np.where(along > 0.0, depth, 0.0), np.abs(along)], axis=2)
        window = window_of([points])
        picture = shaded(points, 60.0, window)
        covered = picture[..., 3] > 0.5
        assert 0.5 < covered.mean() < 1.0
        assert not covered[0].any()  # the margin
        red, _, strength, opacity = picture[picture.shape[0] // 2, picture.shape[1] // 2]
        assert opacity == 1.0
        blue.append(strength > red)
    assert blue[0] != blue[1]
