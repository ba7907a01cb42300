# SPDX-License-Identifier: GPL-3.0-or-later
"""What is simulated: a shape and a material in SI units become particles and constraints."""
