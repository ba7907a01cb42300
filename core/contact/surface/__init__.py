# SPDX-License-Identifier: GPL-3.0-or-later
"""The contact surface: what can touch is found, kept apart, and led out where it crosses."""
