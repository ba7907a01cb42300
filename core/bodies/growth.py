# SPDX-License-Identifier: GPL-3.0-or-later
"""How the rest shape of a solid differs from that in which it was measured, at each place.

The deformation gradient is F = A G, of which G is growth and only A takes force (Rodriguez et al.
1994, "Stress-dependent finite growth in soft elastic tissues"). Swelling makes G larger in all
directions. Muscles shorten it along their fibres, and widen it across so that it keeps its volume.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ..lasting import Lasting, array_of, numbers_of
from ..layout.group import Group
from ..mesh.patches import Patchwork
from ..mesh.surface import Indices
from .inflation import inflated, is_swelling
from .painted import means
from .soft_material import SoftMaterial

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Growth:
    """What has grown of tetrahedra.

    Attributes:
        inflation: factors of volumes in the end, shape (m,).
        inflation_time: that they take to come to that from the start on [s].
        contraction: parts of lengths by which they are shorter along their fibres, shape (m,).
        fibres: directions of these, of any length but zero, shape (m, 3).
    """

    inflation: Array
    inflation_time: float
    contraction: Array
    fibres: Array

    @classmethod
    def of(cls, material: SoftMaterial, tetrahedra: Indices) -> Self:
        """What a material says, painted on vertices, in tetrahedra of these corners, (m, 4)."""
        fibres = np.asarray(material.fibres, np.float64)
        if fibres.ndim == 2:
            fibres = fibres[tetrahedra].sum(axis=1)
        return cls(
            means(material.inflation, tetrahedra),
            material.inflation_time,
            means(material.contraction, tetrahedra),
            np.broadcast_to(fibres, (len(tetrahedra), 3)),
        )

    def is_swelling(self, elapsed: float) -> bool:
        """Whether there will be more or less of it than some seconds after the start."""
        return is_swelling(self.inflation, self.inflation_time, elapsed)

    def at(self, elapsed: float) -> Self:
        """As much of it as there is then."""
        swollen = inflated(self.inflation, self.inflation_time, elapsed)
        return replace(self, inflation=np.asarray(swollen))

    def lasting(self) -> Lasting:
        """All of it; see :mod:`core.lasting`."""
        return vars(self) | {"inflation_time": np.array([self.inflation_time])}

    def restored(self, lasting: Lasting) -> Self:
        """What has lasted of one of the same tetrahedra. Raises CheckpointError."""
        painted = "inflation", "contraction", "fibres"
        arrays = {each: array_of(lasting, each, np.float64, vars(self)[each].shape).copy()
                  for each in painted}  # fmt: skip
        (time,) = numbers_of(lasting, "inflation_time", 1)
        return replace(self, **arrays, inflation_time=time)

    def scales(self, tetrahedra: Indices, count: int) -> Array:
        """The least factor by which lengths around vertices are longer, shape (count,).

        Of all directions, and of all tetrahedra around, which have these corners: contact must
        not hold apart what grows nearer in any.
        """
        along = 1.0 - self.contraction
        least = np.cbrt(self.inflation) * np.minimum(along, 1.0 / np.sqrt(along))
        found = np.full(count, np.inf)
        np.minimum.at(found, tetrahedra, least[:, None])
        return found

    def rest(self, patches: Patchwork) -> Array:
        """G⁻ᵀ g [1/m] of all corners of patches but the first, shape (p, 3 (size - 1))."""
        return self._gradients(patches)[:, 1:].reshape(len(patches.vertices), -1)

    def _gradients(self, patches: Patchwork) -> Array:
        if np.all(self.inflation == 1.0) and np.all(self.contraction == 0.0):
            return patches.gradients
        wider = np.cbrt(patches.means(self.inflation))[:, None, None]
        shorter = 1.0 - patches.means(self.contraction)[:, None, None]
        fibres = np.stack([patches.means(each) for each in self.fibres.T], axis=1)
        lengths = np.linalg.norm(fibres, axis=1, keepdims=True)
        fibres /= np.where(lengths > 0.0, lengths, 1.0)
        along = fibres[:, :, None] * fibres[:, None, :]
        across = np.sqrt(shorter) * (np.eye(3) - along)
        return np.asarray(patches.gradients @ ((along / shorter + across) / wider))


@dataclass(frozen=True)
class Growing:
    """Constraints on patches of a solid, whose rest state goes with growth.

    Attributes:
        group: one on each patch, as the model has it. patches: what they are on.
    """

    group: Group
    patches: Patchwork

    def rest(self, growth: Growth) -> Array:
        """The rest state of all of them, shape (p, rest_size)."""
        gradients = growth.rest(self.patches)
        return np.concatenate([gradients, self.group.rest[:, gradients.shape[1] :]], axis=1)
