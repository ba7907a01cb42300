# SPDX-License-Identifier: GPL-3.0-or-later
"""A model's constraints laid out for a solver, those that bend as a whole apart from the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import compress
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ....lasting import Lasting, named, part_of
from ....layout.layout import Layout
from ..stitches import stitches_of
from ..threads import threads_of
from ..welds import Seams
from .gauge import bend_gauge_of
from .parts import Part, over_span, slots_of
from .predictor import parted, predictor_of
from .sheets import Sheets

if TYPE_CHECKING:
    from ....layout.group import Group
    from ....model import Model
    from ....state import State

Extra = Callable[[Sequence["Group"], Sequence[bool]], "list[NDArray[np.float64]]"]


class Apart:
    """All constraints laid out.

    Args:
        groups: the model's, as they are solved.
        implicit: whether those that bend are solved as a whole; else like the others.
        twists: whether these may resist twisting, too.
        span: of a substep, over which the others are swept; as in ``Solver.span_factor``.
        seams: what is welded while the others are swept.
        extra: ``(groups as they are laid out, whether each is swept)`` → as for ``Layout``.
        earlier: of the same model with other materials; its sheets are gone on with if they are
            the same.

    Attributes:
        layout: a group may be in two parts.
        slots: for each of the model's groups the places of its multipliers.
        swept: for each of the layout's groups whether it is neither bent as a whole nor sewn.
        predictor: what bends, for native code.
        stitches: what is sewn, likewise.
        threads: what of that is a link of a chain, likewise.
        gauge: how much of it is left wrong.
    """

    def __init__(
        self,
        model: Model,
        groups: Sequence[Group],
        *,
        implicit: bool,
        twists: bool = False,
        span: float = 1.0,
        extra: Extra | None = None,
        seams: Seams | None = None,
        earlier: Apart | None = None,
    ) -> None:
        if not twists:
            groups = [replace(group, twist=None) for group in groups]
        parts = [Part(group, number) for number, group in enumerate(groups)]
        bent = [False] * len(parts)
        if implicit:
            parts, bent = parted(groups)
        sewn = [part.group.stitching is not None for part in parts]
        self.swept = [not own and not other for own, other in zip(bent, sewn, strict=True)]
        laid_out = [part.group for part in parts]
        for number in compress(range(len(parts)), self.swept):
            group = over_span(laid_out[number], span)
            laid_out[number] = seams.through(group) if seams else group
        further = extra(laid_out, self.swept) if extra else None
        self.layout = Layout(laid_out, model.particle_count, model.dtype, further)
        self.slots = slots_of(groups, parts, self.layout.slots)
        self._parts = parts
        self.stitches = stitches_of(groups, self.slots)
        ones = seams.ones if seams else np.arange(model.particle_count)
        self.threads = threads_of(self.layout, self.stitches, ones)
        bending = list(compress(laid_out, bent))
        owned = compress(parts, bent)
        self._sheets_of = [p.owner for p in owned if p.group.constraint.kind == "bending"]
        known: Sheets | None = earlier._sheets if earlier else None
        same = known is not None and known.follow(model, bending)
        self._sheets: Sheets = known if known and same else Sheets(model, bending)
        self.predictor = predictor_of(model, self.layout, bent, self._sheets.arrays)
        self.gauge = bend_gauge_of(self.layout, model, bent)

    def renew(self, rests: Sequence[NDArray[np.float64]]) -> bool:
        """Take over other rest states of the model's groups, shape (count, rest_size) each.

        Returns:
            Whether that can be done without laying out anew.
        """
        for number, part in enumerate(self._parts):
            chosen = slice(None) if part.chosen is None else part.chosen
            self.layout.put_rest(number, rests[part.owner][chosen])
        return self._sheets.renew([rests[g] for g in self._sheets_of])

    def begin(self, state: State, h: float) -> None:
        """Get ready for a step.

        Args:
            h: length of a substep [s].
        """
        self._sheets.begin(h)
        self.predictor.recall(state)

    def end(self, state: State) -> None:
        """Note where a step ends."""
        self.predictor.keep(state)

    def lasting(self) -> Lasting:
        """What the next frame goes on from."""
        return {**self.predictor.lasting(), **named("sheets", self._sheets.lasting())}

    def go_on_from(self, lasting: Lasting) -> None:
        """Go on from what the same constraints have left. Raises CheckpointError."""
        self.predictor.go_on_from(lasting)
        self._sheets.go_on_from(part_of(lasting, "sheets"))
