# SPDX-License-Identifier: GPL-3.0-or-later
"""Cages of tetrahedra around surfaces: how much they hold, and how smoothly they carry."""

from __future__ import annotations

import numpy as np
from naive import solids

from core.mesh.cage import Cage, SmoothCarrier, cage_of, carried, default_cell_size
from core.mesh.connected import connected
from core.mesh.surface import Polygons, triangulate

from ..report import Case, Result, Table, at_most

CELLS = (8, 16, 32)
DEFAULT = 16
PLATE = 0.04  # m
GAPS = (0.2, 0.01, 0.0)  # cells
BEND, TWIST = 1.2, 0.8  # 1/m, rad/m

CUBE = solids.box((-1.0, -1.0, -1.0), (1.0, 1.0, 1.0))
INNER = solids.box((-0.5, -0.5, -0.5), (0.5, 0.5, 0.5))
BALL, TORUS = solids.ball(96), solids.torus(1.0, 0.4)
SHAPES = {
    "a cube, turned": (solids.turned(CUBE), 8.0),
    "the same, normals inwards": (solids.reversed_faces(solids.turned(CUBE)), 8.0),
    "a cube with a hollow": (solids.joined(CUBE, solids.reversed_faces(INNER)), 7.0),
    "two cubes that overlap": (
        solids.joined(CUBE, solids.box((0.0, -1.0, -1.0), (2.0, 1.0, 1.0))),
        12.0,
    ),
    "a ball": (BALL, solids.volume(BALL)),
    "a torus": (TORUS, solids.volume(TORUS)),
}
PLATES = {
    "a plate 2% thick": solids.box((0.0, 0.0, 0.0), (2.0, 2.0, PLATE)),
    "the same, turned": solids.turned(solids.box((0.0, 0.0, 0.0), (2.0, 2.0, PLATE))),
}

SHOWS = (
    "A soft body is simulated by a cage: tetrahedra of a body-centred cubic lattice "
    "(`core.mesh.cage`) that count as far as they are filled by what is inside of the surface. "
    "Shown is how much all of them hold, against the surface's own volume, in cells of a part of "
    "the object's longest side; that parts which lie in the same cells without being joined have "
    "tetrahedra of their own (Molino, Bao and Fedkiw 2004); and how smoothly a surface is shown "
    f"that its cage carries: a ball of radius 1 m, twisted by {TWIST:g} rad/m and bent to a "
    f"curvature of {BEND:g}/m, the nodes exactly, by linear weights and by Phong deformation "
    "(James 2020)."
)


def run() -> Result:
    """Volumes, gaps and normals."""
    result = Result()
    _volumes(result)
    _gaps(result)
    _normals(result)
    return result


def _cage(mesh: solids.Mesh, cells: float) -> Cage:
    return cage_of(mesh[0], mesh[1], default_cell_size(mesh[0]) * DEFAULT / cells)


def _volumes(result: Result) -> None:
    columns = ("shape", *(f"{cells} cells: tetrahedra; volume off (%)" for cells in CELLS))
    table = Table("What cages hold", columns)
    off: dict[str, float] = {}
    wanted = SHAPES | {name: (mesh, 4.0 * PLATE) for name, mesh in PLATES.items()}
    for name, (mesh, volume) in wanted.items():
        cages = [_cage(mesh, cells) for cells in CELLS]
        errors = [100.0 * (cage.volumes.sum() / volume - 1.0) for cage in cages]
        off[name] = abs(errors[CELLS.index(DEFAULT)])
        counts = [len(cage.tetrahedra) for cage in cages]
        cells = [f"{n:,}; {e:+.2f}" for n, e in zip(counts, errors, strict=True)]
        table.rows.append((name, *cells))
    result.tables.append(table)
    result.checks.append(
        at_most(
            f"volume off with {DEFAULT} cells, all shapes but plates",
            max(off[name] for name in SHAPES), 1.0, "%", "a weight that nobody sees",
        )
    )  # fmt: skip
    result.checks.append(
        at_most(
            f"volume off with {DEFAULT} cells, plates of a third of a cell",
            max(off[name] for name in PLATES), 4.0, "%", "thin parts must not be lost",
        )
    )  # fmt: skip


def _gaps(result: Result) -> None:
    """Two boxes that nearly touch."""
    size, joined = 1.0 / 8.0, 0
    for gap in GAPS:
        other = solids.box((1.0 + gap * size, 0.1, 0.0), (2.0, 1.0, 1.0))
        mesh = solids.joined(solids.box((0.0, 0.0, 0.0), (1.0, 1.0, 1.0)), other)
        for each in (mesh, solids.turned(mesh)):
            cage = cage_of(each[0], each[1], size)
            part = connected([cage.tetrahedra], np.ones(len(cage.positions), np.bool_))
            joined += len(np.unique(part)) != 2
    words = ", ".join(f"{gap:g}" for gap in GAPS)
    what = f"pairs of boxes glued together, {words} cells apart, along the lattice and turned"
    result.checks.append(at_most(what, joined, 0, "", "lips and fingers must part"))


def _normals(result: Result) -> None:
    table = Table(
        "A ball, twisted and bent",
        ("cells", "linear: normals rms (°)", "position rms (% of the size)",
         "Phong: normals rms (°)", "position rms (% of the size)"),
    )  # fmt: skip
    triangles = triangulate(BALL[0], Polygons.of(BALL[1][:-2]))
    for cells in CELLS:
        cage = _cage(BALL, cells)
        nodes = _bent(cage.positions)
        linear = _errors(carried(cage, nodes), triangles)
        smooth = _errors(SmoothCarrier(cage).carried(nodes), triangles)
        table.rows.append((cells, *linear, *smooth))
        if cells == DEFAULT:
            what = f"normals of the surface as shown, {cells} cells, rms"
            reason = "an edge that smooth shading hides"
            result.checks.append(at_most(what, smooth[0], 1.5, "°", reason))
    result.tables.append(table)


def _bent(points: solids.Array) -> solids.Array:
    x, y, z = points.T
    x, y = (
        np.cos(TWIST * z) * x - np.sin(TWIST * z) * y,
        np.sin(TWIST * z) * x + np.cos(TWIST * z) * y,
    )
    away = 1.0 / BEND - x
    along = [1.0 / BEND - away * np.cos(BEND * z), y, away * np.sin(BEND * z)]
    return np.stack(along, axis=1)


def _errors(shown: solids.Array, triangles: solids.Array) -> tuple[float, float]:
    """Errors of normals [°] and of positions [% of the diameter], rms."""
    exact = _bent(BALL[0])
    cosines = (_unit_normals(shown, triangles) * _unit_normals(exact, triangles)).sum(axis=1)
    angles = np.degrees(np.arccos(np.clip(cosines, -1.0, 1.0)))
    off = np.sqrt(((shown - exact) ** 2).sum(axis=1).mean())
    return float(np.sqrt((angles**2).mean())), float(100.0 * off / 2.0)


def _unit_normals(positions: solids.Array, triangles: solids.Array) -> solids.Array:
    a, b, c = positions[triangles].transpose(1, 0, 2)
    normals = np.cross(b - a, c - a)
    return normals / np.linalg.norm(normals, axis=1, keepdims=True)


CASE = Case("soft_cage", "Cages of soft bodies", SHOWS, run, order=95)
