# SPDX-License-Identifier: GPL-3.0-or-later
"""A Blender of our own: fresh home and user folders, with the extension installed from its zip."""

import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from .environments import blender_environment, clean_variables
from .project import BLENDERS, RUNNING_PYTHON, SCRATCH, Blender, BuildError
from .pythons import find_python

_INSTALLER = Path(__file__).with_name("install_extension.py")


@dataclass(frozen=True)
class IsolatedBlender:
    """An interpreter that can `import bpy`, and the variables to start it with."""

    python: Path
    variables: dict[str, str]


@contextmanager
def isolated_blender(blender: Blender, archive: Path) -> Iterator[IsolatedBlender]:
    """Yield a Blender with `archive` installed and nothing of the user's; removed afterwards.

    The extension is installed but not enabled: each new process enables it itself. Raises
    BuildError when Blender refuses the zip.
    """
    python = blender_environment(blender)
    SCRATCH.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(
        prefix=f"blender-{blender.name}-", dir=SCRATCH, ignore_cleanup_errors=True
    ) as folder:
        place = IsolatedBlender(python, clean_variables(_variables(Path(folder))))
        _install(place, archive)
        yield place


def runnable_blenders() -> list[Blender]:
    """Return the Blenders for which this machine has a Python, oldest first."""
    return [blender for blender in BLENDERS if find_python(blender.python)]


def best_blender() -> Blender:
    """Return the newest Blender of the running Python, else the newest of any Python here."""
    runnable = runnable_blenders()
    if not runnable:
        wanted = " or ".join(sorted({blender.python for blender in BLENDERS}))
        raise BuildError(f"Blender needs Python {wanted}, and none was found on this machine.")
    return max(
        runnable, key=lambda blender: (blender.python == RUNNING_PYTHON, BLENDERS.index(blender))
    )


def blender_named(name: str) -> Blender:
    """Return the Blender called `name` ("4.2"); raise BuildError for any other."""
    for blender in BLENDERS:
        if blender.name == name:
            return blender
    known = ", ".join(blender.name for blender in BLENDERS)
    raise BuildError(f"Blender {name} is not among those tested: {known}.")


def _variables(folder: Path) -> dict[str, str]:
    home, user, compiled = folder / "home", folder / "user", folder / "compiled"
    for made in (home, user, compiled):
        made.mkdir()
    return {
        "HOME": str(home),
        "USERPROFILE": str(home),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "BLENDER_USER_RESOURCES": str(user),
        "NUMBA_CACHE_DIR": str(compiled),
    }


def _install(place: IsolatedBlender, archive: Path) -> None:
    result = subprocess.run(
        [place.python, _INSTALLER, archive],
        env=place.variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if result.returncode != 0:
        raise BuildError(f"Blender could not install {archive.name}:\n{result.stdout}")
