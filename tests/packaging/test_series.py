# SPDX-License-Identifier: GPL-3.0-or-later
"""A zip for the Blenders of one Python: smaller, and refused by the others."""

import re
import tomllib
import zipfile
from pathlib import Path

import pytest

from build_tasks.packaging import (
    build_zips,
    can_run,
    host_platform,
    limited_manifest,
    validate,
    zip_name,
)
from build_tasks.project import (
    BLENDERS,
    EVERY_BLENDER,
    MANIFEST,
    SERIES,
    Blender,
    BuildError,
    Series,
)
from build_tasks.wheels import PLATFORMS, parse_line, select_wheels

OLD, NEW = SERIES


@pytest.fixture(scope="session")
def archives(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The zip of each series for this machine, by the series' name."""
    folder = tmp_path_factory.mktemp("series")
    built = {}
    for series in SERIES:
        (built[series.name],) = build_zips(folder, (host_platform(),), series=series)
    return built


def limits(manifest: dict[str, str]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The first Blender that a manifest allows, and the first one after those."""
    end = manifest.get("blender_version_max", "99.0.0")
    first, last = (
        tuple(map(int, text.split("."))) for text in (manifest["blender_version_min"], end)
    )
    return first, last


def manifest_of(archive: Path) -> dict[str, str]:
    return tomllib.loads(zipfile.ZipFile(archive).read("blender_manifest.toml").decode())


@pytest.mark.parametrize("blender", BLENDERS, ids=lambda blender: blender.name)
def test_each_blender_is_in_the_one_series_of_its_python(
    blender: Blender, archives: dict[str, Path]
) -> None:
    version = tuple(map(int, blender.bpy.split(".")))
    for series in SERIES:
        first, end = limits(manifest_of(archives[series.name]))
        belongs = blender.python in series.pythons
        assert (first <= version < end) == belongs


def test_the_series_leave_no_blender_out_and_share_none(archives: dict[str, Path]) -> None:
    (first, end), (next_first, last) = (limits(manifest_of(archives[s.name])) for s in SERIES)
    assert first == limits(tomllib.loads(MANIFEST.read_text(encoding="utf-8")))[0]
    assert end == next_first == (5, 1, 0)
    assert last == (99, 0, 0)


def test_only_the_wheels_of_its_python_are_inside(archives: dict[str, Path]) -> None:
    whole = {wheel.file_name for wheel in select_wheels((host_platform(),))}
    found = set()
    for series in SERIES:
        names = zipfile.ZipFile(archives[series.name]).namelist()
        packed = {Path(name).name for name in names if name.startswith("wheels/")}
        wheels = [parse_line(f"{'0' * 64}  {name}") for name in packed]
        (python,) = series.pythons
        assert {wheel.distribution for wheel in wheels} == {"numba", "llvmlite", "cholespy"}
        assert len(wheels) == 3
        assert all(wheel.runs_on(python) for wheel in wheels)
        found |= packed
    assert found == whole


def test_the_official_validation_passes(archives: dict[str, Path]) -> None:
    for archive in archives.values():
        validate(archive)


def test_names_say_which_blenders(archives: dict[str, Path]) -> None:
    platform = host_platform()
    assert archives[OLD.name].name == f"xpbd-0.1.0-{platform}-blender-4.2-to-5.0.zip"
    assert archives[NEW.name].name == f"xpbd-0.1.0-{platform}-blender-5.1.zip"
    assert zip_name(platform) == f"xpbd-0.1.0-{platform}.zip"


def test_numba_is_missing_only_for_older_blenders_on_windows_on_arm(tmp_path: Path) -> None:
    assert [name for name in PLATFORMS if not can_run(name, OLD)] == ["windows-arm64"]
    assert all(can_run(name, series) for name in PLATFORMS for series in (NEW, EVERY_BLENDER))
    with pytest.raises(BuildError, match=r"no wheels for Python 3\.11 on windows-arm64"):
        build_zips(tmp_path, ("windows-arm64",), series=OLD)


def test_only_the_versions_of_blender_change_in_the_manifest() -> None:
    text = MANIFEST.read_text(encoding="utf-8")
    assert limited_manifest(text, EVERY_BLENDER) == text
    changed = tomllib.loads(limited_manifest(text, OLD))
    assert changed.pop("blender_version_max") == "5.1.0"
    assert changed == tomllib.loads(text)


def test_a_manifest_without_a_first_blender_is_refused() -> None:
    with pytest.raises(BuildError, match=re.escape("exactly one `blender_version_min")):
        limited_manifest('id = "xpbd"', Series("x", ("3.13",), "5.1.0"))
