# SPDX-License-Identifier: GPL-3.0-or-later
"""What a case of the validation report consists of.

A file ``validation/cases/NAME.py`` holds one ``CASE = Case("NAME", …)``; it is found by its name.
Texts are f-strings over the case's constants and over what it computed: no figure is typed in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

Cell = str | int | float | None
"""numpy's numbers as well."""


class Figure(Protocol):
    """What can draw itself into a file: a matplotlib figure."""

    def savefig(self, path: Path, /, **options: Any) -> object:
        """Write a picture."""


@dataclass
class Table:
    """Figures that were computed, a `Cell` each; units stand in the column names."""

    title: str
    columns: Sequence[str]
    rows: list[Sequence[Any]] = field(default_factory=list)


@dataclass(frozen=True)
class Check:
    """An expectation and what was found; not a number never holds.

    Attributes:
        what: what is bounded, in words.
        unit: of value and bound: ``"%"``, ``"m"``, or nothing.
        reason: why the bound is what it is, to somebody who knows the papers and nothing else:
            ``"the paper, section 6.2: 6%"``, or what the eye sees, or what rounding leaves.
    """

    what: str
    value: float
    relation: Literal["at most", "at least"]
    bound: float
    unit: str
    reason: str

    @property
    def holds(self) -> bool:
        """Whether the value keeps the bound."""
        at_most = self.relation == "at most"
        return bool(self.value <= self.bound if at_most else self.value >= self.bound)


def at_most(what: str, value: float, bound: float, unit: str, reason: str) -> Check:
    """Expect value ≤ bound."""
    return Check(what, float(value), "at most", float(bound), unit, reason)


def at_least(what: str, value: float, bound: float, unit: str, reason: str) -> Check:
    """Expect value ≥ bound."""
    return Check(what, float(value), "at least", float(bound), unit, reason)


@dataclass(frozen=True)
class Plot:
    """A picture: ``docs/validation/CASE-NAME.png``; the caption says what is to be seen."""

    name: str
    caption: str
    figure: Figure


@dataclass
class Result:
    """What a case found.

    Attributes:
        findings: paragraphs in Markdown, with figures that were computed.
        tables, checks, plots: in the order in which they are shown.
    """

    findings: list[str] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    plots: list[Plot] = field(default_factory=list)


@dataclass(frozen=True)
class Case:
    """One section of the report.

    Attributes:
        name: that of its file.
        title: heading, such as ``"Harmonic oscillator"``.
        shows: one paragraph in Markdown: set-up, what is shown against which reference, and the
            paper, section or figure it comes from.
        run: computes it; must give the same figures each time, measured times aside.
        order: of the sections, low first.
    """

    name: str
    title: str
    shows: str
    run: Callable[[], Result]
    order: int


def number(value: float, digits: int = 3) -> str:
    """A number with so many significant digits, for texts: 0.0123, 23,938, 1.2e-13."""
    if isinstance(value, int) or 10 ** (digits - 1) <= abs(value) < 1e7:
        return f"{value:,.0f}"
    return f"{value:.{digits}g}"
