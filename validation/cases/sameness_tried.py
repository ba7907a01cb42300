# SPDX-License-Identifier: GPL-3.0-or-later
"""What was tried to make cloth converge, as error against seconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np

import core
from core.constraints import Constraint
from core.layout.layout import Layout
from core.layout.program import Program
from core.solvers.common.projection import specification
from core.solvers.xpbd import chain_projection
from core.vector.specification import ChainSpecification

from .. import plots
from ..report import Case, Plot, Result, Table, at_least, at_most, number
from ..sameness_sheet import FAR, IN_WORDS, PINNINGS, SAG, SIZE, STRAIN, Hung, Sheet, hang
from ..sameness_sheet import run as run_simulation

SIDES = (64, 128)
REFERENCE = 320  # substeps
FINEST = 640  # substeps in single precision

HALF = 0.5
FINE = 0.1  # %

SHOWS = (
    f"{IN_WORDS}. Grids of {' and '.join(f'{side}²' for side in SIDES)} hang by "
    f"{PINNINGS['patches']}, with counts fixed. The yardstick is {REFERENCE} substeps with whole "
    "chains solved at once, in double precision. The error of the strain is the root mean square "
    "over all edges of its difference from the yardstick's; it says little about how the cloth "
    "happened to fold. The error of the lowest point is in percent of the height. Milliseconds "
    "are processor time on one thread, the median of a frame."
)

ENDLESS = 1e30  # m

Setting = tuple[int, int]
"""Substeps and iterations."""


class SlackChains(core.XPBD):
    """XPBD whose chains have K = M, as the paper."""

    def main_program(self, layout: Layout, swept: Sequence[bool]) -> Program:
        """The sweep of all groups that are swept."""
        return layout.program(specification, swept, sums="move", chains=_slack)


@cache
def _slack(constraint: Constraint, damped: bool, _closed: bool, _sewn: bool) -> ChainSpecification:
    """The kernel along chains for links so long that their tension resists nothing across."""
    chain = chain_projection.specification(constraint, damped)

    def substitute(kept: Any, *others: Any) -> Any:
        return chain.substitute([*kept[:-1], ENDLESS], *others)

    return replace(chain, name=f"slack_{chain.name}", substitute=substitute)


@dataclass(frozen=True)
class Method:
    """One way of solving, with its settings.

    Attributes:
        settings: for each side.
        chained: which springs are solved along chains: none, sides, or diagonals as well.
        factory: of the solver, and its further options.
    """

    name: str
    settings: dict[int, list[Setting]]
    chained: int = 2
    factory: Any = core.XPBD
    options: dict[str, Any] = field(default_factory=dict)

    def hang(self, side: int, setting: Setting, precision: Any = np.float32) -> Hung:
        """Let the sheet hang."""
        sheet, model = Sheet.of(side), core.Model(precision)
        cloth = sheet.add_to(model)
        springs = [group for group in model.groups if group.constraint.kind == "distance"]
        springs.sort(key=lambda group: group.rest.mean())  # sides, then diagonals
        for group in springs[self.chained :]:
            group.chains = None
        substeps, iterations = setting
        solver = self.factory(substeps=substeps, iterations=iterations, threads=1, **self.options)
        return run_simulation(core.Simulation(model, solver), sheet, cloth)


def _once(*substeps: int) -> list[Setting]:
    return [(n, 1) for n in substeps]


PLAIN = Method(
    "many substeps, by colours", {64: _once(10, 40, 80, 160), 128: _once(40, 160, 320)}, 0
)
FEW = Method(
    "few substeps of many iterations, by colours",
    {64: [(4, 10), (4, 40), (4, 160)], 128: [(4, 40)]},
    0,
)
SIDES_ONLY = Method("sides along chains", {64: _once(10, 20, 40, 80), 128: _once(20, 40, 80)}, 1)
SHIPPED = Method(
    "sides and diagonals along chains", {64: _once(10, 20, 40, 80), 128: _once(20, 40, 80)}
)
WARM = Method(
    "chains, warm start 0.25",
    {64: _once(10, 20, 40), 128: _once(20, 40)},
    options={"warm_start": 0.25},
)
SLACK = Method(
    "chains, K = M", {64: _once(10, 20, 40), 128: _once(20, 40, 80)}, factory=SlackChains
)
BURST = (5, 8)
"""In which a warm start of 0.5 is unstable."""

WARMER = Method(
    "chains, warm start 0.5",
    {64: [*_once(10, 20, 40), BURST], 128: _once(20, 40)},
    options={"warm_start": 0.5},
)
JACOBI = Method(
    "Jacobi with Chebyshev's weights",
    {64: [(10, 16), (10, 64), (40, 16)], 128: []},
    0,
    options={"method": "jacobi", "chebyshev": True},
)
PROJECTIVE = Method(
    "projective dynamics, direct, with Chebyshev's weights",
    {64: [(1, 10), (1, 40), (4, 10)], 128: [(1, 10)]},
    factory=core.ProjectiveDynamics,
    options={"chebyshev": True},
)
METHODS = (PLAIN, FEW, SIDES_ONLY, SLACK, SHIPPED, WARM, WARMER, JACOBI, PROJECTIVE)

NEAR_PINS = {64: (20,), 128: (40, 80)}


@dataclass(frozen=True)
class Trial:
    """What one setting of a method gave.

    Attributes:
        strain: error of the strain [%].
        sag: error of the lowest point [% of the height].
    """

    setting: Setting
    state: Hung
    strain: float
    sag: float

    @property
    def keeps_bounds(self) -> bool:
        """Whether one sees no error, and no more strain is left than the default allows."""
        return self.sag <= SAG and self.state.far_strain <= STRAIN


Trials = dict[str, list[Trial]]


def run() -> Result:
    """Hang the sheet with every method and compare with the yardstick."""
    result = Result()
    figure, (row,) = plots.canvas(1, len(SIDES), height=3.6, sharey=True)
    found = {}
    for axes, side in zip(row, SIDES):
        exact = SHIPPED.hang(side, (REFERENCE, 1), np.float64)
        found[side] = {
            method.name: [_trial(method, side, setting, exact) for setting in method.settings[side]]
            for method in METHODS
        }
        result.tables.append(_table(side, exact, found[side]))
        _draw(axes, side, found[side])
    plots.legend_below(figure, row[0], 2)
    caption = (
        "Error of the strain against processor time of a frame; low and left is good. "
        f"The unstable {BURST[0]} × {BURST[1]} is left out."
    )
    result.plots.append(Plot("errors", caption, figure))
    result.tables.append(_cheapest(found))
    _judge(result, found)
    _near_pins(result)
    _tell(result, found)
    return result


def _trial(method: Method, side: int, setting: Setting, exact: Hung) -> Trial:
    state = method.hang(side, setting)
    strain = 100.0 * float(np.sqrt(((state.strain - exact.strain) ** 2).mean()))
    return Trial(setting, state, strain, 100.0 * abs(state.low - exact.low) / SIZE)


def _best(trials: list[Trial]) -> float | None:
    """The least time of a frame that keeps the bounds [ms]."""
    return min((trial.state.milliseconds for trial in trials if trial.keeps_bounds), default=None)


# --- what is shown --------------------------------------------------------------------------------


def _table(side: int, exact: Hung, found: Trials) -> Table:
    rows: list[Any] = [
        ("yardstick", f"{REFERENCE} × 1", None, round(exact.low, 4), None, exact.far_strain,
         exact.milliseconds)
    ]  # fmt: skip
    for name, trials in found.items():
        rows += [
            (
                name,
                f"{trial.setting[0]} × {trial.setting[1]}",
                trial.strain,
                round(trial.state.low, 4),
                trial.sag,
                trial.state.far_strain,
                trial.state.milliseconds,
            )
            for trial in trials
        ]
    return Table(
        f"{side}² vertices",
        (
            "",
            "substeps × iterations",
            "error of the strain (%)",
            "lowest point (m)",
            "its error (% of the height)",
            f"largest strain farther than {FAR:g} m from pins (%)",
            "ms a frame",
        ),
        rows,
    )


def _cheapest(found: dict[int, Trials]) -> Table:
    return Table(
        f"The cheapest of these settings whose lowest point is right to {SAG:g}% of the height "
        f"and whose strain stays below {STRAIN:g}% far from the pins (ms a frame)",
        ("", *(f"{side}²" for side in SIDES)),
        [(method.name, *(_best(found[side][method.name]) for side in SIDES)) for method in METHODS],
    )


def _draw(axes: Any, side: int, found: Trials) -> None:
    looks = [plots.marked(index) for index in range(len(plots.COLORS))]
    looks += [{"color": "0.45", "marker": "x"}, {"color": "black", "marker": "*"}]
    for (name, trials), look in zip(found.items(), looks):
        stable = [trial for trial in trials if trial.setting != BURST]
        axes.loglog(
            [trial.state.milliseconds for trial in stable],
            [trial.strain for trial in stable],
            **look,
            label=name,
        )
    vertical = "error of the strain (%)" if side == SIDES[0] else ""
    plots.label(axes, f"{side}²", "processor time of a frame (ms)", vertical)


def _judge(result: Result, found: dict[int, Trials]) -> None:
    for side in SIDES:
        shipped, plain = (_best(found[side][method.name]) for method in (SHIPPED, PLAIN))
        ratio = shipped / plain if shipped and plain else float("nan")
        result.checks.append(
            at_most(f"{side}²: time to keep the bounds, along chains over by colours", ratio, HALF,
                    "", "half the time pays for chains, which are code of their own")
        )  # fmt: skip
        last = found[side][SHIPPED.name][-1]
        result.checks.append(
            at_most(f"{side}²: error of the strain, {last.setting[0]} substeps along chains",
                    last.strain, FINE, "%",
                    f"a {STRAIN / FINE:.0f}th of the strain that is allowed to be left: converged")
        )  # fmt: skip


def _near_pins(result: Result) -> None:
    """What further sweeps around single pinned vertices do."""
    table = Table(
        f"Hanging by {PINNINGS['points']}: further sweeps near pins",
        ("vertices", "substeps", "further sweeps", "largest strain (%)", "lowest point (m)",
         "ms a frame"),
    )  # fmt: skip
    gains = []
    for side, counts in NEAR_PINS.items():
        for substeps in counts:
            largest = []
            for name, often in (("no", False), ("yes", True)):
                solver = core.XPBD(substeps=substeps, near_pins=often, threads=1)
                state = hang(Sheet.of(side, "points"), solver)
                largest.append(100.0 * float(state.strain.max()))
                row = (f"{side}²", substeps, name, largest[-1], round(state.low, 4))
                table.rows.append((*row, state.milliseconds))
            gains.append(largest[0] / largest[1])
    result.tables.append(table)
    result.checks.append(
        at_least("further sweeps near pins: largest strain without, over that with them, least",
                 min(gains), 1.0 / HALF, "", "half the strain pays for these sweeps")
    )  # fmt: skip


def _tell(result: Result, found: dict[int, Trials]) -> None:
    """One paragraph for each method."""
    coarse, fine = (found[side] for side in SIDES)

    def at(trials: Trials, method: Method, setting: Setting) -> Trial:
        return next(trial for trial in trials[method.name] if trial.setting == setting)

    sides, both = at(fine, SIDES_ONLY, (20, 1)), at(fine, SHIPPED, (20, 1))
    other, fair = at(fine, SIDES_ONLY, (80, 1)), at(fine, SHIPPED, (80, 1))
    slack, taut = at(fine, SLACK, (20, 1)), at(fine, SLACK, (80, 1))
    warm, cold = at(fine, WARMER, (20, 1)), at(fine, SHIPPED, (40, 1))
    burst, jacobi = at(coarse, WARMER, BURST), at(coarse, JACOBI, (40, 16))
    four, many = at(coarse, FEW, (4, 40)), at(coarse, PLAIN, (160, 1))
    once, often = at(coarse, PROJECTIVE, (1, 10)), at(coarse, PROJECTIVE, (4, 10))
    single, simple = SHIPPED.hang(SIDES[0], (FINEST, 1)), at(coarse, SHIPPED, (80, 1))
    result.findings = [
        f"**Many substeps, by colours** (Macklin et al. 2019) beat few substeps of many "
        f"iterations: the same number of sweeps leaves {number(many.strain)}% instead of "
        f"{number(four.strain)}% of error at {SIDES[0]}². But tension moves by one edge a sweep: a "
        "mesh twice as fine needs twice the substeps, and so eight times the work.",
        "**Sides along chains** solve rows and columns exactly (Thomas' algorithm), so that a "
        "yarn carries its load at any fineness, at no more cost than by colours. Diagonals, "
        "solved one by one, still undo some of the chains' work.",
        f"**Chains, K = M** solves diagonals along chains too. Then what is left are waves across "
        "yarns under tension: in a substep in which they pass more than a link, the impulse that "
        "pulls a link straight pulls it past that. The finer the mesh, the smaller the substep has "
        f"to be: at {SIDES[1]}² {slack.setting[0]} leave an error of {number(slack.strain)}% and "
        f"strain some edge far from the pins by {number(slack.state.far_strain)}%.",
        f"**Sides and diagonals along chains** is shipped: K of equation 12 keeps what tension "
        f"resists across a yarn. In {both.setting[0]} substeps at {SIDES[1]}² the error of the "
        f"strain is {number(both.strain)}% instead of {number(slack.strain)}% (sides only: "
        f"{number(sides.strain)}%), in {fair.setting[0]} it is {number(fair.strain)}% instead of "
        f"{number(taut.strain)}% ({number(other.strain)}%).",
        f"**A warm start of 0.5** leaves {number(warm.strain)}% in {warm.setting[0]} substeps at "
        f"{SIDES[1]}², each of which costs half as much again: "
        f"{number(warm.state.milliseconds / cold.state.milliseconds)} times the time of "
        f"{cold.setting[0]} cold ones, which leave {number(cold.strain)}%. In few large substeps "
        f"it is worse: {burst.setting[0]} × {burst.setting[1]} at {SIDES[0]}² strains an edge far "
        f"from the pins by {number(burst.state.far_strain)}%. It is an option, not the default.",
        f"**Jacobi with Chebyshev's weights** leaves {number(jacobi.strain)}% for "
        f"{number(jacobi.state.milliseconds)} ms: its weights assume a linear problem, which "
        "folds and slack yarns are not.",
        "**Projective dynamics** is right about the stiffness of yarns from one large step a "
        f"frame on, but moves too slowly ({number(once.sag)}% of the height behind); in "
        f"{often.setting[0]} × {often.setting[1]} it is where the others are, for "
        f"{number(often.state.milliseconds)} ms. A direct solve in every iteration grows faster "
        "than the mesh, and above some 20,000 vertices factoring takes seconds.",
        "**Further sweeps near pins**, the more the nearer, cost little and let the load at a "
        "single pinned vertex converge, which the rest of the mesh has done long before.",
        "**Not built:** multigrid, because chains already carry load across the whole mesh in one "
        "iteration, and what they leave is near pins; long-range attachments, because they hold "
        "lengths that the material need not "
        "have.",
        f"**More is not always better:** in single precision {FINEST:,} substeps a frame hang at "
        f"{single.low:.3f} m where {simple.setting[0]} hang at {simple.state.low:.3f} m: what "
        "gravity adds in so short a time is lost in rounding positions of metres.",
    ]


CASE = Case("sameness_tried", "What was tried to converge", SHOWS, run, order=5)
