# SPDX-License-Identifier: GPL-3.0-or-later
"""Topology and measures of meshes."""
