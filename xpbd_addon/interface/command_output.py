# SPDX-License-Identifier: GPL-3.0-or-later
"""What commands print, for people or for programs."""

from __future__ import annotations

import json
import sys
from typing import Any

from ..log import say


class Telling:
    """Prints what happens, for people or for programs.

    Attributes:
        as_json: for programs.
    """

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json

    def say(self, event: str, text: str, **fields: Any) -> None:
        """Tell of something: in words, or by its fields."""
        if self.as_json:
            self._print({"event": event, **fields})
        else:
            say(text)

    def complain(self, event: str, sentence: str) -> None:
        """Tell of something that is not as wanted."""
        if self.as_json:
            self._print({"event": event, "sentence": sentence})
        sys.stderr.write(f"xpbd: {sentence}\n")

    @staticmethod
    def _print(content: dict[str, Any]) -> None:
        sys.stdout.write(f"{json.dumps(content)}\n")
        sys.stdout.flush()


class Progress:
    """Tells whenever another tenth of the frames is done; as JSON, of each."""

    def __init__(self, what: str, telling: Telling) -> None:
        self._what = what
        self._telling = telling
        self._last = -1

    def __call__(self, done: int, total: int) -> None:
        number = done if self._telling.as_json else 10 * done // max(total, 1)
        if number != self._last:
            self._last = number
            text = f"{self._what}: {done} of {total} frames"
            self._telling.say("progress", text, what=self._what, done=done, total=total)
