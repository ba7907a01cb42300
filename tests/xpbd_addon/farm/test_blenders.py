# SPDX-License-Identifier: GPL-3.0-or-later
"""Blenders side by side share the cores, unless the user says how many threads each takes."""

from __future__ import annotations

import pytest
from playing import addon


def test_they_share_the_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    blenders = addon.farm.blenders
    monkeypatch.setattr(blenders, "cores", lambda: 6)
    monkeypatch.delenv("XPBD_THREADS", raising=False)
    assert "XPBD_THREADS" not in blenders.variables(1)
    found = [blenders.variables(count)["XPBD_THREADS"] for count in (2, 3, 4, 9)]
    assert found == ["3", "2", "1", "1"]
    monkeypatch.setenv("XPBD_THREADS", "4")
    assert [blenders.variables(count)["XPBD_THREADS"] for count in (1, 2)] == ["4", "4"]
