# SPDX-License-Identifier: GPL-3.0-or-later
"""Facts about the project that every task shares: folders, versions, requirements."""

import os
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
MANIFEST = ROOT / "blender_manifest.toml"
ENVIRONMENTS = ROOT / ".venvs"
SCRATCH = ROOT / ".build"
DIST = ROOT / "dist"

EXTENSION_SOURCES = ("__init__.py", "LICENSE", "core", "xpbd_addon")
MODULE_NAME = "bl_ext.user_default.xpbd"


class BuildError(Exception):
    """A task cannot go on; the message is one sentence for the person at the terminal."""


@dataclass(frozen=True)
class Blender:
    """A Blender that is tested, with the Python and numpy that its official build carries."""

    name: str
    bpy: str
    python: str
    numpy: str

    @property
    def requirements(self) -> list[str]:
        """What its environment holds: no numba, which would hide the extension's own wheels."""
        return [f"bpy=={self.bpy}", f"numpy=={self.numpy}", *dependency_group("test")]


BLENDERS = (
    Blender(name="4.2", bpy="4.2.23", python="3.11", numpy="1.24.3"),
    Blender(name="4.5", bpy="4.5.15", python="3.11", numpy="1.26.4"),
    Blender(name="5.2", bpy="5.2.3", python="3.13", numpy="2.3.4"),
)
BLENDER_PYTHONS = tuple(sorted({blender.python for blender in BLENDERS}))


@dataclass(frozen=True)
class Series:
    """Blenders that one zip is for.

    `name` stands in the zip's name; `first` is the oldest of them, `end` the first one that is
    newer than all, both as the manifest writes versions and empty where the manifest's own hold.
    """

    name: str
    pythons: tuple[str, ...]
    first: str = ""
    end: str = ""


EVERY_BLENDER = Series("", BLENDER_PYTHONS)
SERIES = (
    Series("blender-4.2-to-5.0", ("3.11",), "4.2.0", "5.1.0"),
    Series("blender-5.1", ("3.13",), "5.1.0"),
)
"""Blenders with the same Python: a zip for one of them is half as large."""
RUNNING_PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"


def numpy_requirement(python: str) -> str:
    """Return the oldest numpy that a Blender with this Python carries, else the newest known."""
    for blender in BLENDERS:
        if blender.python == python:
            return f"numpy=={blender.numpy}"
    return f"numpy=={BLENDERS[-1].numpy}"


def manifest_value(key: str) -> str:
    """Return a top-level text value of blender_manifest.toml."""
    return str(_toml(MANIFEST)[key])


def dependency_group(name: str) -> list[str]:
    """Return the requirements of a group in pyproject.toml."""
    groups: dict[str, list[str]] = _toml(ROOT / "pyproject.toml")["dependency-groups"]
    return groups[name]


def core_requirements(python: str) -> list[str]:
    """Return what the tests and benchmarks of the core need under this Python."""
    return [numpy_requirement(python), *_core_dependencies(), *dependency_group("test")]


def validation_requirements() -> list[str]:
    """Return what the validation report needs; plots want the newest numpy of any Blender."""
    newest = f"numpy=={BLENDERS[-1].numpy}"
    return [newest, *_core_dependencies(), *dependency_group("validation")]


def download_cache() -> Path:
    """Return the user's folder for downloaded wheels and Blender's builder."""
    if os.name == "nt":
        base = Path(os.environ["LOCALAPPDATA"])
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = base / "xpbd-build"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _core_dependencies() -> list[str]:
    """Return the core's requirements without numpy, which differs between Blenders."""
    dependencies: list[str] = _toml(ROOT / "pyproject.toml")["project"]["dependencies"]
    return [entry for entry in dependencies if not entry.startswith("numpy")]


def _toml(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))
