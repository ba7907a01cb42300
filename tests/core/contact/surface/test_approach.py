# SPDX-License-Identifier: GPL-3.0-or-later
"""What is known of how far apart candidates are, against where they are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import naive
import numpy as np
from naive.near import edges_to_edges, vertices_to_faces
from numpy.typing import NDArray

import core
from bench import contact_run, contact_scenes
from core.contact.surface.candidates import LISTED, NEVER, RANGES, SPARE
from core.contact.surface.data import EDGE_EDGE, LANES, ROW_SHIFT, STREAMS
from core.contact.surface.measuring import WARY

EXACT = 5e-5  # m
"""Kernels take edges that are nearly parallel for parallel."""


def listed(simulation: core.Simulation) -> Iterator[tuple[int, NDArray[Any], NDArray[Any]]]:
    """Of each stream the vertices of candidates that count, shape (k, 4), and how far apart they
    are known to be at least [m], shape (k,).
    """
    arrays = simulation.state.contact.surface.arrays
    shape, candidates = arrays.shape, arrays.candidates
    lanes, shift = (int(shape.numbers[k]) for k in (LANES, ROW_SHIFT))
    for stream in range(STREAMS):
        count, ranges = (int(candidates.listed[0, stream, k]) for k in (LISTED, RANGES))
        blocks = candidates.offsets[0, stream, : 4 * lanes * -(-count // lanes)]
        fours = (blocks.reshape(-1, 4, lanes).transpose(0, 2, 1).reshape(-1, 4) >> shift)[:count]
        starts = np.append(candidates.ranges[0, stream, :ranges, 2], count)
        number = np.repeat(np.arange(ranges), np.diff(starts))
        least = candidates.until[0, stream, :count] - candidates.approached[0, stream, number]
        least += WARY * SPARE * candidates.wanted[0, stream, :count]
        counts = candidates.soonest[0, stream, number] != NEVER
        yield stream, fours[counts], least[counts]


def test_candidates_are_never_nearer_than_is_known() -> None:
    scene = contact_scenes.make("fold_on_floor", n=20, frames=24)
    simulation = contact_run.build(scene, core.XPBD(substeps=20))
    some = 0
    for frame, _ in enumerate(contact_run.steps(scene, simulation)):
        if frame % 4 != 3:
            continue
        points = simulation.state.rows[:, :3].astype(float)
        for stream, fours, least in listed(simulation):
            a, b, c, d = points[fours].transpose(1, 0, 2)
            if stream & EDGE_EDGE:
                apart = edges_to_edges(a, b, c, d)
            else:
                apart = vertices_to_faces(a, np.stack([b, c, d], axis=1))
            assert (apart > least - EXACT).all()
            some += int((least > 0.0).sum())
    assert some > 1000


def test_what_is_done_together_brings_nothing_nearer() -> None:
    """A roll of cloth that falls freely is measured once."""
    model = core.Model()
    points, faces = naive.quad_grid(41, 9, 1.0, 0.2)
    angle = 12.0 * points[:, 0]
    radius = 0.02 + 0.001 * angle
    rolled = np.stack([radius * np.cos(angle), points[:, 1], radius * np.sin(angle)], axis=1)
    model.add_cloth(rolled, faces, thickness=0.002)
    simulation = core.Simulation(model, core.XPBD(substeps=20))
    for _ in range(12):
        simulation.advance(1 / 24)
    candidates = simulation.state.contact.surface.arrays.candidates
    assert simulation.velocities[:, 2].max() < -4.5  # 1 cm and more in each substep
    ranges = candidates.listed[0, :, RANGES]
    assert ranges.sum() > 50
    for stream in range(STREAMS):
        assert candidates.approached[0, stream, : ranges[stream]].max(initial=0.0) < 1e-4
