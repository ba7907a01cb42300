# SPDX-License-Identifier: GPL-3.0-or-later
"""The one kind of error that is shown to the user, and how operators show it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import bpy

    AnyOperator = TypeVar("AnyOperator", bound=bpy.types.Operator)
    Execute = Callable[[AnyOperator, bpy.types.Context], set[str]]


_MOST_TOLD = 3


class SceneError(RuntimeError):
    """Something in the scene can't be used: one sentence that names it and the cure."""


def together(sentences: Sequence[str]) -> str:
    """What is wrong with several objects as one message; of many the first, and how many more."""
    further = len(sentences) - _MOST_TOLD
    rest = [f"{further} more objects can't be simulated"] if further > 0 else []
    return ". ".join([*(each.rstrip(".") for each in sentences[:_MOST_TOLD]), *rest])


def shown_to_user(execute: Execute[AnyOperator]) -> Execute[AnyOperator]:
    """An operator's ``execute`` that reports a SceneError, and is cancelled."""

    @wraps(execute)
    def run(self: AnyOperator, context: bpy.types.Context) -> set[str]:
        try:
            return execute(self, context)
        except SceneError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}

    return run
