# SPDX-License-Identifier: GPL-3.0-or-later
"""The one kind of error that is shown to the user, and how operators show it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import bpy

    AnyOperator = TypeVar("AnyOperator", bound=bpy.types.Operator)
    Execute = Callable[[AnyOperator, bpy.types.Context], set[str]]


class SceneError(RuntimeError):
    """Something in the scene can't be used: one sentence that names it and the cure."""


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
