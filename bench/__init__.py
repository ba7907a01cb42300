# SPDX-License-Identifier: GPL-3.0-or-later
"""What the simulation costs, beside Blender's own: `python build.py bench`, never a timed test.

Two things that are compared run in turn in one session (A B A B), and medians are compared: only
the ratios mean something on another computer.

Scenes of contact have a command of their own, ``python -m bench.contact_run``, and their judge
among the references of ``tests/naive``.
"""

import sys
from pathlib import Path

_TESTS = str(Path(__file__).resolve().parent.parent / "tests")

if _TESTS not in sys.path:
    sys.path.append(_TESTS)
