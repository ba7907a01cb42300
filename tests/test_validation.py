# SPDX-License-Identifier: GPL-3.0-or-later
"""The report of `python build.py validate`: its framework, and that the one kept here is whole."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from validation import ROOT, cases, markdown, store
from validation.__main__ import main, validate
from validation.report import Case, Plot, Result, Table, at_least, at_most, number


class Picture:
    """Stands for a matplotlib figure."""

    def savefig(self, path: Path, /, **options: Any) -> None:
        path.write_bytes(b"picture")


def toy(name: str, value: float = 0.5, plots: tuple[str, ...] = ("line",)) -> Case:
    row = (np.int64(5), np.float64(2.5))
    result = Result(
        findings=[f"The error of {name} was {number(value)} m."],
        tables=[Table("All figures", ("iterations", "error [m]"), [row])],
        checks=[
            at_most("error", value, 1.0, "m", "the paper"),
            at_least("order", 2.0, 1.0, "", "implicit Euler"),
        ],
        plots=[Plot(plot, "An error.", Picture()) for plot in plots],
    )
    return Case(name, name.title(), f"What {name} shows.", lambda: result, 1)


@pytest.fixture
def choose(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Replace the cases of the project by these."""

    def replace(*chosen: Case) -> None:
        found = {case.name: case for case in chosen}
        monkeypatch.setattr(cases, "names", lambda: sorted(found))
        monkeypatch.setattr(cases, "load", found.__getitem__)

    return replace


def test_figures_and_plots_come_into_the_page(choose: Callable[..., None], tmp_path: Path) -> None:
    choose(toy("alpha"))
    assert validate(None, tmp_path) == 0
    page = (tmp_path / "validation.md").read_text(encoding="utf-8")
    assert "What alpha shows." in page
    assert "| error | 0.5 m | ≤ 1 m | the paper | holds |" in page
    assert "| order | 2 | ≥ 1 | implicit Euler | holds |" in page
    assert "The error of alpha was 0.5 m." in page
    assert "| 5 | 2.5 |" in page
    assert "(validation/alpha-line.png)" in page
    assert (tmp_path / "validation" / "alpha-line.png").read_bytes() == b"picture"


@pytest.mark.parametrize("value", [1.5, float("nan")])
def test_a_missed_bound_is_shown_and_fails_the_run(
    choose: Callable[..., None], tmp_path: Path, value: float
) -> None:
    choose(toy("alpha", value), toy("beta"))
    assert validate(None, tmp_path) == 1
    page = (tmp_path / "validation.md").read_text(encoding="utf-8")
    assert page.count("**fails**") == 1
    assert "**1 of 2**" in page
    assert validate(["beta"], tmp_path) == 0


def test_a_case_that_breaks_is_shown_and_leaves_the_others(
    choose: Callable[..., None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def breaks() -> Result:
        raise ArithmeticError("did not converge")

    choose(Case("alpha", "Alpha", "Nothing.", breaks, 1), toy("beta"))
    assert validate(None, tmp_path) == 1
    page = (tmp_path / "validation.md").read_text(encoding="utf-8")
    assert "**Did not finish:** ArithmeticError: did not converge" in page
    assert "The error of beta" in page
    assert "Traceback" in capsys.readouterr().err


def test_one_section_is_renewed_alone(choose: Callable[..., None], tmp_path: Path) -> None:
    choose(toy("alpha", plots=("one", "two")), toy("beta"))
    validate(None, tmp_path)
    choose(toy("alpha", 0.25, plots=("one",)), toy("beta", 0.75))
    assert validate(["alpha"], tmp_path) == 0
    page = (tmp_path / "validation.md").read_text(encoding="utf-8")
    assert "The error of alpha was 0.25 m." in page
    assert "The error of beta was 0.5 m." in page
    pictures = {path.name for path in (tmp_path / "validation").glob("*.png")}
    assert pictures == {"alpha-one.png", "beta-line.png"}


def test_a_case_without_file_leaves_the_report(choose: Callable[..., None], tmp_path: Path) -> None:
    choose(toy("alpha"), toy("beta"))
    validate(None, tmp_path)
    choose(toy("alpha"))
    validate(None, tmp_path)
    assert "beta" not in (tmp_path / "validation.md").read_text(encoding="utf-8").lower()
    assert not (tmp_path / "validation" / "beta-line.png").exists()


def test_sections_stand_in_order(choose: Callable[..., None], tmp_path: Path) -> None:
    late = Case("alpha", "Alpha", "Late.", Result, 2)
    choose(late, toy("beta"))
    validate(["alpha"], tmp_path)
    validate(["beta"], tmp_path)
    page = (tmp_path / "validation.md").read_text(encoding="utf-8")
    assert page.index("## Beta") < page.index("## Alpha")


def test_an_unknown_case_is_refused_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--case", "no_such_case"])
    assert "no_such_case" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (0.01234, "0.0123"),
        (12.5, "12.5"),
        (123456, "123,456"),
        (9876.5, "9,876"),
        (1.23e-13, "1.23e-13"),
    ],
)
def test_numbers_are_written_for_readers(value: float, text: str) -> None:
    assert number(value) == text


# --- the report kept in the repository ------------------------------------------------------------

DOCS = ROOT / "docs"


def test_the_page_is_what_the_results_say() -> None:
    entries = store.read(DOCS / "validation")
    page = (DOCS / "validation.md").read_text(encoding="utf-8")
    assert page == markdown.report(entries, "validation")


def test_every_case_has_its_section_and_nothing_else_has() -> None:
    assert sorted(store.read(DOCS / "validation")) == cases.names()


def test_all_bounds_hold() -> None:
    entries = store.read(DOCS / "validation")
    assert [name for name, entry in entries.items() if not store.holds(entry)] == []


def test_every_bound_says_why_it_is_what_it_is() -> None:
    reasons = [
        check.reason
        for entry in store.read(DOCS / "validation").values()
        for check in store.checks_of(entry)
    ]
    assert all(reason and not re.search(r"issue \d", reason) for reason in reasons)


def test_every_picture_is_shown() -> None:
    shown = [
        plot["file"]
        for entry in store.read(DOCS / "validation").values()
        for plot in entry["plots"]
    ]
    assert sorted(shown) == sorted(path.name for path in (DOCS / "validation").glob("*.png"))
