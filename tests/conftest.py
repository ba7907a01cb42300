# SPDX-License-Identifier: GPL-3.0-or-later
"""What every test run says at its start."""

from importlib.metadata import PackageNotFoundError, version


def pytest_report_header() -> str:
    return ", ".join(f"{name} {_version(name)}" for name in ("numpy", "numba", "bpy"))


def _version(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "not installed"
