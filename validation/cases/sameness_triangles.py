# SPDX-License-Identifier: GPL-3.0-or-later
"""The same cloth on meshes of triangles, even and uneven ones."""

from __future__ import annotations

from ..report import Case, Check, Result, Table, at_most, number
from ..sameness_sheet import (
    FAR,
    IN_WORDS,
    PINNINGS,
    SAG,
    SAG_SEEN,
    STRAIN,
    STRAIN_ALLOWED,
    Hung,
    Mesh,
    Pinning,
    hung_by_default,
    spread,
)

MESHES: dict[Mesh, str] = {
    "quads": "quads",
    "triangles": "quads cut in two",
    "irregular": "irregular triangles",
}
SIDES: dict[tuple[Mesh, Pinning], tuple[int, ...]] = {
    ("quads", "patches"): (32, 64, 128),
    ("triangles", "patches"): (32, 64, 128),
    ("irregular", "patches"): (32, 64, 128),
    ("quads", "points"): (32, 64, 128),
    ("triangles", "points"): (32, 64, 128),
    ("irregular", "points"): (32, 64),
}

LARGEST = 4.5  # %
MOST = 99.9
"""Percentile: a thousandth of what holds lengths may be stretched by more than is allowed."""

SHOWS = (
    f"{IN_WORDS}. The default settings on {', '.join(MESHES.values())}; in the irregular mesh "
    "vertices are moved by up to a quarter of a cell and diagonals run either way. Strain is that "
    "of warp and weft in each triangle, a measure that is the same on every mesh: edges that run "
    "across the yarns are lengthened by shear too, which cotton hardly resists. Far from the "
    f"pins means farther than {FAR:g} m."
)


def run() -> Result:
    """Hang all meshes at all resolutions."""
    found = {
        (mesh, how): [hung_by_default(side, how, mesh) for side in sides]
        for (mesh, how), sides in SIDES.items()
    }
    table = Table(
        "Lowest point, strain in the end, substeps chosen",
        (
            "hanging by",
            "mesh",
            "vertices",
            "lowest point (m)",
            "warp and weft far from pins (%)",
            f"{MOST:g}th percentile (%)",
            "any edge far from pins (%)",
            "substeps × iterations",
            "ms a frame, one thread",
        ),
        [
            (
                PINNINGS[how],
                MESHES[mesh],
                f"{side}²",
                round(state.low, 4),
                state.far_yarn_strain(),
                state.far_yarn_strain(MOST),
                state.far_strain,
                state.effort,
                state.milliseconds,
            )
            for (mesh, how), states in found.items()
            for side, state in zip(SIDES[mesh, how], states)
        ],
    )
    return Result(tables=[table], checks=_checks(found), findings=[_finding(found)])


def _checks(found: dict[tuple[Mesh, Pinning], list[Hung]]) -> list[Check]:
    checks = []
    for how in ("patches", "points"):
        lows = [
            state.low for (_, other), states in found.items() if other == how for state in states
        ]
        checks.append(
            at_most(
                f"{PINNINGS[how]}: lowest point, all meshes and resolutions, differs by",
                spread(lows),
                SAG,
                "% of the height",
                SAG_SEEN,
            )
        )
    single = (
        f"half as much again as the {STRAIN:g}% that is allowed to be left: the worst triangle of "
        "an irregular mesh is a single sliver"
    )
    for mesh, name in MESHES.items():
        even = mesh != "irregular"
        checks += [
            at_most(
                f"{PINNINGS['patches']}, {name}: {what} of warp and weft far from the pins",
                max(state.far_yarn_strain(share) for state in found[mesh, "patches"]),
                bound,
                "%",
                reason,
            )
            for what, share, bound, reason in (
                (f"{MOST:g}th percentile of the strain", MOST, STRAIN, STRAIN_ALLOWED),
                ("largest strain", 100.0, STRAIN, STRAIN_ALLOWED)
                if even
                else ("largest strain", 100.0, LARGEST, single),
            )
        ]
    return checks


def _finding(found: dict[tuple[Mesh, Pinning], list[Hung]]) -> str:
    cost = {
        mesh: found[mesh, "patches"][1].milliseconds / found["quads", "patches"][1].milliseconds
        for mesh in MESHES
    }
    return (
        "Triangles that are halves of near-rectangles are paired into quads again, whose chains "
        "are solved at once, so that they cost "
        f"{number(cost['triangles'], 2)} times as much as quads at "
        f"{SIDES['quads', 'patches'][1]}². "
        "Irregular ones have no straight chains and need more: "
        f"{number(cost['irregular'], 2)} times as much."
    )


CASE = Case("sameness_triangles", "The same cloth on meshes of triangles", SHOWS, run, order=3)
