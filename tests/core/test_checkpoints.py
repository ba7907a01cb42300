# SPDX-License-Identifier: GPL-3.0-or-later
"""A simulation that goes on from a checkpoint is to the byte the one that was never stopped."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from resumed_scenes import FRAMES, SCENES, Scene

import core

pytestmark = pytest.mark.long

STOPS = 3, 9
"""Frames after which it is stopped: before and after what touches has come together."""

each_scene = pytest.mark.parametrize("name", SCENES)


def told(simulation: core.Simulation) -> list[Any]:
    """All that a frame is known by, as bytes."""
    arrays = simulation.positions, simulation.velocities, simulation.state.accelerations
    bodies = simulation.model.bodies
    return [
        *(array.tobytes() for array in arrays),
        simulation.report(),
        *(simulation.squeezed(body).tobytes() for body in bodies),
        *(simulation.overstretch(body) for body in bodies),
        simulation.islands_of(*bodies),
    ]


def resumed(scene: Scene, checkpoint: Any, frame: int) -> core.Simulation:
    simulation = scene.simulation(frame)
    simulation.restore(checkpoint)
    return simulation


@each_scene
def test_going_on_from_a_checkpoint_changes_no_byte(name: str) -> None:
    scene = SCENES[name]
    steady, frames, checkpoints = scene.simulation(), [], {}
    for frame in range(1, FRAMES + 1):
        scene.advance(steady, frame)
        frames.append(told(steady))
        if frame in STOPS:
            checkpoints[frame] = steady.checkpoint()
    for stop, checkpoint in checkpoints.items():
        simulation = resumed(scene, checkpoint, stop)
        assert simulation.positions.tobytes() == frames[stop - 1][0]
        for frame in range(stop + 1, FRAMES + 1):
            scene.advance(simulation, frame)
            assert told(simulation) == frames[frame - 1], f"frame {frame}, stopped after {stop}"


# --- nothing is forgotten -------------------------------------------------------------------------

FOUND_ANEW = {
    "where rest states lie in kernels' parameters": r"rest_places\[",
    "rest states that were laid out near pins, and are renewed there": (
        r"near_parts\.layout\.groups\[\d+\]\.rest$"
    ),
    "outside, which is told for each step": r"outside\.",
    "contact surfaces, which have as much memory as they need": (
        r"contact\.surface\.((arrays|shape|_sides)\.|(listed|capacity|threads|sharing)$)"
    ),
    "stitches, as the groups have them": r"apart\.stitches\.(holding|pulls)$",
    "strands that resist twisting, whose frames are the state's": (
        r"twisted\.(factored|frames|given|kept|points)$"
    ),
    "what colliders push of skins": r"contact\.pressed\.",
    "contact": (
        r"(contacts\.(candidates|pairs|workers|recovery|incoming|inside|opposite|engaged)"
        r"|surface\.of_particles\[0\])$"
    ),
    "where islands may get": r"(reach\.(low|high)|\.reached)$",
    "the state in a step": (
        r"state\.(arrays\.)?(previous|rows|kept|gained|free_ways|starts|targets|accelerated)(\[\d\])?$"
    ),
    "how a step is made": r"prepared\.(rule|counts|needed|threads|recalled)",
    "what is told of a step": r"prepared\.(overstretch|bend_errors)",
    "what sweeps work with": r"(multipliers|outputs|scratch|sums\.(rows|gradients|ways))$",
    "rods for a length of substeps": (
        r"rods\.(carried|factored|forces|inverse_pivots|lower|lowest|scratch)$"
    ),
    "cycles, and their matrices": r"(grids\.|_multigrid\.|rest\.(found|values)$)",
    "iterations of Jacobi": r"prepared\.memory\[",
    "settings of colliders, which the whole and its islands share": r"colliders\._settings",
    "the constants of PBD": r"(parameters|prepared\.time_step)$",
    "descents": r"prepared\.(work|right|systems|system)",
    "linear systems of constraints": r"prepared\.memory\.",
}
"""What each step writes before it reads it."""


def all_in(root: Any, path: str = "", seen: set[int] | None = None) -> Iterator[tuple[str, Any]]:
    """Every array and number that can be reached from something, and the way to it."""
    seen = set() if seen is None else seen
    if isinstance(root, np.ndarray | bool | int | float | str | np.generic) or root is None:
        yield path, root
        return
    if id(root) in seen or callable(root):
        return
    seen.add(id(root))
    if isinstance(root, dict):
        parts = {f"[{key}]": value for key, value in root.items()}
    elif hasattr(root, "_fields"):
        parts = {f".{name}": getattr(root, name) for name in root._fields}
    elif isinstance(root, list | tuple):
        parts = {f"[{number}]": value for number, value in enumerate(root)}
    else:
        parts = {f".{name}": value for name, value in getattr(root, "__dict__", {}).items()}
    for name, value in parts.items():
        yield from all_in(value, path + name, seen)


def same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return one.shape == other.shape and one.tobytes() == other.tobytes()
    return type(one) is type(other) and (one == other or one != one)


@each_scene
def test_all_that_differs_is_found_anew(name: str) -> None:
    """Of what has changed since the start all is in a checkpoint, but what each step finds anew."""
    scene = SCENES[name]
    steady = scene.simulation()
    for frame in range(1, STOPS[1] + 1):
        scene.advance(steady, frame)
    other = resumed(scene, steady.checkpoint(), STOPS[1])
    kept, restored = (dict(all_in(each, "simulation")) for each in (steady, other))
    known = re.compile("|".join(FOUND_ANEW.values()))
    differing = {
        path
        for path in kept.keys() | restored.keys()
        if path not in kept or path not in restored or not same(kept[path], restored[path])
    }
    assert [path for path in sorted(differing) if not known.search(path)] == []
