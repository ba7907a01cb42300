# SPDX-License-Identifier: GPL-3.0-or-later
"""Tasks that run one of the project's scripts in the right surroundings: demo, bench, validate."""

import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from .environments import (
    blender_environment,
    clean_variables,
    core_environment,
    validation_environment,
)
from .isolated import IsolatedBlender, isolated_blender, runnable_blenders
from .packaging import build_zips, host_platform
from .peers import peer_environments
from .project import DIST, ROOT, SCRATCH, Blender, BuildError

SCENES = {"clothes": "drape.py", "soft": "soft.py"}
"""The demo's scenes, and the scripts that make them."""


def run_demo(blender: Blender, output: Path, scene: str) -> None:
    """Make one of the demo's scenes in a Blender with the extension; BuildError if it fails."""
    output.mkdir(parents=True, exist_ok=True)
    with _installed(blender) as place:
        print(f"running the demo in Blender {blender.bpy}", flush=True)
        _run([place.python, ROOT / "demo" / SCENES[scene], output.resolve()], place.variables)
    print("The demo's files:")
    for path in sorted(path for path in output.rglob("*") if path.is_file()):
        print(f"  {path.resolve()}  ({path.stat().st_size / 1e6:.1f} MB)")


def run_bench(blender: Blender, arguments: Sequence[str]) -> None:
    """Run `python -m bench ARGUMENTS…` with numba, then draw docs/benchmark.png from its file.

    XPBD_BLENDER_PYTHON names an interpreter that can `import bpy` and has the extension
    installed, XPBD_BENCH_BPY those of all Blenders, whose own simulations it is compared with,
    XPBD_BENCH_PEERS those with other libraries. Raises BuildError if it fails.
    """
    python = core_environment(blender.python)
    blenders = [str(blender_environment(peer)) for peer in runnable_blenders()]
    named = [argument for argument in arguments if argument.isidentifier()]
    peers = peer_environments() if not named or "paper_cloth" in named else {}
    started = time.time()
    with _installed(blender) as place:
        variables = place.variables | {
            "XPBD_BLENDER_PYTHON": str(place.python),
            "XPBD_BENCH_BPY": ",".join(blenders),
            "XPBD_BENCH_PEERS": ",".join(f"{name}={path}" for name, path in peers.items()),
        }
        _run([python, "-m", "bench", *arguments], variables)
    figures = DIST / "bench.json"
    if figures.is_file() and figures.stat().st_mtime >= started:
        _run([validation_environment(), "-m", "bench.plot", figures], clean_variables({}))


def run_validation(cases: Sequence[str]) -> None:
    """Run `python -m validation`, for all cases where none is named.

    Raises BuildError when a bound fails or a case does not finish.
    """
    chosen = [f"--case={name}" for name in cases]
    SCRATCH.mkdir(exist_ok=True)
    variables = clean_variables({"NUMBA_CACHE_DIR": str(SCRATCH / "compiled-validation")})
    _run([validation_environment(), "-m", "validation", *chosen], variables)


def run_stress(blender: Blender, arguments: Sequence[str]) -> None:
    """Run `python -m stress ARGUMENTS…` with numba, and a Blender with the extension.

    XPBD_BLENDER_PYTHON names that one. Raises BuildError where something is wrong.
    """
    python = core_environment(blender.python)
    with _installed(blender) as place:
        compiled = {"NUMBA_CACHE_DIR": str(SCRATCH / "compiled-stress")}
        variables = place.variables | compiled | {"XPBD_BLENDER_PYTHON": str(place.python)}
        _run([python, "-m", "stress", *arguments], variables)


@contextmanager
def _installed(blender: Blender) -> Iterator[IsolatedBlender]:
    SCRATCH.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="script-", dir=SCRATCH) as folder:
        print("building and installing the extension", flush=True)
        (archive,) = build_zips(Path(folder), (host_platform(),))
        with isolated_blender(blender, archive) as place:
            yield place


def _run(command: Sequence[str | Path], variables: dict[str, str]) -> None:
    result = subprocess.run(command, cwd=ROOT, env=variables, check=False)
    if result.returncode != 0:
        line = " ".join(str(part) for part in command)
        raise BuildError(f"{line} ended with status {result.returncode}.")
