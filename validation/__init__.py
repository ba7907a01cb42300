# SPDX-License-Identifier: GPL-3.0-or-later
"""The proof that the methods are right: cases that compute docs/validation.md with its plots.

Run by ``python build.py validate``. A case is one file in :mod:`validation.cases`; its references
are analytic or the slow ones of ``tests/naive``.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

if str(ROOT / "tests") not in sys.path:
    sys.path.append(str(ROOT / "tests"))
