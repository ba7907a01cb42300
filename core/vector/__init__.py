# SPDX-License-Identifier: GPL-3.0-or-later
"""Vector code from plain Python: a body written on scalars runs as it is, or as SIMD machine code.

``arithmetic``     the scalar functions that a body may use, on floats or on traced numbers
``rotation``       the nearest rotation of a matrix, written in it
``specification``  one constraint body + one update rule: what a kernel computes
``trace``          numbers that write instructions down instead of computing
``emitter``        what kernels share: their signature, loops, loading and storing W particles
``kernel``         a loop over blocks of W constraints
``chain``          loops along W chains of constraints
``recurrence``     a loop along W rows, each of which depends on those before
``compiler``       LLVM: intermediate code → machine code, kept on disk
``interpreter``    the same kernels on floats, without machine code
``call``           calling a kernel by its address from numba code
``elements``       kernels over elements that read and move nothing
``overlap``        which of eight boxes overlap another
``extent``         the box around rows
"""
