# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures 3b and 5 of the XPBD paper: a cantilever of triangles, and its residual error."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import naive
import numpy as np
from numpy.typing import NDArray

import core

from .. import plots
from ..beams import Beam, references_of
from ..report import Case, Check, Plot, Result, Table, at_least, at_most, number

Array = NDArray[np.float64]

BEAM = Beam()
PRINTED = replace(BEAM, shear_entry=2.0)
SHEAR = {"4μ (consistent)": BEAM, "2μ (printed)": PRINTED}
GRAVITY = (0.0, 0.0, -9.81)  # m/s²
TIME_STEP, FRAMES, ITERATIONS = 0.008, 50, 20  # s
SAMPLED_FRAME = 25
RESIDUAL_ITERATIONS = 40
METHODS: dict[str, dict[str, Any]] = {
    "Gauss–Seidel": {},
    "Jacobi": {"method": "jacobi"},
}
LINEAR = slice(RESIDUAL_ITERATIONS // 2, None)
NEAR, SLOWEST, STRAIGHT = 1.0, 0.95, 0.99  # %, –, –
SHEAR_ANGLE = 1e-5

SHOWS = (
    f"A plate of {BEAM.length:g} m × {BEAM.height:g} m, {BEAM.cells[0]} × {BEAM.cells[1]} cells of "
    f"two triangles, clamped on the left: E = {BEAM.young_modulus:g} N/m, ν = "
    f"{BEAM.poisson_ratio:g}, {BEAM.density:g} kg/m², block compliance of equations 27–28 over the "
    f"triangle's area, {FRAMES} frames of Δt = {TIME_STEP:g} s (section 6.3, figures 3b and 5; the "
    "paper gives no size, mesh or mass). Reference: implicit Euler by Newton's method. As ε_xy is "
    "the tensor shear strain, St Venant–Kirchhoff energy has 4μ as the third diagonal entry of "
    "equation 28; the paper prints 2μ. Both are shown."
)


@dataclass(frozen=True)
class Motion:
    """All positions [m], shape (frames, n, 3), and velocities [m/s] of a beam."""

    positions: Array
    velocities: Array


def run() -> Result:
    """Compare tips with Newton's, and measure how the residual falls."""
    references = {name: _newton(beam) for name, beam in SHEAR.items()}
    motions = {name: _xpbd(beam) for name, beam in SHEAR.items()}
    result = Result()
    _tips(result, references, motions)
    _residuals(result, references)
    result.plots.insert(0, _shape_plot(references, motions))
    return result


def _newton(beam: Beam) -> Motion:
    model = beam.model()
    references, w = references_of(model), 1.0 / model.masses
    x, v = beam.positions, np.zeros_like(beam.positions)
    path = [(x, v)]
    for _ in range(FRAMES):
        x, v, _ = naive.implicit_euler_step(
            x, v, w, references, TIME_STEP, gravity=GRAVITY, tolerance=1e-9
        )
        path.append((x, v))
    return Motion(np.array([x for x, _ in path]), np.array([v for _, v in path]))


def _xpbd(beam: Beam) -> Motion:
    solver = core.XPBD(substeps=1, iterations=ITERATIONS)
    simulation = core.Simulation(beam.model(), solver, gravity=GRAVITY)
    path = [(beam.positions, np.zeros_like(beam.positions))]
    for _ in range(FRAMES):
        simulation.advance(TIME_STEP)
        path.append((simulation.positions.copy(), simulation.velocities.copy()))
    return Motion(np.array([x for x, _ in path]), np.array([v for _, v in path]))


def _tips(result: Result, references: dict[str, Motion], motions: dict[str, Motion]) -> None:
    table = Table(
        f"Tip after {FRAMES} frames, XPBD with {ITERATIONS} iterations",
        (
            "shear entry",
            "energy of a small shear over the continuum's",
            "sag, Newton (m)",
            "sag, XPBD (m)",
            "largest distance in all frames (% of the sag)",
        ),
    )
    for name, beam in SHEAR.items():
        reference, motion = references[name].positions, motions[name].positions
        sags = [beam.positions[beam.tip, 2] - path[-1, beam.tip, 2] for path in (reference, motion)]
        distances = np.linalg.norm(motion[:, beam.tip] - reference[:, beam.tip], axis=1)
        percent = 100.0 * distances.max() / sags[0]
        table.rows.append((name, _shear_energy(beam), *sags, percent))
        what = f"tip against Newton at {ITERATIONS} iterations, shear entry {name}"
        reason = (
            f"the paper, section 6.3: not to be told apart by eye; {NEAR:g}% is "
            f"{number(NEAR * sags[0])} cm of a beam of {beam.length:g} m"
        )
        result.checks.append(at_most(what, percent, NEAR, "%", reason))
    consistent, printed = table.rows
    result.checks.append(
        at_most(
            "energy of a small shear with 4μ against the continuum's ½μγ²",
            100.0 * abs(consistent[1] - 1.0),
            1e-6,
            "%",
            f"St Venant–Kirchhoff: what is left is γ² = {number(100.0 * SHEAR_ANGLE**2)}% and "
            "rounding",
        )
    )
    change = 100.0 * (printed[2] / consistent[2] - 1.0)
    speeds = [references[name].velocities[-1, beam.tip, 2] for name, beam in SHEAR.items()]
    way = "more" if change > 0.0 else "less"
    result.findings.append(
        f"With the printed entry a sheared plate keeps {number(printed[1])} of its "
        f"energy, and the tip of this beam sags by {number(abs(change))}% {way} at that "
        f"time, when its velocity along z is {' and '.join(number(speed) for speed in speeds)} m/s "
        f"({' and '.join(SHEAR)})."
    )
    result.tables.append(table)


def _shear_energy(beam: Beam, gamma: float = SHEAR_ANGLE) -> float:
    """The energy of a plate under the simple shear γ over ½ μ γ² × area."""
    sheared = beam.positions.copy()
    sheared[:, 0] += gamma * beam.positions[:, 2]
    energy = naive.elastic_energy(references_of(beam.model()), sheared)
    return energy / (0.5 * beam.lame[1] * gamma**2 * beam.length * beam.height)


# --- the residual h(x, λ) -------------------------------------------------------------------------


def _residuals(result: Result, references: dict[str, Motion]) -> None:
    figure, (row,) = plots.canvas(1, 2, height=3.8, sharey=True)
    table = Table(
        f"How |h| falls in frame {SAMPLED_FRAME}, from iteration {LINEAR.start} on",
        (
            "shear entry",
            "method",
            "|h| at the start",
            f"|h| after {RESIDUAL_ITERATIONS}",
            "factor an iteration",
            "straightness R²",
        ),
    )
    for axes, (name, beam) in zip(row, SHEAR.items()):
        for index, (method, options) in enumerate(METHODS.items()):
            sizes = _residual_sizes(beam, references[name], options)
            axes.semilogy(sizes, **plots.marked(index) | {"markersize": 3}, label=method)
            factor, straightness = _fit(sizes[LINEAR])
            table.rows.append((name, method, sizes[0], sizes[-1], factor, straightness))
            if beam is BEAM:
                result.checks += _linear(method, factor, straightness)
        plots.label(axes, f"Shear entry {name}", "iterations", "|h| (strain)")
        axes.legend()
    row[1].set_ylabel("")
    result.tables.append(table)
    caption = (
        f"Residual |h| of equation 24 in frame {SAMPLED_FRAME} after each iteration, from the "
        "reference's state before. A straight line on this scale is linear convergence."
    )
    result.plots.append(Plot("residuals", caption, figure))


def _residual_sizes(beam: Beam, reference: Motion, options: dict[str, Any]) -> Array:
    """|C + α̃ λ| (root of the sum of squares) after 0, 1, 2, … iterations of the same step."""
    model = beam.model()
    (group,) = model.groups
    alpha = [naive.block_of(block) / TIME_STEP**2 for block in group.compliance]
    references = references_of(model)
    sizes: list[float] = []
    for iterations in range(1, RESIDUAL_ITERATIONS + 1):
        solver = core.XPBD(substeps=1, iterations=iterations, **options)
        prepared, state = solver.prepare(model), model.state()
        state.positions[:] = reference.positions[SAMPLED_FRAME]
        state.velocities[:] = reference.velocities[SAMPLED_FRAME]
        if not sizes:
            inertial = state.positions + TIME_STEP * state.velocities
            inertial[np.isfinite(model.masses)] += TIME_STEP**2 * np.array(GRAVITY)
            sizes.append(_size(references, inertial, alpha, np.zeros((len(alpha), 3))))
        solver.step(model, state, TIME_STEP, prepared=prepared, gravity=GRAVITY)
        (slots,) = prepared.slots
        multipliers = prepared.program.multipliers[slots]
        sizes.append(_size(references, state.positions, alpha, multipliers))
    return np.array(sizes)


def _size(references: list[Any], x: Array, alpha: list[Array], multipliers: Array) -> float:
    h = [
        constraint.evaluate(x[constraint.indices])[0] + block @ force
        for constraint, block, force in zip(references, alpha, multipliers)
    ]
    return float(np.linalg.norm(h))


def _fit(sizes: Array) -> tuple[float, float]:
    """The factor by which sizes fall, and how straight their logarithms are (R²)."""
    iterations, logs = np.arange(len(sizes)), np.log(sizes)
    slope, start = np.polyfit(iterations, logs, 1)
    left = logs - (start + slope * iterations)
    return float(np.exp(slope)), float(1.0 - left.var() / logs.var())


def _linear(method: str, factor: float, straightness: float) -> list[Check]:
    tenfold = np.log(0.1) / np.log(SLOWEST)
    return [
        at_most(
            f"{method}: factor by which |h| falls an iteration",
            factor,
            SLOWEST,
            "",
            f"it falls for good: tenfold in {number(tenfold, 2)} iterations or fewer",
        ),
        at_least(
            f"{method}: straightness of log |h|, R²",
            straightness,
            STRAIGHT,
            "",
            "the paper, figure 3b: linear convergence, which is a straight line; "
            f"{100.0 * (1.0 - STRAIGHT):.2g}% of its variance is left for wiggles",
        ),
    ]


# --- shapes ---------------------------------------------------------------------------------------


def _shape_plot(references: dict[str, Motion], motions: dict[str, Motion]) -> Plot:
    """Like figure 5, both shear entries."""
    figure, (row,) = plots.canvas(1, 2, height=3.0, sharey=True)
    for axes, (name, beam) in zip(row, SHEAR.items()):
        drawn = (
            (references[name], "Newton", {"color": "0.6", "linewidth": 2.5}),
            (motions[name], f"XPBD, {ITERATIONS} iterations", {**plots.style(1), "linewidth": 0.9}),
        )
        for motion, label, look in drawn:
            x, _, z = motion.positions[-1].T
            lines = axes.triplot(x, z, beam.triangles, **look)
            lines[0].set_label(label)
        plots.shape(axes, f"Shear entry {name}")
    row[1].set_ylabel("")
    plots.legend_below(figure, row[0])
    return Plot("shapes", f"The beam after {FRAMES} frames.", figure)


CASE = Case("beam", "Beam", SHOWS, run, order=40)
