# SPDX-License-Identifier: GPL-3.0-or-later
"""Libraries that the benchmark compares with: extras, in environments of their own."""

from pathlib import Path

from .environments import extra_environment
from .project import BuildError

_ENVIRONMENTS = {
    ("warp", "newton"): ("newton==1.8.0", "warp-lang==1.19.0", "numpy==2.3.4"),
    ("pypbd",): ("pypbd==2.2.2", "numpy==2.3.4"),
}
_PYTHONS = ("3.11", "3.12")


def peer_environments() -> dict[str, Path]:
    """Return an interpreter for each library, by name; says which ones can't be installed."""
    found: dict[str, Path] = {}
    for libraries, requirements in _ENVIRONMENTS.items():
        try:
            python = extra_environment(f"bench-{libraries[0]}", _PYTHONS, requirements)
        except BuildError as error:
            reason = str(error).strip().splitlines()[-1]
            print(f"{' and '.join(libraries)} can't be compared with: {reason}", flush=True)
            continue
        found |= dict.fromkeys(libraries, python)
    return found
