# SPDX-License-Identifier: GPL-3.0-or-later
"""Showing what is cached."""
