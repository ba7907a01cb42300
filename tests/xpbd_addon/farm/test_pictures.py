# SPDX-License-Identifier: GPL-3.0-or-later
"""Stills show the simulation and what it is; the contact sheet shows them in order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from numpy.typing import NDArray
from playing import addon
from sweeping import VARY, command, saved_file

COLOURS = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
SIZE = (6, 8)


@pytest.fixture
def shot(tmp_path: Path) -> Path:
    return saved_file(tmp_path)


def picture(path: Path) -> NDArray[np.float32]:
    """(height, width, 3) from the top."""
    image: Any = bpy.data.images.load(str(path))
    pixels = np.array(image.pixels[:], np.float32).reshape(*reversed(image.size), 4)
    bpy.data.images.remove(image)
    return pixels[::-1, :, :3]


def test_a_still_shows_the_sheet_and_its_numbers(shot: Path, tmp_path: Path) -> None:
    output = tmp_path / "out"
    assert command("sweep", *VARY, "--output", output, "--only", 1, "--stills") == 0
    still = picture(next(output.glob("*/still.png")))
    assert still.shape == (270, 480, 3)
    ground = still[-1, 0]
    differs = np.abs(still - ground).max(axis=2) > 0.05
    assert still[:50].min() < ground.min() - 0.1 and still[:50].max() > ground.max() + 0.1
    rest = differs[60:]
    assert 0.02 < rest.mean() < 0.9
    assert not rest[:, :20].any() and not rest[:, -20:].any()  # the camera sees all of it
    assert command("sweep", *VARY, "--output", output, "--collect", "--stills") == 1
    np.testing.assert_array_equal(picture(output / "sweep.png"), still)


def test_the_contact_sheet_has_them_in_order(shot: Path, tmp_path: Path) -> None:
    record, pictures = addon.farm.record, addon.farm.pictures
    variations = [{"Sheet.density": str(number)} for number in range(4)]
    record.prepare(tmp_path, variations)
    results = [record.Result(each, (1, 5)) for each in variations]
    results[1] = record.Result(variations[1], (1, 5), error="It failed")
    good = [each for each in results if not each.error]
    for colour, result in zip(COLOURS, good, strict=True):
        filled = np.ones((*SIZE, 4), np.float32)
        filled[..., :3] = colour
        folder = record.folder_of(tmp_path, result.settings)
        pictures._write(folder / record.STILL, filled)
    assert pictures.write_contact_sheet(tmp_path, record.Table((1, 5), variations, results))
    sheet, (height, width) = picture(tmp_path / "sweep.png"), SIZE
    assert sheet.shape == (2 * height, 2 * width, 3)
    places = [sheet[3, 3], sheet[3, width + 3], sheet[height + 3, 3], sheet[-1, -1]]
    np.testing.assert_array_equal(places, [*COLOURS, (0.0, 0.0, 0.0)])


def test_a_variation_whose_still_fails_keeps_its_figures(
    shot: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def render(*_: object) -> None:
        raise addon.errors.SceneError("No light")

    monkeypatch.setattr(addon.farm.pictures, "render_still", render)
    output = tmp_path / "out"
    assert command("sweep", *VARY, "--output", output, "--only", 1, "--stills") == 0
    assert "variation 1: left out: No light" in capsys.readouterr().err
    assert command("sweep", *VARY, "--output", output, "--collect", "--stills") == 1
    result = addon.farm.record.read_table(output).results[0]
    assert result.figures["height"] > 0.0 and result.left_out == ("No light",)
    assert not (output / "sweep.png").exists()


def test_a_sheet_without_stills_is_none(tmp_path: Path) -> None:
    table = addon.farm.record.Table((1, 5), [{}], [None])
    assert not addon.farm.pictures.write_contact_sheet(tmp_path, table)
    assert not list(tmp_path.iterdir())
