# SPDX-License-Identifier: GPL-3.0-or-later
"""Entry point that Blender loads; the add-on itself is imported only when it is enabled."""


def register() -> None:
    """Enable the extension in Blender."""
    from . import xpbd_addon

    xpbd_addon.register()


def unregister() -> None:
    """Disable the extension in Blender."""
    from . import xpbd_addon

    xpbd_addon.unregister()
