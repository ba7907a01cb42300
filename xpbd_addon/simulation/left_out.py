# SPDX-License-Identifier: GPL-3.0-or-later
"""Which objects can't take part in a scene's simulation, and why."""

from __future__ import annotations

from typing import NamedTuple

from ..scene.fingerprint import Fingerprint
from .scene_input import SceneInput


class Refusal(NamedTuple):
    """Why an object was left out when a simulation began, and what it was then."""

    fingerprint: str
    sentence: str


class LeftOut:
    """The objects left out of one scene's simulation.

    Attributes:
        hindered: why objects can't be simulated as they are now, by what `session` knows them by.
        refused: what was left out when a simulation began last, by cache id.
    """

    def __init__(self) -> None:
        self.hindered: dict[str, str] = {}
        self.refused: dict[str, Refusal] = {}

    def why(self, object_id: str, now: Fingerprint) -> str:
        """Why an object can't take part; empty where it can, as far as is known."""
        if object_id in self.hindered:
            return self.hindered[object_id]
        refusal = self.refused.get(object_id)
        same = refusal is not None and refusal.fingerprint == now.objects.get(object_id)
        return refusal.sentence if refusal is not None and same else ""

    def refuse(self, inputs: SceneInput) -> None:
        """Remember what is left out of a simulation though nothing had seemed to hinder it."""
        texts = inputs.fingerprint.objects
        self.refused = {
            each: Refusal(texts[each], sentence)
            for each, sentence in inputs.left_out.items()
            if each in texts and each not in self.hindered
        }
