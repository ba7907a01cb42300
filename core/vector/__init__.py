# SPDX-License-Identifier: GPL-3.0-or-later
"""Vector code from plain Python: a body written on scalars runs as it is, or as SIMD machine code.

``arithmetic``     the scalar functions that a body may use, on floats or on traced numbers
``specification``  one constraint body + one update rule: what a kernel computes
``trace``          the traced number; ``emitter``, ``kernel``, ``chain``: loops over W constraints
``compiler``       LLVM: intermediate code → machine code, kept on disk
``interpreter``    the same kernels on floats, without machine code
``call``           calling a kernel by its address from numba code
``elements``       values of elements that read and move nothing
"""
