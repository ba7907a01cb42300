# SPDX-License-Identifier: GPL-3.0-or-later
"""A folder holding a complete Debian with Blender, Xvfb and software OpenGL ("root").

`prepare` makes one (about a minute to three, 1.2 GB, kept for the next time) or reuses a good one;
`command` builds the line that runs something inside it. Suites tried: trixie (Blender 4.3,
Python 3.13) and sid (Blender 5.2, Python 3.14).
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

WORK = "/tmp/work"  # where the caller's working folder appears inside the root
TOOLS = "/tmp/tools"  # where this folder of test scripts appears inside the root
PACKAGES = (
    "blender,xvfb,libgl1,libegl1,libglx-mesa0,libegl-mesa0,libgl1-mesa-dri,imagemagick,"
    "python3-numpy,python3-requests,procps"
)
# Blender 5.2's extension system does not start without cattr.
EXTRA_PACKAGES = {"trixie": "", "sid": ",python3-cattr"}
LEFT_OUT = ("doc", "man", "locale")
MIRROR = "http://deb.debian.org/debian"


class UnavailableError(Exception):
    """No Blender with a window can be had here; the message says why in one sentence."""


def say(message: str) -> None:
    """One line of progress, at once."""
    sys.stdout.write(message + "\n")
    sys.stdout.flush()


def prepare(suite: str, given: Path | None) -> Path:
    """Return the folder of a root whose Blender runs, making it if needed.

    Raises UnavailableError where none can be made, ValueError if `given` is set and does not run.
    """
    if sys.platform != "linux":
        raise UnavailableError(f"a Blender root can be made on Linux only, not on {sys.platform}")
    _need_tool("bwrap", "bubblewrap")
    if given is not None:
        if not _runs(given):
            raise ValueError(f"the Blender in XPBD_UI_ROOT={given} does not run")
        return given
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = cache / "xpbd-build" / "roots" / suite
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_name(suite + ".lock").open("w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not _runs(folder):
            _make(suite, folder)
    return folder


def command(root: Path, work: Path, arguments: list[str]) -> list[str]:
    """The line that runs `arguments` inside `root`: no network, the root itself read-only.

    `work` appears as WORK and is the only place that outlives the run.
    """
    tools = Path(__file__).resolve().parent
    return [
        "bwrap", "--ro-bind", str(root), "/", "--dev", "/dev", "--proc", "/proc",
        "--tmpfs", "/dev/shm", "--tmpfs", "/tmp", "--tmpfs", "/run",
        "--bind", str(work), WORK, "--ro-bind", str(tools), TOOLS,
        "--unshare-pid", "--unshare-net", "--die-with-parent", "--clearenv",
        "--setenv", "HOME", "/tmp", "--setenv", "LANG", "C.UTF-8",
        "--setenv", "PATH", "/usr/sbin:/usr/bin:/sbin:/bin",
        *arguments,
    ]  # fmt: skip


def versions(root: Path) -> tuple[str, str]:
    """Blender's version ("4.3.2") and its Python's wheel tag ("cp313") in `root`."""
    blender = _output(root, ["blender", "--version"])
    found = re.search(r"Blender (\d+\.\d+\.\d+)", blender)
    if found is None:
        raise ValueError(f"{root}: no version in what Blender printed: {blender[:200]!r}")
    tag = "import sys; print('cp%d%d' % sys.version_info[:2])"
    return found.group(1), _output(root, ["python3", "-c", tag]).strip()


def _output(root: Path, arguments: list[str]) -> str:
    """What `arguments` prints inside `root`; ValueError if it fails."""
    line = command(root, Path(__file__).resolve().parent, arguments)
    done = subprocess.run(line, capture_output=True, text=True, timeout=120)
    if done.returncode:
        raise ValueError(f"`{' '.join(arguments)}` failed there: {done.stderr.strip()[-300:]}")
    return done.stdout


def _runs(root: Path) -> bool:
    if not (root / "usr/bin/blender").exists():
        return False
    try:
        versions(root)
    except (ValueError, subprocess.TimeoutExpired) as error:
        say(f"{root} is of no use: {error}")
        return False
    return True


def _need_tool(tool: str, *packages: str) -> None:
    """Install Debian's or Ubuntu's `packages` unless their `tool` is there already."""
    if shutil.which(tool):
        return
    if shutil.which("apt-get") is None:
        raise UnavailableError(f"{tool} is missing and there is no apt-get to install it")
    if os.geteuid() != 0:
        raise UnavailableError(f"{tool} is missing and only root can install it")
    install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages]
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for line in (["apt-get", "update", "-qq"], install):
        _succeed(line, 300, environment)


def _make(suite: str, folder: Path) -> None:
    """Unpack Debian's packages into `folder`, which appears only when complete."""
    if os.geteuid() != 0:
        raise UnavailableError("only root can make a Blender root (set XPBD_UI_ROOT to one)")
    _need_tool("mmdebstrap", "mmdebstrap", "debian-archive-keyring")
    partial = folder.with_name(suite + ".partial")
    for stale in (partial, folder):
        if stale.exists():
            shutil.rmtree(stale)
    say(f"making a root with Debian {suite}'s Blender in {folder} (a minute to three)")
    options = ['Acquire::Check-Valid-Until "false"', 'APT::Install-Recommends "false"',
               'Acquire::Languages "none"']  # fmt: skip
    line = [
        "mmdebstrap", "--mode=root", "--variant=essential", "--quiet",
        "--include=" + PACKAGES + EXTRA_PACKAGES[suite],
        *(f"--aptopt={option}" for option in options),
        *(f"--dpkgopt=path-exclude=/usr/share/{name}/*" for name in LEFT_OUT),
        suite, str(partial), f"deb {_mirror()} {suite} main",
    ]  # fmt: skip
    _succeed(line, 900)
    mounts = partial / "etc/mtab"  # Blender warns without it
    mounts.unlink(missing_ok=True)
    mounts.symlink_to("/proc/mounts")
    partial.rename(folder)
    if not _runs(folder):
        raise UnavailableError(f"the Blender just put into {folder} does not run here")


def _succeed(line: list[str], limit: float, environment: dict[str, str] | None = None) -> None:
    """Run `line` quietly; UnavailableError with its last words if it fails or takes `limit` s."""
    try:
        done = subprocess.run(line, env=environment, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired as error:
        raise UnavailableError(f"{line[0]} did not end within {limit:.0f} s") from error
    if done.returncode:
        raise UnavailableError(f"`{' '.join(line[:2])} ...` failed:\n{done.stderr.strip()[-1500:]}")


def _mirror() -> str:
    """The Debian mirror this machine uses, else the public one."""
    sources = Path("/etc/apt/sources.list.d/debian.sources")
    if sources.exists():
        found = re.search(r"^URIs: *(\S+)", sources.read_text(encoding="utf-8"), re.MULTILINE)
        if found:
            return found.group(1)
    return MIRROR
