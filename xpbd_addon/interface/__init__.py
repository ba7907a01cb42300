# SPDX-License-Identifier: GPL-3.0-or-later
"""What users press and read: panels, operators, presets, the command line."""
