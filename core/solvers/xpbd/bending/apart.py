# SPDX-License-Identifier: GPL-3.0-or-later
"""A model's constraints laid out for a solver, those that bend as a whole apart from the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import compress
from typing import TYPE_CHECKING

from numpy.typing import NDArray

from ....layout.layout import Layout
from .gauge import bend_gauge_of
from .parts import Part, over_span, slots_of
from .predictor import parted, predictor_of
from .sheets import Sheets

if TYPE_CHECKING:
    import numpy as np

    from ....layout.group import Group
    from ....model import Model
    from ....state import State

Extra = Callable[[Sequence["Group"], Sequence[bool]], "list[NDArray[np.float64]]"]


class Apart:
    """All constraints laid out.

    Args:
        groups: the model's, as they are solved.
        implicit: whether those that bend are solved as a whole; else like the others.
        span: of a substep, over which the others are swept; as in ``Solver.span``.
        extra: ``(groups as they are laid out, whether each is swept)`` → as for ``Layout``.
        earlier: of the same model with other materials; its sheets are gone on with if they are
            the same.

    Attributes:
        layout: a group may be in two parts.
        slots: for each of the model's groups the places of its multipliers.
        swept: for each of the layout's groups whether it is not bent as a whole.
        predictor: what bends, for native code.
        gauge: how much of it is left wrong.
    """

    def __init__(
        self,
        model: Model,
        groups: Sequence[Group],
        *,
        implicit: bool,
        span: float = 1.0,
        extra: Extra | None = None,
        earlier: Apart | None = None,
    ) -> None:
        parts = [Part(group, number) for number, group in enumerate(groups)]
        bent = [False] * len(parts)
        if implicit:
            parts, bent = parted(groups)
        self.swept = [not each for each in bent]
        laid_out = [
            over_span(part.group, span) if own else part.group
            for part, own in zip(parts, self.swept, strict=True)
        ]
        further = extra(laid_out, self.swept) if extra else None
        self.layout = Layout(laid_out, model.particle_count, model.dtype, further)
        self.slots = slots_of(groups, parts, self.layout.slots)
        bending = list(compress(laid_out, bent))
        known: Sheets | None = earlier._sheets if earlier else None
        same = known is not None and known.are_of(model, bending)
        self._sheets: Sheets = known if known and same else Sheets(model, bending)
        self.predictor = predictor_of(model, self.layout, bent, self._sheets.arrays)
        self.gauge = bend_gauge_of(self.layout, model, bent)

    def begin(self, state: State, h: float) -> None:
        """Get ready for a step.

        Args:
            h: length of a substep [s].
        """
        self._sheets.begin(h, bool(state.contact.touched().any()))
        self.predictor.recall(state)

    def end(self, state: State) -> None:
        """Note where a step ends."""
        self.predictor.keep(state)
