# SPDX-License-Identifier: GPL-3.0-or-later
"""Run by a Python with NVIDIA Warp: RESULT_FILE METHOD. The paper's cloth on the processor.

Methods: ``colours``: one launch a colour, as on a graphics card; ``serial``: one launch for all
iterations, which walks through the pairs, since a launch costs and a processor needs no colours.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import warp as wp

from .blenders import write_result
from .paper_case import COMPLIANCE, STEP, colors, springs, timed, vertices

RATE = 1.0 / STEP


@wp.func
def move(  # type: ignore[no-untyped-def]
    k: int,
    x: wp.array[wp.vec3],
    inverse_mass: wp.array[float],
    pairs: wp.array[wp.vec2i],
    rest: wp.array[float],
    multipliers: wp.array[float],
    alpha: float,
):
    """One distance constraint."""
    i = pairs[k][0]
    j = pairs[k][1]
    way = x[j] - x[i]
    length = wp.length(way)
    weight = inverse_mass[i] + inverse_mass[j] + alpha
    if length > 0.0:
        change = (rest[k] - length - alpha * multipliers[k]) / weight
        multipliers[k] = multipliers[k] + change
        push = way * (change / length)
        x[i] = x[i] - push * inverse_mass[i]
        x[j] = x[j] + push * inverse_mass[j]


@wp.kernel(enable_backward=False)
def project_color(  # type: ignore[no-untyped-def]
    x: wp.array[wp.vec3],
    inverse_mass: wp.array[float],
    pairs: wp.array[wp.vec2i],
    rest: wp.array[float],
    multipliers: wp.array[float],
    alpha: float,
):
    """The constraints of one colour."""
    move(wp.tid(), x, inverse_mass, pairs, rest, multipliers, alpha)


@wp.kernel(enable_backward=False)
def project_all(  # type: ignore[no-untyped-def]
    x: wp.array[wp.vec3],
    inverse_mass: wp.array[float],
    pairs: wp.array[wp.vec2i],
    rest: wp.array[float],
    multipliers: wp.array[float],
    alpha: float,
    count: int,
    iterations: int,
):
    """All iterations over all constraints in the order given."""
    for _iteration in range(iterations):
        for k in range(count):
            move(k, x, inverse_mass, pairs, rest, multipliers, alpha)


@wp.kernel(enable_backward=False)
def predict(  # type: ignore[no-untyped-def]
    x: wp.array[wp.vec3],
    previous: wp.array[wp.vec3],
    velocity: wp.array[wp.vec3],
    inverse_mass: wp.array[float],
    step: float,
):
    """Where vertices would go without constraints."""
    i = wp.tid()
    previous[i] = x[i]
    if inverse_mass[i] > 0.0:
        velocity[i] = velocity[i] + wp.vec3(0.0, 0.0, -9.81) * step
        x[i] = x[i] + velocity[i] * step


@wp.kernel(enable_backward=False)
def finish(  # type: ignore[no-untyped-def]
    x: wp.array[wp.vec3],
    previous: wp.array[wp.vec3],
    velocity: wp.array[wp.vec3],
    rate: float,
):
    """Velocities from positions."""
    i = wp.tid()
    velocity[i] = (x[i] - previous[i]) * rate


class Cloth:
    """The cloth in Warp's arrays, with its launches recorded, which is the cheapest way to run."""

    def __init__(self) -> None:
        positions, inverse = vertices()
        pairs, rest = springs()
        groups = colors(pairs)
        order = np.concatenate(groups)
        count, links = len(positions), len(pairs)
        self.x = wp.array(positions.astype(np.float32), dtype=wp.vec3)
        weights = wp.array(inverse.astype(np.float32), dtype=float)
        self.multipliers = wp.zeros(links, dtype=float)
        previous, velocity = wp.zeros_like(self.x), wp.zeros_like(self.x)
        colored = wp.array(pairs[order].astype(np.int32), dtype=wp.vec2i)
        colored_rest = wp.array(rest[order].astype(np.float32), dtype=float)
        given = wp.array(pairs.astype(np.int32), dtype=wp.vec2i)
        given_rest = wp.array(rest.astype(np.float32), dtype=float)
        alpha, lam = COMPLIANCE * RATE * RATE, self.multipliers
        self.begin = _record(predict, count, [self.x, previous, velocity, weights, STEP])
        self.end = _record(finish, count, [self.x, previous, velocity, RATE])
        ends = np.cumsum([len(group) for group in groups])
        self.colors = [
            _record(
                project_color,
                int(b - a),
                [self.x, weights, colored[a:b], colored_rest[a:b], lam[a:b], alpha],
            )
            for a, b in zip([0, *ends[:-1]], ends)
        ]
        self.all = _record(
            project_all, 1, [self.x, weights, given, given_rest, lam, alpha, links, 0]
        )

    def step_in_colours(self, iterations: int) -> None:
        """Advance one step."""
        self.multipliers.zero_()
        self.begin.launch()
        for _ in range(iterations):
            for color in self.colors:
                color.launch()
        self.end.launch()

    def step_serially(self, iterations: int) -> None:
        """Advance one step."""
        self.multipliers.zero_()
        self.begin.launch()
        self.all.set_param_at_index(7, iterations)
        self.all.launch()
        self.end.launch()


def _record(kernel: Any, count: int, inputs: list[Any]) -> Any:
    return wp.launch(kernel, dim=count, inputs=inputs, record_cmd=True)


def main(method: str) -> dict[str, Any]:
    """Return seconds of steps, and where the cloth hangs then."""
    wp.config.quiet = True
    wp.init()
    with wp.ScopedDevice("cpu"):
        cloth = Cloth()
        steps: dict[str, Callable[[int], None]] = {
            "colours": cloth.step_in_colours,
            "serial": cloth.step_serially,
        }
        found = timed(steps[method])
        lowest = float(cloth.x.numpy()[:, 2].min())
    return found | {"version": wp.config.version, "lowest": lowest}


if __name__ == "__main__":
    write_result(main(sys.argv[2]))
