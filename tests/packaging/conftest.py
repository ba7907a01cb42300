# SPDX-License-Identifier: GPL-3.0-or-later
"""The zips under test: those that `python build.py test` just built, else one built here."""

import os
from pathlib import Path

import pytest

from build_tasks.packaging import build_zips, host_platform


@pytest.fixture(scope="session")
def zips(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The built zips, one a platform."""
    if folder := os.environ.get("XPBD_ZIPS"):
        return sorted(Path(folder).glob("*.zip"))
    return build_zips(tmp_path_factory.mktemp("zips"), (host_platform(),))
