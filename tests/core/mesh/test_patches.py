# SPDX-License-Identifier: GPL-3.0-or-later
"""Patches of tetrahedra with one deformation gradient."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from core.mesh.lattice import body_centred_box
from core.mesh.patches import MOST, Patches, around_edges, patchwork, without_common_members
from core.mesh.tetrahedra import TetrahedralBody, edges_of

CELLS = (4, 3, 3)


def uneven_box() -> TetrahedralBody:
    """The lattice with its inner vertices moved, so that no two edges are as long."""
    positions, tetrahedra = body_centred_box(CELLS, (4.0, 3.0, 3.0))
    inside = ((positions > 0.0) & (positions < CELLS)).all(axis=1)
    shape = (int(inside.sum()), 3)
    positions[inside] += np.random.default_rng(0).uniform(-0.12, 0.12, shape)
    return TetrahedralBody.of(positions, tetrahedra)


def fan(count: int) -> TetrahedralBody:
    """So many tetrahedra around one edge."""
    turns = 2.0 * np.pi * np.arange(count) / count
    ring = np.stack([np.cos(turns), np.sin(turns), np.zeros(count)], axis=1)
    positions = np.concatenate([[(0.0, 0.0, -1.0), (0.0, 0.0, 1.0)], ring])
    tetrahedra = [(0, 1, 2 + k, 2 + (k + 1) % count) for k in range(count)]
    return TetrahedralBody.of(positions, np.array(tetrahedra)[:, [0, 2, 3, 1]])


def naive_gradient(body: TetrahedralBody, patches: Patches, patch: int, volumes: np.ndarray,
                   moved: np.ndarray) -> tuple[np.ndarray, float]:  # fmt: skip
    """The mean of the tetrahedra's deformation gradients, by volume, and the volume."""
    total, volume = np.zeros((3, 3)), 0.0
    for member in patches.members[patches.owners == patch]:
        corners = body.tetrahedra[member]
        rest, now = ((x[corners[1:]] - x[corners[0]]).T for x in (body.positions, moved))
        total += patches.share * volumes[member] * now @ np.linalg.inv(rest)
        volume += patches.share * volumes[member]
    return total / volume, volume


@pytest.mark.parametrize("make", [around_edges, without_common_members])
def test_the_gradient_is_the_mean_of_the_tetrahedra(make) -> None:  # type: ignore[no-untyped-def]
    body, random = uneven_box(), np.random.default_rng(1)
    moved = body.positions + random.normal(scale=0.1, size=body.positions.shape)
    volumes = body.volumes * random.uniform(0.2, 1.0, len(body.volumes))
    patches = make(body)
    work = list(patchwork(body, patches, volumes))
    found = {}
    for each in work:
        F = np.einsum("pki,pkj->pij", moved[each.vertices], each.gradients)
        for row, vertices in enumerate(each.vertices):
            found[tuple(vertices)] = F[row], each.volumes[row]
    for patch in range(0, patches.owners[-1] + 1, 7):
        members = patches.members[patches.owners == patch]
        F, volume = found[tuple(np.unique(body.tetrahedra[members]))]
        expected, whole = naive_gradient(body, patches, patch, volumes, moved)
        np.testing.assert_allclose(F, expected, atol=1e-12)
        assert volume == pytest.approx(whole)
    assert sum(each.volumes.sum() for each in work) == pytest.approx(volumes.sum())
    ones = np.ones(len(volumes))
    assert sum(each.sums(ones).sum() for each in work) == pytest.approx(len(volumes))
    assert all(np.allclose(each.means(3.0 * ones), 3.0) for each in work)


def test_there_is_one_patch_an_edge() -> None:
    body = uneven_box()
    patches = around_edges(body)
    assert patches.owners[-1] + 1 == len(edges_of(body.tetrahedra))
    assert len(patches.members) == 6 * len(body.tetrahedra)


def test_patches_of_the_lattice_are_octahedra() -> None:
    body = TetrahedralBody.of(*body_centred_box(CELLS, (4.0, 3.0, 3.0)))
    patches = without_common_members(body)
    assert sorted(patches.members) == list(range(len(body.tetrahedra)))
    sizes = np.bincount(patches.owners)
    # Faces between two cubes, and those at the boundary or, of the other sublattice, inner edges.
    assert set(sizes) <= {1, 2, 4}
    assert (sizes == 4).sum() > 0.7 * len(sizes) * 0.7


@pytest.mark.parametrize("count", range(3, 25))
def test_many_around_an_edge_are_parted(count: int) -> None:
    body = fan(count)
    patches = around_edges(body)
    around = [
        m for _, m in itertools.groupby(range(len(patches.owners)), patches.owners.__getitem__)
    ]
    axis = [patches.members[list(m)] for m in around if len(list(m)) != 2]
    assert all(len(np.unique(body.tetrahedra[members])) <= MOST for members in axis)
    for each in patchwork(body, patches, body.volumes):
        assert each.size <= MOST
