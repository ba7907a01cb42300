# SPDX-License-Identifier: GPL-3.0-or-later
"""Building and validating the extension zips with Blender's official tool.

Presets of materials are written on the way, from the one table in core/materials.
"""

import platform
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from core.materials.fabrics import MATERIALS, Material
from core.materials.soft_bodies import SOFT_MATERIALS, SoftPreset
from core.materials.strands import STRAND_MATERIALS, StrandPreset
from xpbd_addon.settings import presets

from .project import (
    BLENDERS,
    EVERY_BLENDER,
    EXTENSION_SOURCES,
    MANIFEST,
    ROOT,
    SCRATCH,
    BuildError,
    Series,
    download_cache,
    manifest_value,
)
from .wheels import PLATFORMS, Wheel, download, pip_download, select_wheels

_BUILDER_FILES = (
    "addons_core/bl_pkg/cli/blender_ext.py",
    "modules/_bpy_internal/extensions/tags.py",
)


def host_platform() -> str:
    """Return this machine's platform in Blender's words; raise BuildError if unsupported."""
    system = {"Linux": "linux", "Windows": "windows", "Darwin": "macos"}.get(platform.system())
    machine = {"x86_64": "x64", "amd64": "x64", "arm64": "arm64", "aarch64": "arm64"}.get(
        platform.machine().lower()
    )
    name = f"{system}-{machine}"
    if name not in PLATFORMS:
        raise BuildError(
            f"numba has no wheels for {platform.system()} on {platform.machine()}:"
            f" the extension can run on {', '.join(PLATFORMS)}."
        )
    return name


def build_zips(
    output: Path,
    platforms: Collection[str] = PLATFORMS,
    *,
    series: Series = EVERY_BLENDER,
    source: Path = ROOT,
) -> list[Path]:
    """Build and validate one zip a platform in `output`, for a series of Blenders.

    `source` is the folder with the extension's files. Returns the zips' paths. Raises BuildError
    for a platform on which none of these Blenders has numba, and with the official tool's own
    words when it refuses the files.
    """
    for name in platforms:
        if not can_run(name, series):
            raise BuildError(
                f"numba has no wheels for Python {' or '.join(series.pythons)} on {name}:"
                " leave that platform out."
            )
    wheels = select_wheels(platforms, series.pythons)
    SCRATCH.mkdir(exist_ok=True)
    output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="zip-", dir=SCRATCH) as scratch:
        staged, built = Path(scratch, "xpbd"), Path(scratch, "built")
        built.mkdir()
        _stage(source, staged, platforms, wheels)
        _limit(staged / MANIFEST.name, series)
        _official_tool(
            ["build", "--source-dir", str(staged), "--output-dir", str(built), "--split-platforms"]
        )
        return [_publish(built, output, name, series) for name in platforms]


def can_run(platform_name: str, series: Series) -> bool:
    """Return whether there is a numba for any of these Blenders on a platform."""
    wheels = select_wheels((platform_name,), series.pythons)
    return any(wheel.distribution == "numba" for wheel in wheels)


def zip_name(platform_name: str, series: Series = EVERY_BLENDER) -> str:
    """Return the file name of the zip for a platform and a series of Blenders."""
    parts = ["xpbd", manifest_value("version"), platform_name, series.name]
    return "-".join(filter(None, parts)) + ".zip"


def validate(path: Path) -> None:
    """Run the official validation on a zip or a source folder; raise BuildError if it fails."""
    _official_tool(["validate", str(path)])


def staged_manifest(text: str, platforms: Iterable[str], wheels: Iterable[Wheel]) -> str:
    """Return the manifest `text` with its lists of platforms and wheels replaced."""
    text = _replace_list(text, "platforms", platforms)
    return _replace_list(text, "wheels", (f"./wheels/{wheel.file_name}" for wheel in wheels))


def limited_manifest(text: str, series: Series) -> str:
    """Return the manifest `text` with the versions of Blender that a series is for."""
    if not series.first:
        return text
    lines = f'blender_version_min = "{series.first}"'
    if series.end:  # which Blender takes for the first version that is not supported
        lines += f'\nblender_version_max = "{series.end}"'
    changed, count = re.subn(r'^blender_version_min = ".*"$', lines, text, flags=re.MULTILINE)
    if count != 1:
        raise BuildError("blender_manifest.toml must have exactly one `blender_version_min = …`.")
    return changed


def preset_files() -> dict[str, str]:
    """Return the text of each material preset by its path in the zip."""
    tables: dict[str, Iterable[Material | SoftPreset | StrandPreset]] = {
        "CLOTH": MATERIALS.values(),
        "SOFT_BODY": SOFT_MATERIALS.values(),
        "STRANDS": STRAND_MATERIALS.values(),
    }
    folder = f"xpbd_addon/{presets.FOLDER}/presets"
    return {
        f"{folder}/{presets.SUBFOLDERS[kind]}/{material.name}.py": _preset(kind, material)
        for kind, table in tables.items()
        for material in table
    }


def _preset(kind: str, material: Material | SoftPreset | StrandPreset) -> str:
    source = type(material).__module__.replace(".", "/")
    values = presets.values(kind, material)
    lines = [
        "# SPDX-License-Identifier: GPL-3.0-or-later",
        f'"""{material.name}: the values and their source stand in {source}.py."""',
        "",
        "import bpy",
        "",
        *(f"{presets.line(name)} = {value!r}" for name, value in values.items()),
    ]
    return "\n".join(lines) + "\n"


def _stage(source: Path, staged: Path, platforms: Collection[str], wheels: Sequence[Wheel]) -> None:
    (staged / "wheels").mkdir(parents=True)
    for name in EXTENSION_SOURCES:
        if (source / name).is_dir():
            shutil.copytree(
                source / name, staged / name, ignore=shutil.ignore_patterns("__pycache__", ".*")
            )
        elif (source / name).is_file():
            shutil.copy2(source / name, staged / name)
        else:
            raise BuildError(f"{source / name} is missing: it belongs in the zip.")
    for place, preset in preset_files().items():
        (staged / place).parent.mkdir(parents=True, exist_ok=True)
        (staged / place).write_text(preset, encoding="utf-8", newline="\n")
    for wheel in wheels:
        shutil.copy2(download(wheel), staged / "wheels" / wheel.file_name)
    text = staged_manifest(MANIFEST.read_text(encoding="utf-8"), platforms, wheels)
    (staged / MANIFEST.name).write_text(text, encoding="utf-8")


def _limit(manifest: Path, series: Series) -> None:
    text = limited_manifest(manifest.read_text(encoding="utf-8"), series)
    manifest.write_text(text, encoding="utf-8")


def _publish(built: Path, output: Path, platform_name: str, series: Series) -> Path:
    underscored = f"xpbd-{manifest_value('version')}-{platform_name.replace('-', '_')}.zip"
    validate(built / underscored)
    target = output / zip_name(platform_name, series)
    shutil.move(built / underscored, target)
    return target


def _replace_list(text: str, key: str, values: Iterable[str]) -> str:
    lines = "".join(f'  "{value}",\n' for value in values)
    pattern = rf"^{key} = \[[^\]]*\]$"
    changed, count = re.subn(pattern, f"{key} = [\n{lines}]", text, flags=re.MULTILINE)
    if count != 1:
        raise BuildError(f"blender_manifest.toml must have exactly one list `{key} = […]`.")
    return changed


def _official_tool(arguments: Sequence[str]) -> None:
    folder = _builder()
    result = subprocess.run(
        [
            sys.executable,
            str(folder / "blender_ext.py"),
            *arguments,
            f"--valid-tags={folder / 'tags.py'}",
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if result.returncode != 0:
        raise BuildError(f"Blender's builder refused `{arguments[0]}`:\n{result.stdout}")


def _builder() -> Path:
    """Return a folder with the newest Blender's extension tool, out of its bpy wheel."""
    blender = BLENDERS[-1]
    folder = download_cache() / f"builder-{blender.bpy}"
    if not folder.is_dir():
        print(f"getting Blender's builder out of the bpy {blender.bpy} wheel", flush=True)
        with tempfile.TemporaryDirectory(dir=download_cache()) as scratch:
            pip_download(
                f"bpy=={blender.bpy}",
                Path(scratch),
                python=blender.python,
                platform_tags=["manylinux_2_28_x86_64"],
            )
            (wheel,) = Path(scratch).glob("*.whl")
            unpacked = Path(scratch, "unpacked")
            unpacked.mkdir()
            with zipfile.ZipFile(wheel) as archive:
                for name in _BUILDER_FILES:
                    content = archive.read(f"bpy/{blender.name}/scripts/{name}")
                    (unpacked / Path(name).name).write_bytes(content)
            unpacked.rename(folder)
    return folder
