# SPDX-License-Identifier: GPL-3.0-or-later
"""What `python build.py` does, one file a subject; standard library only."""
