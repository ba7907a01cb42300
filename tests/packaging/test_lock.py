# SPDX-License-Identifier: GPL-3.0-or-later
"""wheels.lock, blender_manifest.toml and pyproject.toml agree with each other."""

import re
import tomllib
from typing import Any

import pytest

from build_tasks.packaging import staged_manifest
from build_tasks.project import BLENDER_PYTHONS, MANIFEST, ROOT, BuildError
from build_tasks.wheels import PLATFORMS, locked_wheels, parse_line, select_wheels

# numba publishes no wheel for Python 3.11 on Windows on ARM; Blender 5.1 and later have 3.13.
# cholespy publishes none for Windows on ARM at all; there core.linear has another solver.
NOT_PUBLISHED = {
    ("windows-arm64", "3.11"): {"numba", "llvmlite", "cholespy"},
    ("windows-arm64", "3.13"): {"cholespy"},
}


PYTHONS = ["3.9", "3.10", "3.11", "3.12", "3.13", "3.14"]


def manifest() -> dict[str, Any]:
    return tomllib.loads(MANIFEST.read_text(encoding="utf-8"))


def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.mark.parametrize("python", BLENDER_PYTHONS)
@pytest.mark.parametrize("platform", PLATFORMS)
def test_a_wheel_for_every_python_and_platform(platform: str, python: str) -> None:
    names = [wheel.distribution for wheel in select_wheels((platform,), (python,))]
    missing = NOT_PUBLISHED.get((platform, python), set())
    assert names == sorted({"numba", "llvmlite", "cholespy"} - missing)


@pytest.mark.parametrize(
    ("tags", "pythons"),
    [("cp311-cp311", ["3.11"]), ("cp312-abi3", ["3.12", "3.13", "3.14"]), ("cp39-abi3", PYTHONS)],
)
def test_wheels_for_the_stable_abi_serve_later_pythons_too(tags: str, pythons: list[str]) -> None:
    wheel = parse_line(f"{'0' * 64}  some-1.0-{tags}-win_amd64.whl")
    assert [python for python in PYTHONS if wheel.runs_on(python)] == pythons


def test_the_manifest_lists_every_wheel_and_platform() -> None:
    assert manifest()["wheels"] == [f"./wheels/{wheel.file_name}" for wheel in select_wheels()]
    assert manifest()["platforms"] == list(PLATFORMS)


def test_one_version_of_each_distribution_that_pyproject_names_too() -> None:
    locked = {f"{wheel.distribution}=={wheel.version}" for wheel in locked_wheels()}
    entries = [entry.partition(";")[0] for entry in project()["dependencies"]]
    pinned = {entry for entry in entries if "==" in entry}
    assert locked == pinned


def test_hashes_are_sha256_and_lines_are_sorted() -> None:
    wheels = locked_wheels()
    assert all(re.fullmatch(r"[0-9a-f]{64}", wheel.sha256) for wheel in wheels)
    assert len({wheel.sha256 for wheel in wheels}) == len(wheels)
    assert [wheel.file_name for wheel in wheels] == sorted(wheel.file_name for wheel in wheels)


def test_one_version_number_of_the_project() -> None:
    assert manifest()["version"] == project()["version"]


def test_numpy_is_never_packed() -> None:
    assert not any(wheel.distribution == "numpy" for wheel in locked_wheels())


def test_texts_keep_the_rules_of_the_extensions_platform() -> None:
    for text in (manifest()["tagline"], *manifest()["permissions"].values()):
        assert len(text) <= 64
        assert text[-1].isalnum()
    assert list(manifest()["permissions"]) == ["files"]


def test_the_staged_manifest_of_one_platform_lists_only_its_wheels() -> None:
    wheels = select_wheels(("windows-x64",))
    text = staged_manifest(MANIFEST.read_text(encoding="utf-8"), ("windows-x64",), wheels)
    staged = tomllib.loads(text)
    assert staged["platforms"] == ["windows-x64"]
    assert staged["wheels"] == [f"./wheels/{wheel.file_name}" for wheel in wheels]
    assert staged | {"platforms": 0, "wheels": 0} == manifest() | {"platforms": 0, "wheels": 0}


def test_a_manifest_without_the_lists_is_refused() -> None:
    with pytest.raises(BuildError, match="exactly one list `platforms"):
        staged_manifest('id = "xpbd"', (), ())
