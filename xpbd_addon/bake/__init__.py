# SPDX-License-Identifier: GPL-3.0-or-later
"""Baking to shape keys, and back."""
