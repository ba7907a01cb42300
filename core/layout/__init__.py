# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints arranged for the kernels: groups, colours, chains, batches of blocks, programs."""
