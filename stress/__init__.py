# SPDX-License-Identifier: GPL-3.0-or-later
"""A long campaign against what is to survive anything: ``python build.py stress``."""
