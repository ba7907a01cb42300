# SPDX-License-Identifier: GPL-3.0-or-later
"""The zips hold what Blender needs, unmodified wheels, and nothing else."""

import hashlib
import tomllib
import zipfile
from pathlib import Path, PurePosixPath

from build_tasks.packaging import validate, zip_name
from build_tasks.project import EXTENSION_SOURCES, ROOT
from build_tasks.wheels import PLATFORMS, Wheel, select_wheels
from core.materials.fabrics import MATERIALS
from core.materials.soft_bodies import SOFT_MATERIALS
from core.materials.strands import STRAND_MATERIALS


def platform_of(archive: Path) -> str:
    (platform,) = [name for name in PLATFORMS if archive.name == zip_name(name)]
    return platform


def wheels_of(archive: Path) -> list[Wheel]:
    return select_wheels((platform_of(archive),))


def test_names_say_version_and_platform(zips: list[Path]) -> None:
    assert zips
    for archive in zips:
        assert archive.name == f"xpbd-0.1.0-{platform_of(archive)}.zip"


def test_the_official_validation_passes(zips: list[Path]) -> None:
    for archive in zips:
        validate(archive)


def test_only_the_extension_is_inside(zips: list[Path]) -> None:
    allowed = {*EXTENSION_SOURCES, "blender_manifest.toml", "wheels"}
    for archive in zips:
        names = zipfile.ZipFile(archive).namelist()
        paths = [PurePosixPath(name) for name in names]
        assert {path.parts[0] for path in paths} == allowed
        assert not [path for path in paths if path.suffix in {".pyc", ".nbi", ".nbc", ".blend1"}]
        assert not [path for path in paths if any(part.startswith(".") for part in path.parts)]
        assert len(names) == len(set(names))


def test_every_source_file_is_inside(zips: list[Path]) -> None:
    sources = {
        path.relative_to(ROOT).as_posix()
        for folder in ("core", "xpbd_addon")
        for path in (ROOT / folder).rglob("*.py")
    }
    for archive in zips:
        assert sources <= set(zipfile.ZipFile(archive).namelist())


def test_presets_are_written_from_the_materials(zips: list[Path]) -> None:
    folder = "xpbd_addon/fabrics/presets"
    expected = {f"{folder}/xpbd_cloth/{material.name}.py" for material in MATERIALS.values()}
    expected |= {
        f"{folder}/xpbd_soft_bodies/{material.name}.py" for material in SOFT_MATERIALS.values()
    }
    expected |= {
        f"{folder}/xpbd_strands/{material.name}.py" for material in STRAND_MATERIALS.values()
    }
    for archive in zips:
        content = zipfile.ZipFile(archive)
        assert {name for name in content.namelist() if name.startswith(folder)} == expected
        cotton = content.read(f"{folder}/xpbd_cloth/Cotton.py").decode()
        # 1 / (2026 N/m), 1 / (28 N/m), 1 / (8 µN m), and a loss of 0.15 at 5 Hz.
        for line in (
            "density = 0.15",
            "stretch_compliance = 0.000494",
            "shear_compliance = 0.0357",
            "bend_compliance = 125000.0",
            "poisson_ratio = 0.243",
            "stretch_damping = 0.0",
            "shear_damping = 0.0",
            "bend_damping = 0.00477",
            "friction = 0.4",
        ):
            assert cotton.count(f"\nbpy.context.object.xpbd.{line}\n") == 1, line
        assert cotton.count("\nbpy.context.object.xpbd.") == 9


def test_wheels_are_the_locked_files(zips: list[Path]) -> None:
    for archive in zips:
        content = zipfile.ZipFile(archive)
        packed = {name for name in content.namelist() if name.startswith("wheels/")}
        assert packed == {f"wheels/{wheel.file_name}" for wheel in wheels_of(archive)}
        for wheel in wheels_of(archive):
            packed_bytes = content.read(f"wheels/{wheel.file_name}")
            assert hashlib.sha256(packed_bytes).hexdigest() == wheel.sha256


def test_the_generated_lists_are_this_platform_only(zips: list[Path]) -> None:
    for archive in zips:
        text = zipfile.ZipFile(archive).read("blender_manifest.toml").decode()
        generated = tomllib.loads(text)["build"]["generated"]
        assert generated["platforms"] == [platform_of(archive)]
        expected = {f"./wheels/{wheel.file_name}" for wheel in wheels_of(archive)}
        assert set(generated["wheels"]) == expected


def test_the_licence_is_complete(zips: list[Path]) -> None:
    for archive in zips:
        text = zipfile.ZipFile(archive).read("LICENSE").decode()
        assert "GNU GENERAL PUBLIC LICENSE" in text
        assert "END OF TERMS AND CONDITIONS" in text
