# SPDX-License-Identifier: GPL-3.0-or-later
"""Many simulations of one scene: variations of its settings, in processes here or on a farm."""
