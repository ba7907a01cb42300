# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulating: sessions with their caches, long jobs, the live solver."""
