# SPDX-License-Identifier: GPL-3.0-or-later
"""How far the simulation stretched things in each frame, and how well the solver did.

The figures travel through the cache beside the positions: some columns of the solver's, and two for
each simulated object.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from ...core.solvers.common.report import Report

if TYPE_CHECKING:
    from ...core.frame_cache import FrameCache


@dataclass(frozen=True)
class Measures:
    """Of one object in one frame.

    Attributes:
        largest_strain, mean_strain: elongation of its edges over their rest length; the mean is
            that of the absolute values.
        residual: the largest movement [m] that a further iteration of the solver would make
            anywhere in the scene.
        substeps, iterations: that the frame took; 0 on the first.
        overstretch: how much longer than its stiffness allows anything in the scene was left, a
            part of its length.
    """

    largest_strain: float
    mean_strain: float
    residual: float
    substeps: int = 0
    iterations: int = 0
    overstretch: float = 0.0

    def __str__(self) -> str:
        largest, mean = 100.0 * self.largest_strain, 100.0 * self.mean_strain
        return f"Strain {largest:.1f} % max, {mean:.2f} % mean"

    @property
    def residual_text(self) -> str:
        """The residual in a unit in which it can be read."""
        millimetres = 1e3 * self.residual
        if millimetres >= 0.1:
            return f"Residual {millimetres:.1f} mm"
        return f"Residual {1e3 * millimetres:.2f} µm"

    @property
    def effort_text(self) -> str:
        """What the frame took; empty where nothing was simulated."""
        if self.substeps == 0:
            return ""
        text = f"{self.substeps} substeps"
        return text if self.iterations == 1 else f"{text} × {self.iterations} iterations"

    def missed(self, allowed: float, substeps: int, iterations: int) -> bool:
        """Whether the limits, these counts, are too low for what the frame would have needed.

        The overstretch falls with the square of the number of substeps and with that of iterations.
        """
        most = substeps**2 * iterations
        return self.substeps**2 * self.iterations * self.overstretch > most * allowed


class Strain(NamedTuple):
    """Elongation of an object's edges over their rest length; as in :class:`Measures`."""

    largest: float
    mean: float


def columns(report: Report, strains: Mapping[str, Strain]) -> dict[str, float]:
    """What the cache keeps of a frame.

    Args:
        strains: of each object, by its cache id.
    """
    found = {name: float(value) for name, value in report._asdict().items()}
    for object_id, strain in strains.items():
        for name, value in strain._asdict().items():
            found[_of_object(object_id, name)] = value
    return found


def at_rest(object_ids: Iterable[str]) -> dict[str, float]:
    """What the cache keeps of the first frame, where nothing has been simulated."""
    return columns(Report(0, 0, 0.0, 0.0), dict.fromkeys(object_ids, Strain(0.0, 0.0)))


def read(cache: FrameCache, object_id: str, frame: float) -> Measures | None:
    """The measures of an object in a frame; None where there are none."""
    found = cache.read_measures(frame)
    if found is None or _of_object(object_id, "largest") not in found:
        return None
    return Measures(
        largest_strain=found[_of_object(object_id, "largest")],
        mean_strain=found[_of_object(object_id, "mean")],
        residual=found["residual"],
        substeps=round(found["substeps"]),
        iterations=round(found["iterations"]),
        overstretch=found["overstretch"],
    )


def _of_object(object_id: str, name: str) -> str:
    """Name of a column that holds a strain."""
    return f"{object_id} {name} strain"
