# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender scenes: read as arrays, and what is added to objects."""
