# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints arranged for the kernels: groups, colours, chains, batches of blocks, programs.

``group``     constraints of one kind, from what a caller gives
``coloring``  which constraints, or chains of them, share no particle
``chains``    links that go on in each other
``batches``   a group in blocks of W lanes, batch after batch
``layout``    all groups of a model in batches, from which programs are made
``program``   the arrays that the kernels of one kind of sweep see
``sums``      constraints that are sums over elements, such as a volume
"""
