# SPDX-License-Identifier: GPL-3.0-or-later
"""An order of vertices in which those that share an element stand close together.

Reverse Cuthill–McKee (Cuthill, McKee 1969, "Reducing the bandwidth of sparse symmetric matrices";
George, Liu 1981, *Computer Solution of Large Sparse Positive Definite Systems*, chapter 4): breadth
first from a vertex at an end, neighbours of few elements first, then all of it backward. Parts that
don't hang together are found on the way, in the order in which they are laid out.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..mesh.incidence import grouped
from ..native.compiled import native, native_part

Indices = NDArray[np.int64]


def reverse_cuthill_mckee(
    vertices: Indices, elements: Indices, vertex_count: int, element_count: int
) -> tuple[Indices, Indices]:
    """Order the vertices of elements; parts that don't hang together follow each other.

    Args:
        vertices, elements: pairs of a vertex and an element that it belongs to, shape (m,) each.
        vertex_count, element_count: how many there are.

    Returns:
        The place of each vertex, and the number of the part that it belongs to; both are -1 for a
        vertex that belongs to no element. Numbers of parts rise with the place.
    """
    element_starts, element_vertices = grouped(elements, vertices, element_count)
    vertex_starts, vertex_elements = grouped(vertices, elements, vertex_count)
    order = np.empty(vertex_count, np.int64)
    parts = np.full(vertex_count, -1, np.int64)
    count = _order_all(
        element_starts, element_vertices, vertex_starts, vertex_elements, order, parts
    )
    places = np.full(vertex_count, -1, np.int64)
    places[order[:count]] = np.arange(count)[::-1]
    parts[parts >= 0] = parts.max(initial=0) - parts[parts >= 0]
    return places, parts


@native
def _order_all(element_starts, element_vertices, vertex_starts, vertex_elements, order, parts):  # type: ignore[no-untyped-def]
    """Fill ``order`` and ``parts``; returns how many vertices belong to elements.

    The vertex found last from anywhere is at an end: from there begins the search that counts.
    """
    vertex_marks = np.zeros(len(vertex_starts) - 1, np.int8)
    element_marks = np.zeros(len(element_starts) - 1, np.int8)
    first, part = 0, 0
    for vertex in range(len(vertex_marks)):
        if vertex_marks[vertex] != 0 or vertex_starts[vertex] == vertex_starts[vertex + 1]:
            continue
        start = vertex
        for mark in (1, 2):
            last = _search(
                start, mark, element_starts, element_vertices, vertex_starts, vertex_elements,
                vertex_marks, element_marks, order, first,
            )  # fmt: skip
            start = order[last - 1]
        for place in range(first, last):
            parts[order[place]] = part
        first, part = last, part + 1
    return first


@native_part
def _search(  # type: ignore[no-untyped-def]
    start, mark, element_starts, element_vertices, vertex_starts, vertex_elements,
    vertex_marks, element_marks, order, first,
):  # fmt: skip
    """Breadth first from a vertex into ``order`` from ``first`` on; returns where it ends."""
    order[first], vertex_marks[start] = start, mark
    head, tail = first, first + 1
    while head < tail:
        vertex, chunk = order[head], tail
        head += 1
        for place in range(vertex_starts[vertex], vertex_starts[vertex + 1]):
            element = vertex_elements[place]
            if element_marks[element] == mark:
                continue
            element_marks[element] = mark
            for corner in range(element_starts[element], element_starts[element + 1]):
                other = element_vertices[corner]
                if vertex_marks[other] == mark:
                    continue
                vertex_marks[other] = mark
                degree = vertex_starts[other + 1] - vertex_starts[other]
                hole = tail
                while hole > chunk:
                    before = order[hole - 1]
                    if vertex_starts[before + 1] - vertex_starts[before] <= degree:
                        break
                    order[hole] = before
                    hole -= 1
                order[hole] = other
                tail += 1
    return tail
