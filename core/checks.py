# SPDX-License-Identifier: GPL-3.0-or-later
"""Turning what callers give into arrays of the right shape, or into an error that says why not.

All arrays returned are copies: later changes of the caller's do no harm.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .constraints import REGISTRY, Constraint
from .mesh.surface import MeshError

Numbers = NDArray[np.float64]


def finite(what: str, values: ArrayLike, *, columns: int) -> Numbers:
    """An array of shape (n, columns) without NaN or infinity, or a MeshError that says where."""
    array = np.array(values, np.float64)
    if array.ndim != 2 or array.shape[1] != columns:
        raise MeshError(f"{what} must have shape (n, {columns}), not {array.shape}.")
    bad = np.flatnonzero(~np.isfinite(array).all(axis=1))
    if len(bad):
        raise MeshError(f"{what}: vertex {bad[0]} is not a finite number ({len(bad)} in all).")
    return array


def spread(what: str, values: ArrayLike, shape: tuple[int, ...]) -> Numbers:
    """Values spread to a shape as numpy does, or a MeshError: they don't fit, or one is NaN."""
    array = np.asarray(values, np.float64)
    try:
        result = np.array(np.broadcast_to(array, shape))
    except ValueError:
        raise MeshError(f"{what} must fit the shape {shape}, not {array.shape}.") from None
    if np.isnan(result).any():
        raise MeshError(f"{what} must be numbers; there is a NaN among them.")
    return result


def not_negative(what: str, values: Numbers) -> Numbers:
    """The values, or a MeshError where one is negative or infinite."""
    if not np.all((values >= 0.0) & np.isfinite(values)):
        raise MeshError(f"{what} must be finite and not negative.")
    return values


def pins_of(name: str, count: int, pins: ArrayLike | None) -> NDArray[np.int64]:
    """Pinned vertices of a mesh of ``count``, sorted, or a MeshError: one doesn't exist."""
    pinned = np.unique(np.asarray([] if pins is None else pins, np.int64))
    if len(pinned) and not 0 <= pinned[0] <= pinned[-1] < count:
        raise MeshError(f"A pin of '{name}' refers to a vertex that doesn't exist.")
    return pinned


def constraint_of(kind: str) -> Constraint:
    """The registered constraint type, or a MeshError that lists them."""
    if kind not in REGISTRY:
        known = ", ".join(sorted(REGISTRY))
        raise MeshError(f"There is no constraint kind '{kind}'; there are: {known}.")
    return REGISTRY[kind]


def check_order(constraint: Constraint, order: str) -> None:
    """Raise MeshError for an order that does not exist, or not for this constraint type."""
    if order not in ("colors", "given", "chains"):
        raise MeshError(f"The order is 'colors', 'given' or 'chains', not '{order}'.")
    if order == "chains" and constraint.kind != "distance":
        raise MeshError(f"Only distances make chains, unlike '{constraint.kind}'.")


def corners_of(constraint: Constraint, indices: ArrayLike, count: int) -> NDArray[np.int64]:
    """Particles of constraints, shape (m, vertices), each one of ``count`` that exist."""
    corners = np.array(indices, np.int64)
    shape = f"(m, {constraint.vertices})"
    if corners.size == 0:
        return np.empty((0, constraint.vertices), np.int64)
    if corners.ndim != 2 or corners.shape[1] != constraint.vertices:
        raise MeshError(f"'{constraint.kind}' needs indices of shape {shape}, not {corners.shape}.")
    if not 0 <= corners.min() <= corners.max() < count:
        raise MeshError(f"'{constraint.kind}' constraints refer to particles that don't exist.")
    ordered = np.sort(corners, axis=1)
    if np.any(ordered[:, 1:] == ordered[:, :-1]):
        raise MeshError(f"A '{constraint.kind}' constraint names the same particle twice.")
    return corners


def rest_of(constraint: Constraint, rest: ArrayLike, count: int) -> Numbers:
    """Rest states, shape (m, rest_size)."""
    values = np.asarray(rest, np.float64)
    if values.ndim == 1 and constraint.rest_size == 1:
        values = values[:, None]
    return spread(f"The rest of '{constraint.kind}'", values, (count, constraint.rest_size))


def compliance_of(constraint: Constraint, compliance: ArrayLike, count: int) -> Numbers:
    """α as lower triangles, shape (m, compliance_size); see ``Model.add_constraints``."""
    what, size = f"The compliance of '{constraint.kind}'", constraint.components
    values = np.asarray(compliance, np.float64)
    if values.ndim < 2:
        blocks = spread(what, values, (count,))[:, None, None] * np.eye(size)
    else:
        blocks = spread(what, values, (count, size, size))
    not_negative(what, np.einsum("ijj->ij", blocks))
    rows, columns = np.tril_indices(size)
    return np.ascontiguousarray(blocks[:, rows, columns])


def damping_of(constraint: Constraint, damping: ArrayLike, count: int) -> Numbers:
    """Damping times [s], shape (m, components)."""
    what, values = f"The damping of '{constraint.kind}'", np.asarray(damping, np.float64)
    shape = (count, constraint.components)
    return not_negative(what, spread(what, values[:, None] if values.ndim == 1 else values, shape))
