# SPDX-License-Identifier: GPL-3.0-or-later
"""Cores: processors that share one count once, and only those that this process may use."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from core.native import cores

cores_now = cores.cores.__wrapped__


@pytest.mark.skipif(sys.platform != "linux", reason="Linux tells of siblings")
def test_processors_that_share_a_core_count_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for processor in range(8):
        (tmp_path / str(processor)).write_text(f"{processor % 4},{processor % 4 + 4}")
    monkeypatch.setattr(cores, "_SIBLINGS", str(tmp_path / "{}"))
    for allowed, expected in (({*range(8)}, 4), ({0, 4}, 1), ({0, 1, 5}, 2)):
        monkeypatch.setattr(os, "sched_getaffinity", lambda _, allowed=allowed: allowed)
        assert cores_now() == expected


def test_half_of_the_processors_where_nothing_tells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cores, "_SIBLINGS", str(tmp_path / "{}"))
    for processors, expected in ((12, 6), (1, 1), (None, 1)):
        monkeypatch.setattr(os, "cpu_count", lambda processors=processors: processors)
        assert cores_now() == expected
