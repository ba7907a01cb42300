# SPDX-License-Identifier: GPL-3.0-or-later
"""Presets of materials in SI units, each with the source of its values."""
