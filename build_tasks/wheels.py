# SPDX-License-Identifier: GPL-3.0-or-later
"""The wheels that travel in the zip: pinned in wheels.lock, downloaded by pip, checked.

A line of wheels.lock is `<sha256>  <file name>`, as sha256sum writes it; the file name says the
rest. A wheel for the stable ABI (`cp312-abi3`) serves its Python and all later ones. Wheels for a
Python that no Blender on PyPI has (Debian builds its own) are marked by their absence from
`BLENDER_PYTHONS`: they go only into zips made for a test.
"""

import hashlib
import re
import subprocess
import sys
import tempfile
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from .project import BLENDER_PYTHONS, ROOT, BuildError, download_cache

LOCK = ROOT / "wheels.lock"
PLATFORMS = ("linux-x64", "windows-x64", "macos-arm64", "windows-arm64")

_PLATFORM_TAGS = {
    "linux-x64": re.compile(r"manylinux.*_x86_64$"),
    "windows-x64": re.compile(r"win_amd64$"),
    "macos-arm64": re.compile(r"macosx.*_arm64$"),
    "windows-arm64": re.compile(r"win_arm64$"),
}


@dataclass(frozen=True)
class Wheel:
    """One line of wheels.lock, with what its file name says."""

    file_name: str
    sha256: str
    distribution: str
    version: str
    python: str
    abi: str
    platform_tags: str

    def runs_on(self, python: str) -> bool:
        """Return whether a Python ("3.13") can load it, by the rule that pip and Blender use."""
        own, other = (tuple(map(int, version.split("."))) for version in (self.python, python))
        return own == other or (self.abi == "abi3" and own < other)

    @property
    def platform(self) -> str:
        """The platform in Blender's words."""
        for platform, tag in _PLATFORM_TAGS.items():
            if tag.search(self.platform_tags):
                return platform
        raise BuildError(f"wheels.lock names {self.file_name}, for no platform of this extension.")


def locked_wheels() -> list[Wheel]:
    """Return all lines of wheels.lock."""
    return [parse_line(line) for line in LOCK.read_text(encoding="utf-8").splitlines()]


def parse_line(line: str) -> Wheel:
    """Return what a line of wheels.lock says."""
    sha256, file_name = line.split()
    distribution, version, tag, abi, platform_tags = file_name.removesuffix(".whl").split("-")
    return Wheel(
        file_name, sha256, distribution, version, f"{tag[2]}.{tag[3:]}", abi, platform_tags
    )


def select_wheels(
    platforms: Collection[str] = PLATFORMS, pythons: Collection[str] = BLENDER_PYTHONS
) -> list[Wheel]:
    """Return the locked wheels for these platforms and Pythons."""
    return [
        wheel
        for wheel in locked_wheels()
        if wheel.platform in platforms and any(map(wheel.runs_on, pythons))
    ]


def download(wheel: Wheel) -> Path:
    """Return the wheel's file in the user's cache, downloaded if it is not there.

    Raises BuildError when pip cannot get it or when it is not the file that was locked.
    """
    path = download_cache() / "wheels" / wheel.file_name
    if not path.is_file():
        print(f"downloading {wheel.file_name}", flush=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        # Another run may download the same: nobody must find half of a file.
        with tempfile.TemporaryDirectory(dir=path.parent) as folder:
            pip_download(
                f"{wheel.distribution}=={wheel.version}",
                Path(folder),
                python=wheel.python,
                platform_tags=wheel.platform_tags.split("."),
            )
            (Path(folder) / wheel.file_name).replace(path)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    if digest != wheel.sha256:
        path.unlink()
        raise BuildError(
            f"{wheel.file_name} has the SHA-256 {digest}, wheels.lock says {wheel.sha256}:"
            " it was deleted; run this again, and if it fails again don't trust the source."
        )
    return path


def pip_download(
    requirement: str, folder: Path, *, python: str, platform_tags: Collection[str]
) -> None:
    """Download one wheel into `folder` by pip; raise BuildError when there is none."""
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        requirement,
        "--no-deps",
        "--quiet",
        "--disable-pip-version-check",
        "--only-binary=:all:",
        "--implementation=cp",
        f"--python-version={python}",
        f"--dest={folder}",
        *(f"--platform={tag}" for tag in platform_tags),
    ]
    result = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if result.returncode != 0:
        raise BuildError(f"pip could not download {requirement}:\n{result.stdout}")
