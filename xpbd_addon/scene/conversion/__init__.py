# SPDX-License-Identifier: GPL-3.0-or-later
"""From Blender's Cloth and Soft Body to XPBD, and back."""
