# SPDX-License-Identifier: GPL-3.0-or-later
"""What the simulation costs, beside Blender's own: `python build.py bench`, never a timed test.

Two things that are compared run in turn in one session (A B A B), and medians are compared: only
the ratios mean something on another computer.
"""
