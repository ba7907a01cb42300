# SPDX-License-Identifier: GPL-3.0-or-later
"""Run the campaign and write its page: ``python -m stress``, from the repository's root.

The exit status is 1 where something is not as it must be.
"""

from __future__ import annotations

import argparse
import platform
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from . import again_in_blender, damages, faults, judge, kills, page, scenes

CAMPAIGNS = {
    "kills": (kills.campaign, 500),
    "faults": (faults.campaign, 300),
    "damages": (damages.campaign, 300),
    "scenes": (scenes.campaign, 10_000),
    "objects": (again_in_blender.scenes, 1000),
    "rounds": (again_in_blender.rounds, 1000),
}
"""What is done, and how often by default."""

PAGE = Path(__file__).resolve().parent.parent / "docs" / "reliability.md"


def main(arguments: Sequence[str]) -> int:
    """Run all that is asked for; return the exit status."""
    options = _parser().parse_args(arguments)
    figures, began = {}, time.monotonic()
    for name, (campaign, _) in CAMPAIGNS.items():
        with tempfile.TemporaryDirectory(prefix="xpbd-stress-") as scratch:
            try:
                figures[name] = campaign(getattr(options, name), options.seed, Path(scratch))
            except judge.Wrong as error:
                print(f"{name}: {error}", file=sys.stderr)
                return 1
        print(f"{name}: {figures[name]}", flush=True)
    minutes = (time.monotonic() - began) / 60.0
    system = f"{platform.system()}, Python {platform.python_version()}"
    said = f"Last run: {system}, seed {options.seed}, {minutes:.0f} minutes."
    page.write(options.page, figures, said)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m stress", description=__doc__)
    for name, (_, count) in CAMPAIGNS.items():
        parser.add_argument(f"--{name}", type=int, default=count, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--page", type=Path, default=PAGE)
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
