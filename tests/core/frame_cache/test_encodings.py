# SPDX-License-Identifier: GPL-3.0-or-later
"""Positions on a lattice: half the bytes, as near as is promised, and still where they rest."""

from __future__ import annotations

import numpy as np
import pytest

from core.frame_cache.encodings import Full, Lattice

ALLOWED = 1e-5  # of the longest side
HEAD = 16  # bytes


def there_and_back(positions: np.ndarray) -> np.ndarray:
    lattice = Lattice(len(positions))
    content = lattice.encode(positions)
    assert len(content) == lattice.frame_bytes == HEAD + 6 * len(positions)
    found = lattice.decode(content)
    assert found.shape == positions.shape
    assert found.dtype == np.float32
    assert found.flags.c_contiguous
    return found


def scattered(
    sides: tuple[float, ...], middle: tuple[float, ...] = (0, 0, 0), points: int = 1000
) -> np.ndarray:
    """Points in a box, its corners among them."""
    inside = np.random.default_rng(0).random((points, 3))
    inside[:2] = [[0, 0, 0], [1, 1, 1]]
    return ((inside - 0.5) * sides + middle).astype(np.float32)


def longest_side(positions: np.ndarray) -> float:
    exact = positions.astype(np.float64)
    return float((exact.max(axis=0) - exact.min(axis=0)).max())


def largest_error(positions: np.ndarray) -> float:
    return float(np.abs(there_and_back(positions).astype(np.float64) - positions).max())


@pytest.mark.parametrize("shape", [(1, 1, 1), (1, 0.5, 0), (0, 1, 1e-3), (0, 0, 1)])
@pytest.mark.parametrize("size", [1e-30, 1e-6, 0.37, 1.0, 1.1249, 1.1251, 1.9999, 700.0, 1e30])
def test_the_error_is_below_a_hundred_thousandth_of_the_size(
    shape: tuple[float, ...], size: float
) -> None:
    positions = scattered(tuple(size * each for each in shape))
    assert largest_error(positions) < ALLOWED * longest_side(positions)


def test_the_error_is_below_it_whatever_the_size_within_an_octave() -> None:
    for size in np.geomspace(1.0, 2.0, 100):
        positions = scattered((size, size, size), points=300)
        assert largest_error(positions) < ALLOWED * longest_side(positions)


@pytest.mark.parametrize("away", [3.0, 47.0, 1e3, 3e4, -5e4, 1e6, 1e12])
@pytest.mark.parametrize("axes", [(1, 0, 0), (1, -1, 0.3)])
def test_far_from_the_origin_single_precision_adds_its_own(
    away: float, axes: tuple[float, ...]
) -> None:
    positions = scattered((1.0, 2.0, 0.5), tuple(away * each for each in axes))
    own = np.spacing(np.abs(positions).max()) / 2.0
    assert largest_error(positions) < ALLOWED * longest_side(positions) + own


def test_where_single_precision_is_coarser_nothing_is_lost() -> None:
    positions = scattered((1.0, 2.0, 0.5), (1e4, 2e4, -1e4))
    np.testing.assert_array_equal(there_and_back(positions), positions)


@pytest.mark.parametrize("points", [0, 1, 3, 255, 256, 257, 1024])
@pytest.mark.parametrize("value", [0.0, 1.0, -0.3, 1e-30, 1234.567, -1e30])
def test_points_in_one_place_stay_exactly_there(points: int, value: float) -> None:
    positions = np.full((points, 3), value, np.float32)
    positions.setflags(write=False)
    np.testing.assert_array_equal(there_and_back(positions), positions)


def test_a_single_point_has_the_error_of_its_farthest_coordinate() -> None:
    positions = np.array([[1000.0, 0.123, -7e-5]], np.float32)
    found = there_and_back(positions)
    assert found[0, 0] == 1000.0
    assert np.abs(found - positions).max() < np.spacing(np.float32(1000.0)) / 2.0


@pytest.mark.parametrize("away", [0.0, 20.0, 300.0, -4000.0])
def test_what_rests_is_found_at_one_place_while_the_rest_moves(away: float) -> None:
    """Wherever its numbers begin: only another step moves it, and that comes seldom."""
    resting, others = scattered((0.5, 0.5, 0.5), (away, away, 0.0)), scattered((1.0, 1.0, 0.2))
    seen: dict[bytes, np.ndarray] = {}
    bases = set()
    frames = 400
    for frame in range(frames):
        moved = others + np.array([away - frame / frames, away, 0.013 * frame / frames])
        positions = np.concatenate([resting, moved.astype(np.float32)])
        lattice = Lattice(len(positions))
        content = lattice.encode(positions)
        found = lattice.decode(content)[: len(resting)]
        np.testing.assert_array_equal(found, seen.setdefault(content[12:HEAD], found))
        bases.add(content[:12])
    assert len(bases) > frames / 10
    assert len(seen) < 10


def test_a_step_has_few_digits() -> None:
    """So that products with it are exact."""
    for size in np.geomspace(1e-3, 1e3, 200):
        content = Lattice(2).encode(np.array([[0, 0, 0], [size, 0, 0]], np.float32))
        fraction, _exponent = np.frexp(np.frombuffer(content, "<f4", 4)[3])
        assert (16 * fraction).is_integer()


def test_what_is_no_number_is_refused() -> None:
    positions = scattered((1, 1, 1))
    positions[7, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        Lattice(len(positions)).encode(positions)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("far", [8e37, 9e37, 3.4e38])
def test_what_flies_off_goes_no_farther_than_single_precision_can_follow(far: float) -> None:
    positions = np.array([[-far, 1.0, far], [far, -far, 0.0]], np.float32)
    given = positions.copy()
    there = np.clip(positions, -(2.0**126), 2.0**126)
    np.testing.assert_allclose(there_and_back(positions), there, atol=1e-5 * longest_side(there))
    np.testing.assert_array_equal(positions, given)


def test_any_bytes_are_some_positions() -> None:
    """What a file says of the lattice may be anything."""
    generator = np.random.default_rng(1)
    for _ in range(200):
        lattice = Lattice(5)
        with np.errstate(all="ignore"):
            found = lattice.decode(generator.bytes(lattice.frame_bytes))
        assert found.shape == (5, 3)


@pytest.mark.parametrize("encoding", [Full((4, 3)), Lattice(4)])
def test_what_is_decoded_is_not_to_be_written_to(encoding: Full | Lattice) -> None:
    found = encoding.decode(encoding.encode(scattered((1, 1, 1), points=4)))
    with pytest.raises(ValueError, match="read-only"):
        found[0] = 1.0


def test_full_is_float32_as_it_is() -> None:
    positions = scattered((1, 2, 3), (0.1, 5, 1e3), points=7)
    full = Full((7, 3))
    assert full.encode(positions) == positions.tobytes()
    assert full.frame_bytes == positions.nbytes
    np.testing.assert_array_equal(full.decode(positions.tobytes()), positions)
