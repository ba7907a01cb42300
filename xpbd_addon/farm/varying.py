# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings that are varied, as text: read, checked against the scene, and set.

What is written for a setting comes from a command line, a panel, or a file that may be anybody's.
It is only ever compared with what the setting takes; settings that name files are never set.
"""

from __future__ import annotations

import difflib
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy

from ..errors import SceneError
from ..scene import keyed
from ..scene.physics import simulated_objects
from ..settings import kinds
from ..settings.constraints import CONSTRAINTS, SHOWN
from ..settings.painted import PAINTED
from ..settings.presets import SUBFOLDERS

SCENE = "scene"
"""Stands for the scene where else an object is named."""

PRESET = "preset"
"""Stands for a preset of a material where else a property is named."""

MOST = 1000
"""Variations of one sweep."""

_TRUTH = dict.fromkeys(("true", "on", "yes", "1"), True)
_TRUTH |= dict.fromkeys(("false", "off", "no", "0"), False)
_PATHS = {"FILE_PATH", "DIR_PATH", "FILE_NAME"}
_NOT_VARIED = {"frame_start", "frame_end", "lock_cache", "checkpoint_interval", "show_compliance"}
_NOT_VARIED |= {
    "cache_encoding",
    "bake_mode",
    "tension_shown",
    "tension_strain",
    "tension_bending",
    "tension_force",
}
_NOT_VARIED |= {"name", "use", "kind", "use_tension_map", "use_force_map", "show_cage"}
_NOT_VARIED |= {"grab_radius", "grab_pull"}
_FIRST = ("ENUM", "BOOLEAN")  # they may bring other settings along

Variation = dict[str, str]
"""The value of each setting that is varied, such as ``{"Cape.density": "0.2"}``."""


@dataclass(frozen=True)
class Varied:
    """A setting, and the values that it takes in turn: ``Cape.density``, ``0.1`` and ``0.2``."""

    setting: str
    values: tuple[str, ...]


def read(text: str) -> Varied:
    """What ``Cape.density=0.1,0.2`` says. Raises SceneError."""
    setting, separator, values = text.rpartition("=")
    return of_values(setting if separator else text, values if separator else "")


def of_values(setting: str, values: str) -> Varied:
    """A setting and its values, parted by commas. Raises SceneError."""
    found = tuple(dict.fromkeys(filter(None, map(str.strip, values.split(",")))))
    if not found:
        raise SceneError(
            f"'{setting}' is given no values: write some, parted by commas, such as "
            "Cape.density=0.1,0.2"
        )
    return Varied(setting.strip(), found)


def variations(varied: Sequence[Varied]) -> list[Variation]:
    """Every combination of the values; of the last setting they change first. Raises SceneError."""
    names = [each.setting for each in varied]
    for name in names:
        if names.count(name) > 1:
            raise SceneError(f"'{name}' is varied twice: write all its values in one place")
    if (count := math.prod(len(each.values) for each in varied)) > MOST:
        raise SceneError(f"These are {count} variations: {MOST} at most, so vary less at a time")
    return [
        dict(zip(names, values, strict=True))
        for values in itertools.product(*(each.values for each in varied))
    ]


def check(scene: bpy.types.Scene, varied: Sequence[Varied]) -> None:
    """Raise SceneError where a setting can't be found or varied, or takes no such value."""
    for each in varied:
        target = _target(scene, each.setting)
        for value in each.values:
            target.parsed(value)


def apply(scene: bpy.types.Scene, variation: Variation) -> None:
    """Set the scene's settings to a variation. Raises SceneError, with nothing set."""
    targets = [(_target(scene, setting), value) for setting, value in variation.items()]
    parsed = [(target, target.parsed(value)) for target, value in targets]
    for target, value in sorted(parsed, key=lambda each: each[0].rank):
        target.set(value)


def names(scene: bpy.types.Scene) -> dict[str, str]:
    """The settings that say something of what a scene simulates, each by one of its names, and in
    the words of panels.
    """
    found: dict[str, str] = {}
    for owner, block in _owners(scene).items():
        offered = _variable(block.xpbd) if owner == SCENE else (PRESET, *_offered(block))
        found |= {f"{owner}.{name}": _in_words(owner, block, name) for name in offered}
    return found


def in_words(scene: bpy.types.Scene, setting: str) -> str:
    """What panels call a setting, and whose it is; as it is written where there is none."""
    owner, _, name = setting.rpartition(".")
    block = _owners(scene).get(owner)
    if block is None:
        return setting
    is_known = name in _variable(block.xpbd) or (name == PRESET and owner != SCENE)
    return _in_words(owner, block, name) if is_known else setting


def _in_words(owner: str, block: Any, name: str) -> str:
    whose = "Scene" if owner == SCENE else owner
    return f"{whose}: {'Preset' if name == PRESET else block.xpbd.bl_rna.properties[name].name}"


def described(scene: bpy.types.Scene, variation: Variation) -> str:
    """A variation in the words of panels."""
    return ", ".join(f"{in_words(scene, each)} {value}" for each, value in variation.items())


def _offered(obj: bpy.types.Object) -> list[str]:
    """Of an object: those of its kind, a maximum only where something is painted."""
    hidden = {kind.density[0] for kind in kinds.KINDS.values()} - {"density"}
    for entry in CONSTRAINTS:
        hidden.add(entry.compliance)
        if entry.kind != obj.xpbd.kind:
            hidden |= {entry.stiffness, entry.damping}
    for quantity in PAINTED:
        hidden |= {quantity.group, quantity.least_name}
        if obj.xpbd.kind not in quantity.kinds or not getattr(obj.xpbd, quantity.group):
            hidden.add(quantity.most_name)
    return [name for name in _variable(obj.xpbd) if name not in hidden and not name.endswith(SHOWN)]


def current(scene: bpy.types.Scene, setting: str) -> str:
    """The value of a setting now, as text; empty of a preset. Raises SceneError."""
    return _target(scene, setting).text


class _Property:
    """A property of ``Object.xpbd`` or ``Scene.xpbd``."""

    def __init__(self, setting: str, settings: Any, name: str) -> None:
        self._setting = setting
        self._settings = settings
        self._rna = settings.bl_rna.properties[name]

    @property
    def rank(self) -> int:
        """What may bring others along is set before them."""
        return 1 if self._rna.type in _FIRST else 2

    @property
    def text(self) -> str:
        """What it is now, as panels write it."""
        value = getattr(self._settings, self._rna.identifier)
        if self._rna.type == "ENUM":
            return str(self._rna.enum_items[value].name)
        if isinstance(value, bool):
            return str(value).lower()
        return f"{value:.6g}" if isinstance(value, float) else str(value)

    def parsed(self, text: str) -> Any:
        """The value that a text stands for. Raises SceneError."""
        try:
            return self._parse(text)
        except ValueError:
            raise SceneError(f"{self._setting} takes {self._takes()}, not '{text}'") from None

    def set(self, value: Any) -> None:
        setattr(self._settings, self._rna.identifier, value)

    def _parse(self, text: str) -> Any:
        rna = self._rna
        if rna.type == "BOOLEAN":
            return _of(_TRUTH, text.lower())
        if rna.type == "ENUM":
            called = {each.name.upper(): each.identifier for each in rna.enum_items}
            called |= {each.identifier: each.identifier for each in rna.enum_items}
            return _of(called, text.upper())
        if rna.type == "STRING":
            return text
        number = int(text) if rna.type == "INT" else self._number(text)
        if not rna.hard_min <= number <= rna.hard_max:
            raise ValueError
        return number

    def _number(self, text: str) -> float:
        """A number; what is shown in percent, and what is a part of a whole, also as ``3%``."""
        if not text.endswith("%"):
            return float(text)
        percent = float(text[:-1])
        if self._rna.subtype == "PERCENTAGE":
            return percent
        if (self._rna.hard_min, self._rna.hard_max) != (0.0, 1.0):
            raise ValueError
        return 0.01 * percent

    def _takes(self) -> str:
        rna = self._rna
        if rna.type == "BOOLEAN":
            return "true or false"
        if rna.type == "ENUM":
            return " or ".join(each.name for each in rna.enum_items)
        kind = "whole numbers" if rna.type == "INT" else "numbers"
        return f"{kind} from {rna.hard_min:g} to {rna.hard_max:g}"


class _Preset:
    """The material of an object."""

    rank = 0
    text = ""

    def __init__(self, obj: bpy.types.Object) -> None:
        self._object = obj

    def parsed(self, text: str) -> str:
        """The file of the preset of that name. Raises SceneError."""
        folders = bpy.utils.preset_paths(SUBFOLDERS[self._object.xpbd.kind])
        files = [file for folder in folders for file in sorted(Path(folder).glob("*.py"))]
        called = {_plain(file.stem): file for file in files}
        if (found := called.get(_plain(text))) is None:
            known = ", ".join(sorted(file.stem for file in called.values()))
            raise SceneError(
                f"There is no preset '{text}' for '{self._object.name}': choose from {known}"
            )
        return str(found)

    def set(self, file: str) -> None:
        with bpy.context.temp_override(object=self._object):
            bpy.utils.execfile(file)


def _plain(name: str) -> str:
    return name.lower().replace("_", " ")


def _of(known: dict[str, Any], text: str) -> Any:
    if text not in known:
        raise ValueError
    return known[text]


def _owners(scene: bpy.types.Scene) -> dict[str, Any]:
    """What has settings: the scene, and what it simulates by name."""
    objects = {obj.name: obj for obj in simulated_objects(scene) if obj.name != SCENE}
    return {SCENE: scene, **objects}


def _target(scene: bpy.types.Scene, setting: str) -> _Property | _Preset:
    """What a text such as ``Cape.density`` names. Raises SceneError."""
    owner, _, name = setting.rpartition(".")
    found = _owners(scene)
    if owner not in found:
        known = " or ".join(found)
        raise SceneError(
            f"'{setting}' names no XPBD object of this scene: write {known}, a point, and the "
            "setting, such as scene.substeps"
        )
    block = found[owner]
    if name == PRESET and owner != SCENE:
        return _Preset(block)
    return _property(setting, block.xpbd, name, keyed.is_led(block, name))


def _property(setting: str, settings: Any, name: str, is_keyed: bool) -> _Property:
    known = _variable(settings)
    if name not in known:
        close = difflib.get_close_matches(name, known, 1)
        cure = f"did you mean '{close[0]}'?" if close else "Python Tooltips show their names"
        raise SceneError(f"'{setting}' is no setting that can be varied: {cure}")
    if is_keyed:
        raise SceneError(f"'{setting}' has keyframes or a driver: delete these, or vary another")
    return _Property(setting, settings, name)


def _variable(settings: Any) -> list[str]:
    """The properties that are one value, which a simulation depends on, and name no file."""
    return [
        rna.identifier
        for rna in settings.bl_rna.properties
        if rna.type in ("INT", "FLOAT", "BOOLEAN", "ENUM", "STRING")
        and rna.identifier not in _NOT_VARIED
        and not (rna.is_readonly or rna.is_hidden or getattr(rna, "is_array", False))
        and not (rna.type == "ENUM" and rna.is_enum_flag)
        and rna.subtype not in _PATHS
    ]
