# SPDX-License-Identifier: GPL-3.0-or-later
"""What acts on particles from outside: gravity, force fields, air."""
