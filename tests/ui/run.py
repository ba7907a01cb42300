# SPDX-License-Identifier: GPL-3.0-or-later
"""The end-to-end test in a live Blender window, for machines without a screen.

    python tests/ui/run.py --zip dist/xpbd-0.1.0-linux-x64.zip [--suite trixie|sid]

Makes a root with Debian's Blender once (see blender_root.py; XPBD_UI_ROOT names one to use
instead), installs the zip there from the command line, and lets the scripts work in Blender's
window with mouse and keys. Screenshots go to `--shots`: look at them.

Exit status: 0 passed, 1 failed, 77 skipped because no such Blender can be had here.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Sequence
from pathlib import Path

from blender_root import TOOLS, WORK, UnavailableError, command, prepare, say, versions

SKIPPED = 77
# Each in a Blender of its own, one user folder.
SCRIPTS = ("scenario.py", "scenario_reopen.py", "scenario_shown.py", "scenario_grab.py")
LIMIT = 480  # seconds for one script
SCREEN = (1600, 1000)
BLENDER_SETTINGS = f"BLENDER_USER_RESOURCES={WORK}/user"


def main() -> int:
    options = parse()
    started = time.monotonic()
    given = os.environ.get("XPBD_UI_ROOT")
    try:
        root = prepare(options.suite, Path(given) if given else None)
        blender, python = versions(root)
        need_wheels(options.zip, python)
    except UnavailableError as reason:
        say(f"UI test SKIPPED: {reason}")
        return SKIPPED
    except ValueError as error:
        say(f"UI test FAILED: {error}")
        return 1
    say(f"Blender {blender} ({python}) in {root}, {time.monotonic() - started:.0f} s")
    options.shots.mkdir(parents=True, exist_ok=True)
    for old in options.shots.glob("*.png"):
        old.unlink()
    with tempfile.TemporaryDirectory(prefix="xpbd-ui-") as folder:
        passed = test(root, Path(folder), options.zip, options.script or SCRIPTS)
        for shot in sorted(Path(folder).glob("*.png")):
            shutil.copy(shot, options.shots)
    verdict = "passed" if passed else "FAILED"
    say(f"UI test {verdict} in Blender {blender}, {time.monotonic() - started:.0f} s; "
        f"screenshots in {options.shots}")  # fmt: skip
    return 0 if passed else 1


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--zip", type=Path, required=True, help="the extension to install")
    parser.add_argument("--suite", choices=("trixie", "sid"), default="trixie")
    parser.add_argument("--shots", type=Path, default=Path("dist/ui"))
    parser.add_argument("--script", action="append", help="only this file beside this one")
    options = parser.parse_args()
    if not options.zip.is_file():
        parser.error(f"{options.zip} is missing: run `python build.py zip` first")
    return options


def need_wheels(archive: Path, python: str) -> None:
    """Raise UnavailableError unless `archive` carries a numba wheel for `python` ("cp313")."""
    with zipfile.ZipFile(archive) as content:
        names = content.namelist()
    tags = sorted({t for n in names for t in re.findall(r"/numba-[^/]*?-(cp\d+)-", "/" + n)})
    if python not in tags:
        raise UnavailableError(f"{archive.name} has numba for {', '.join(tags) or 'no Python'}, "
                          f"this Blender runs {python}")  # fmt: skip


def test(root: Path, work: Path, archive: Path, scripts: Sequence[str]) -> bool:
    """Install `archive` into a fresh user folder under `work` and run each of `scripts`."""
    (work / "user").mkdir()
    shutil.copy(archive, work / "extension.zip")
    install = ["env", BLENDER_SETTINGS, "blender", "--command", "extension", "install-file",
               "-r", "user_default", "-e", f"{WORK}/extension.zip"]  # fmt: skip
    if not succeeds(command(root, work, install), 120):
        say("the extension did not install")
        return False
    return all(succeeds(command(root, work, window_command(s)), LIMIT + 60) for s in scripts)


def window_command(script: str) -> list[str]:
    width, height = SCREEN
    return [
        "env", BLENDER_SETTINGS, f"PYTHONPATH={TOOLS}", f"SHOTS={WORK}", f"LIMIT={LIMIT}",
        f"SCREEN_SIZE={width}x{height}", "PYTHONDONTWRITEBYTECODE=1",
        "sh", f"{TOOLS}/with_screen.sh",
        "blender", "--gpu-backend", "opengl", "-p", "0", "0", str(width), str(height),
        "--python-use-system-env", "--enable-event-simulate",
        "--python-exit-code", "1", "--python", f"{TOOLS}/{script}",
    ]  # fmt: skip


def succeeds(line: list[str], limit: float) -> bool:
    try:
        return subprocess.run(line, timeout=limit).returncode == 0
    except subprocess.TimeoutExpired:
        say(f"stopped after {limit:.0f} s")
        return False


if __name__ == "__main__":
    sys.exit(main())
