# SPDX-License-Identifier: GPL-3.0-or-later
"""What the README and the pages for developers say of the code is so, and links lead somewhere."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from build_tasks import source_map
from core.constraints import REGISTRY

ROOT = Path(__file__).resolve().parent.parent
DEVELOPING = (ROOT / "docs" / "developing.md").read_text(encoding="utf-8")
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def test_the_map_is_that_of_the_source() -> None:
    assert source_map.PAGE.read_text(encoding="utf-8") == source_map.page(), (
        "docs/map.md is out of date: run `python build.py map`"
    )


def test_every_file_says_what_it_is_for() -> None:
    assert "|  |" not in source_map.page()


def test_files_that_recipes_name_exist() -> None:
    named = re.findall(r"`((?:core|xpbd_addon|tests|docs)/[\w/]+\.(?:py|md))`", DEVELOPING)
    assert len(named) > 10
    for name in named:
        assert (ROOT / name).is_file(), name


PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def links_of(page: Path) -> Iterator[tuple[Path, str]]:
    """Where a page leads to within the repository: files, and headings in them."""
    for target in re.findall(r"\]\((?!https?:)([^)\s]+)\)", page.read_text(encoding="utf-8")):
        name, _, heading = target.partition("#")
        yield (page.parent / name).resolve() if name else page, heading


def headings_of(page: Path) -> set[str]:
    """As GitHub names them."""
    titles = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    for file, heading in links_of(page):
        assert file.exists(), f"{page.name} leads to {file}"
        assert not heading or heading in headings_of(file), f"{page.name}: {file.name}#{heading}"


def test_the_table_of_orders_is_that_of_the_constraints() -> None:
    rows = re.findall(r"^\| (\d+) \| ((?:`\w+`(?:, )?)+) \|", ARCHITECTURE, flags=re.MULTILINE)
    table = {kind: int(order) for order, kinds in rows for kind in re.findall(r"\w+", kinds)}
    assert table == {kind: constraint.order for kind, constraint in REGISTRY.items()}
