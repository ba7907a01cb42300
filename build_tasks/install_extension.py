# SPDX-License-Identifier: GPL-3.0-or-later
"""Run by a bpy interpreter: install the extension zip named on the command line, and enable it."""

import sys

import bpy


def install(archive: str) -> None:
    """Install `archive` into the user's local repository; raise RuntimeError if it fails."""
    bpy.ops.extensions.package_install_files(
        filepath=archive, repo="user_default", enable_on_install=True
    )
    if "bl_ext.user_default.xpbd" not in bpy.context.preferences.addons:
        raise RuntimeError(f"{archive} was installed but could not be enabled")


if __name__ == "__main__":
    install(sys.argv[1])
