# SPDX-License-Identifier: GPL-3.0-or-later
"""What makes numba compile fast and run on several threads.

``compiled``      the decorators ``native`` and ``native_part``
``cache``         where compiled code is kept
``by_address``    the decorator of named tuples that native code gets by their address
``fence``         whether numba's internals work, without which the three do the same in a plain way
``trial``         a small sum by which the fence finds out
``parts``, ``address_type``  what rests on numba's internals; nothing else does
``rows``          rows of an array as flat numbers, in native code
``lanes``         the four numbers of a row as one vector, in native code
``threads``       one native function on several threads; ``cores``: how many there are
``team``          these threads as each of them sees them
``barrier``       where they wait for each other
"""
