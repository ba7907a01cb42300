# SPDX-License-Identifier: GPL-3.0-or-later
"""Vector code from plain Python: a body written on scalars runs as it is, or as SIMD machine code.

``lanes``     the scalar functions a body may use, and the traced number they also accept
``kernel``    one constraint body + one update rule → a loop over blocks of W constraints
``compiler``  LLVM: intermediate code → machine code, kept on disk
``call``      calling a kernel by its address from numba code
"""
