# SPDX-License-Identifier: GPL-3.0-or-later
"""Strain limiting, GAMES103 lecture 6: springs and triangles that only stretch so far."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import core
from core.constraints import REGISTRY

from .. import plots
from ..report import Case, Check, Plot, Result, Table, at_least, at_most, number

Array = NDArray[np.float64]

SIDE, SIZE = 12, 1.0  # cells, m
LIMITS = (0.0, 1.1)
MATERIAL: dict[str, Any] = {
    "density": 1.0,  # kg/m²
    "stretch_compliance": 0.02,  # m/N
    "shear_compliance": 0.08,  # m/N
    "bend_compliance": 1e3,  # 1/(N·m)
    "drag": 2.0,  # 1/s
}
TIME_STEP, FRAMES = 1 / 24, 48  # s
MEMBRANES = {"springs": "springs", "triangles": "continuum"}
SOLVERS: dict[str, Callable[[], Any]] = {
    "XPBD, Gauss–Seidel": lambda: core.XPBD(substeps=30, iterations=8),
    "XPBD, Jacobi": lambda: core.XPBD(substeps=30, iterations=30, method="jacobi"),
    "PBD": lambda: core.PBD(substeps=30, iterations=8),
    "projective dynamics": lambda: core.ProjectiveDynamics(substeps=30, iterations=8),
    "constrained dynamics": lambda: core.ConstrainedDynamics(substeps=30, iterations=4),
}
ITERATIONS = (1, 4, 16, 64)
SAMPLES = 200
TRIANGLE = np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.5, 0.8, 0.0)])  # m
MASSES = (0.5, 1.0, 2.0)  # kg
SLACK, LAST = 0.02, 0.005  # what few and many iterations may leave above the limit
ROUNDING = 1e-12  # kg·m, kg·m²
ROUNDED = "rounding: some hundred operations on numbers of about 1, in double precision"

SHOWS = (
    f"A sheet of {SIDE} × {SIDE} cells, {SIZE:g} m wide, hangs by two corners. Its stretch "
    f"compliance of {MATERIAL['stretch_compliance']:g} m/N is far too soft for its weight of "
    f"{MATERIAL['density'] * SIZE**2:g} kg. Limits let springs, or the singular values of "
    f"triangles, come to σmax = {LIMITS[1]:g} at most (GAMES103, lecture 6). Every solver has "
    f"them; the sheet after {FRAMES} frames of {number(TIME_STEP)} s. What a limit does to "
    f"momentum is measured on {SAMPLES} deformed triangles with corners of "
    f"{', '.join(f'{m:g}' for m in MASSES)} kg."
)


def run() -> Result:
    """Compare stretches with and without limits, and the momentum of single triangles."""
    free = {name: _hang(core.XPBD(substeps=30, iterations=8), name, None) for name in MEMBRANES}
    held = {
        (solver, name): _hang(make(), name, LIMITS)
        for solver, make in SOLVERS.items()
        for name in MEMBRANES
    }
    table = Table(
        f"Stretch after {FRAMES} frames, 1 being the shape at rest: springs along edges, singular "
        "values of triangles",
        ("solver", "limited", "largest", "99th percentile", "mean"),
        [
            *((f"{name}, no limits", name, *_figures(values)) for name, values in free.items()),
            *((solver, name, *_figures(values)) for (solver, name), values in held.items()),
        ],
    )
    swept = Table(
        "Largest stretch over the iterations of XPBD in each substep: a limit is met in the end",
        ("iterations", *MEMBRANES),
        [
            (n, *(float(_hang(_gauss_seidel(n), name, LIMITS).max()) for name in MEMBRANES))
            for n in ITERATIONS
        ],
    )
    momentum = _momentum()
    finding = (
        "Corners that are put where U Σ' Vᵀ has them, about the mass centre, keep linear momentum "
        f"only: angular momentum changes by up to {number(momentum.rows[1][2])} kg·m². Turned to "
        "the rotation that fits best they keep both, and so does a constraint on σ₁ and σ₂."
    )
    return Result(
        findings=[finding],
        tables=[table, swept, momentum],
        checks=_checks(free, held, swept, momentum),
        plots=[_plot(free, held)],
    )


def _checks(
    free: dict[str, Array], held: dict[tuple[str, str], Array], swept: Table, momentum: Table
) -> list[Check]:
    worst = max(values.max() for values in held.values())
    return [
        at_least(
            "largest stretch without limits, springs and triangles",
            min(values.max() for values in free.values()),
            1.0 + 3.0 * (LIMITS[1] - 1.0),
            "",
            f"three times the {100.0 * (LIMITS[1] - 1.0):.3g}% of the limit: it has work to do",
        ),
        at_most(
            "largest stretch with limits, all solvers",
            worst,
            LIMITS[1] + SLACK,
            "",
            f"the limit, and {100.0 * SLACK:g}%, which is not seen, of the one spring or triangle "
            "from which half of the sheet hangs",
        ),
        at_most(
            f"the same at {ITERATIONS[-1]} iterations, XPBD",
            max(swept.rows[-1][1:]),
            LIMITS[1] + LAST,
            "",
            f"the limit: it is met in the end, to {100.0 * LAST / (LIMITS[1] - 1.0):.2g}% of "
            f"the {100.0 * (LIMITS[1] - 1.0):.3g}% that it allows",
        ),
        at_most(
            "change of linear momentum by a limit",
            momentum.rows[0][1],
            ROUNDING,
            "kg·m",
            ROUNDED,
        ),
        at_most(
            "change of angular momentum by a limit",
            momentum.rows[0][2],
            ROUNDING,
            "kg·m²",
            ROUNDED,
        ),
    ]


def _gauss_seidel(iterations: int) -> core.XPBD:
    return core.XPBD(substeps=30, iterations=iterations)


def _hang(solver: Any, name: str, limits: tuple[float, float] | None) -> Array:
    """Stretches of the sheet in the end, sorted."""
    along = np.linspace(0.0, SIZE, SIDE + 1)
    positions = np.array([(x, 0.0, z) for z in along for x in along])
    first = (np.arange(SIDE)[:, None] * (SIDE + 1) + np.arange(SIDE)).ravel()
    quads = np.stack([first, first + 1, first + SIDE + 2, first + SIDE + 1], axis=1)
    model = core.Model()
    sheet = model.add_cloth(
        positions,
        quads,
        pins=[len(positions) - SIDE - 1, len(positions) - 1],
        membrane=MEMBRANES[name],
        strain_limits=limits,
        **MATERIAL,
    )
    simulation = core.Simulation(model, solver)
    for _ in range(FRAMES):
        simulation.advance(TIME_STEP)
    points = np.asarray(simulation.positions, np.float64)
    if name == "springs":
        ends = points[sheet.edges]
        return np.sort(np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1) / sheet.rest_lengths)
    (group,) = (group for group in model.groups if group.constraint.kind == "strain")
    return np.sort(np.linalg.svd(_gradients(points[group.indices], group.rest), compute_uv=False)
                   .ravel())  # fmt: skip


def _gradients(corners: Array, rest: Array) -> Array:
    """F of triangles, shape (count, 3, 2), from inverse material edges."""
    edges = np.stack([corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]], axis=2)
    return edges @ rest[:, :4].reshape(-1, 2, 2)


def _figures(values: Array) -> tuple[float, float, float]:
    return float(values.max()), float(np.quantile(values, 0.99)), float(values.mean())


def _momentum() -> Table:
    """Largest change of Σ m x and Σ m x × x' that three ways of limiting triangles make."""
    random = np.random.default_rng(0)
    masses = np.array(MASSES)
    rows: dict[str, list[Array]] = {
        "constraint on σ₁ and σ₂ (core)": [],
        "corners put to U Σ' Vᵀ": [],
        "the same, turned to the best fit": [],
    }
    for _ in range(SAMPLES):
        shape = TRIANGLE + random.uniform(-0.2, 0.2, size=(3, 3))
        points = shape + random.uniform(-0.4, 0.4, size=(3, 3))
        rest = REGISTRY["strain_limit"].measure_rest(shape[None])[0]
        rest[4:] = (0.9, 1.1)
        put = _put(points, rest, masses)
        ends = (_limited(points, rest, masses), put, _turned(put, points, masses))
        for changes, end in zip(rows.values(), ends, strict=True):
            moves = masses[:, None] * (end - points)
            spin = np.cross(points, moves).sum(axis=0)
            changes.append(np.array([np.abs(moves.sum(axis=0)).max(), np.linalg.norm(spin)]))
    return Table(
        "Largest change of momentum by one limit, times the time step",
        ("limit", "linear (kg·m)", "angular (kg·m²)"),
        [(name, *np.max(changes, axis=0).tolist()) for name, changes in rows.items()],
    )


def _limited(points: Array, rest: Array, masses: Array) -> Array:
    """One projection by the core."""
    model = core.Model(np.float64)
    model.add_particles(points, masses)
    model.add_constraints("strain_limit", [(0, 1, 2)], rest=rest[None])
    simulation = core.Simulation(
        model, core.XPBD(substeps=1, iterations=1), gravity=(0.0, 0.0, 0.0)
    )
    simulation.advance(TIME_STEP)
    return np.array(simulation.positions)


def _put(points: Array, rest: Array, masses: Array) -> Array:
    """The triangle of U Σ' Vᵀ, its mass centre where it was."""
    U, values, V = np.linalg.svd(_gradients(points[None], rest[None])[0], full_matrices=False)
    edges = (
        U @ np.diag(np.clip(values, rest[4], rest[5])) @ V @ np.linalg.inv(rest[:4].reshape(2, 2))
    )
    shape = np.stack([np.zeros(3), edges[:, 0], edges[:, 1]])
    return np.asarray(shape + (masses @ (points - shape)) / masses.sum())


def _turned(shape: Array, points: Array, masses: Array) -> Array:
    """A shape turned about its mass centre to where Σ m |R s - x|² is least."""
    centre = masses @ points / masses.sum()
    s, x = shape - centre, points - centre
    U, _, V = np.linalg.svd((masses[:, None] * x).T @ s)
    R = U @ np.diag([1.0, 1.0, np.sign(np.linalg.det(U @ V))]) @ V
    return np.asarray(s @ R.T + centre)


def _plot(free: dict[str, Array], held: dict[tuple[str, str], Array]) -> Plot:
    figure, (row,) = plots.canvas(columns=2, height=3.8, sharey=True)
    for axes, name in zip(row, MEMBRANES, strict=True):
        part = np.linspace(0.0, 100.0, len(free[name]))
        axes.plot(part, free[name], **plots.REFERENCE, label="XPBD without limits")
        for index, solver in enumerate(SOLVERS):
            axes.plot(part, held[solver, name], **plots.style(index), label=solver)
        axes.axhline(LIMITS[1], color="black", linewidth=0.8)
        plots.label(axes, name, "percentile", "stretch" if name == "springs" else "")
    plots.legend_below(figure, row[0], 3)
    return Plot(
        "distribution",
        f"Sorted stretches without and with the limit σmax = {LIMITS[1]:g} (thin black line).",
        figure,
    )


CASE = Case("strain_limiting", "Strain limiting", SHOWS, run, order=65)
