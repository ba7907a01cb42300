# SPDX-License-Identifier: GPL-3.0-or-later
"""One look for all plots: 8 inches wide, read at 800 pixels, told apart without colours."""

from __future__ import annotations

from typing import Any

import matplotlib
import numpy as np
from matplotlib.figure import Figure

WIDTH = 8.0
"""Inches; a picture has 1200 pixels across and is shown at about 800."""

COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
"""Okabe and Ito's palette, which colour-blind people tell apart."""

DASHES: tuple[Any, ...] = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 1)))
"""A line style to go with each colour."""

MARKERS = ("o", "s", "^", "D", "v", "P")

REFERENCE: dict[str, Any] = {"color": "black", "linewidth": 2.6, "alpha": 0.35, "zorder": 1}
"""How the reference is drawn: a wide grey line below the others."""

matplotlib.rcParams.update(
    {
        "axes.grid": True,
        "axes.labelsize": 10,
        "axes.spines.right": False,
        "axes.spines.top": False,
        "axes.titlesize": 11,
        "figure.dpi": 100,
        "font.family": "DejaVu Sans",
        "font.size": 10,
        "grid.alpha": 0.25,
        "legend.fontsize": 9,
        "legend.framealpha": 0.9,
        "lines.linewidth": 1.5,
    }
)


def style(index: int) -> dict[str, Any]:
    """Return colour and dashes of the line with this number, for ``axes.plot(…, **style(i))``."""
    return {"color": COLORS[index % len(COLORS)], "linestyle": DASHES[index % len(DASHES)]}


def marked(index: int) -> dict[str, Any]:
    """Return colour, dashes and marker, for lines of few points."""
    return style(index) | {"marker": MARKERS[index % len(MARKERS)], "markersize": 5}


def canvas(
    rows: int = 1, columns: int = 1, *, height: float = 3.6, **options: Any
) -> tuple[Figure, Any]:
    """Return a figure and its axes, an array of shape (rows, columns).

    Args:
        rows, columns: of axes.
        height: of a row [inches].
        **options: of ``Figure.subplots``: ``sharex``, ``sharey``, ``width_ratios``, …
    """
    figure = Figure(figsize=(WIDTH, height * rows), layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False, **options)


def shape(axes: Any, title: str, horizontal: str = "x (m)", vertical: str = "z (m)") -> None:
    """Make axes show a shape: equal scales, both in metres."""
    axes.set_title(title)
    axes.set_aspect("equal")
    axes.set_xlabel(horizontal)
    axes.set_ylabel(vertical)


def label(axes: Any, title: str, horizontal: str, vertical: str) -> None:
    """Name a plot and its axes; units stand in brackets."""
    axes.set_title(title)
    axes.set_xlabel(horizontal)
    axes.set_ylabel(vertical)


def legend_below(figure: Figure, axes: Any, columns: int = 4) -> None:
    """Put the legend of axes below everything, where it hides nothing."""
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=columns, frameon=False)


def over_time(
    found: dict[str, np.ndarray], rate: float, asked: float, title: str, vertical: str
) -> Figure:
    """Draw what was found in each frame, by names, and what is asked; on a logarithmic scale.

    Args:
        rate: frames in a second.
    """
    figure, ((axes,),) = canvas(height=3.2)
    axes.axhline(asked, **REFERENCE)
    for index, (name, values) in enumerate(found.items()):
        times = np.arange(1, len(values) + 1) / rate
        axes.semilogy(times, values, **style(index), label=name)
    label(axes, title, "time (s)", vertical)
    legend_below(figure, axes)
    return figure


def shaded(
    axes: Any, points: np.ndarray, triangles: np.ndarray, *, light: Any = (0.3, -0.6, 0.75)
) -> None:
    """Draw a triangle surface into 3D axes, lit from one side, with true proportions."""
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    corners = points[triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1), 1e-30)[:, None]
    direction = np.asarray(light) / np.linalg.norm(light)
    brightness = 0.35 + 0.65 * np.abs(normals @ direction)
    color = np.array(matplotlib.colors.to_rgb(COLORS[0]))
    faces = np.clip((color + 0.25) * brightness[:, None], 0.0, 1.0)
    axes.add_collection3d(Poly3DCollection(corners, facecolors=faces, edgecolors="none"))
    low, high = points.min(axis=0), points.max(axis=0)
    axes.set_xlim(low[0], high[0])
    axes.set_ylim(low[1], high[1])
    axes.set_zlim(low[2], high[2])
    axes.set_box_aspect(np.maximum(high - low, 1e-3))
