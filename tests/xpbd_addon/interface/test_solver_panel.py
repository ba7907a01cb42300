# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel of the solver: its settings, and what it says of the frame that is shown."""

from __future__ import annotations

from typing import Any

import bpy
import pytest
from blender_scenes import addon_module, empty_scene, sheet
from drawing import draw


def test_strain_of_the_last_frame_is_shown_while_simulating(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scene = empty_scene()
    sheet()
    bpy.ops.xpbd.simulate()
    scene.frame_set(6)
    last = draw("solver").drawn[-3:]
    assert last[0].startswith("Stretch ")
    assert last[2].startswith("2 substeps")
    scene.frame_set(7)
    assert draw("solver").drawn[-3:] == ["No stretch known on this frame", "", ""]
    monkeypatch.setattr(addon_module("simulation.job"), "is_simulating", lambda scene: True)
    assert draw("solver").drawn[-3:] == last


COUNTS = ["substeps", "iterations"]


def test_automatic_quality_shows_limits_else_counts() -> None:
    scene = empty_scene()
    sheet()
    layout = draw("solver")
    controls = ["solver", "automatic", "largest_stretch", *COUNTS, "warm_start", "time_scale"]
    assert layout.drawn[:7] == controls
    assert [layout.labels[name] for name in COUNTS] == ["Substeps ≤", "Iterations ≤"]
    assert not layout.greyed
    scene.xpbd.automatic = False
    layout = draw("solver")
    assert layout.drawn[:7] == controls
    assert [layout.labels[name] for name in COUNTS] == ["Substeps", "Iterations"]
    assert layout.greyed == ["largest_stretch"]
    assert len(layout.drawn) == 9, "what every frame takes is no news"


def test_automatic_quality_is_hidden_where_the_solver_has_none() -> None:
    scene = empty_scene()
    sheet()
    for solver, own in (("PBD", ["velocity_damping"]), ("PROJECTIVE_DYNAMICS", [])):
        scene.xpbd.solver = solver
        layout = draw("solver")
        nothing = ["No stretch known on this frame", ""]
        assert layout.drawn == ["solver", *COUNTS, *own, "time_scale", *nothing]
        assert [layout.labels[name] for name in COUNTS] == ["Substeps", "Iterations"]


def told(monkeypatch: pytest.MonkeyPatch, **found: Any) -> list[str]:
    """What the panel says beside the figures, of objects with these measures."""
    by_id = {bpy.data.objects[name].xpbd.cache_id: each for name, each in found.items()}
    session = addon_module("simulation.session")
    monkeypatch.setattr(session, "measures_of", lambda *_: by_id)
    drawn = draw("solver").drawn
    return drawn[drawn.index("60 substeps × 2 iterations") + 1 :]


def left(overstretch: float, iterations: int = 2, **faults: int) -> Any:
    return addon_module("simulation.measures").Measures(
        0.05, 0.01, 1e-4, 60, iterations, overstretch, **faults
    )


@pytest.fixture
def two_sheets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whose frame took all that is allowed."""
    scene = empty_scene()
    for name in ("Skirt", "Shirt"):
        addon_module("scene.ids").ensure_all(scene, [sheet(name)])
    scene.xpbd.substeps, scene.xpbd.iterations = 60, 2
    session = addon_module("simulation.session")
    monkeypatch.setattr(session, "cached_measures", lambda *_: left(0.0))


@pytest.mark.usefixtures("two_sheets")
def test_a_limit_that_was_too_low_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    well, going_on, too_low = left(0.029), left(0.05, iterations=1), left(0.05)
    assert told(monkeypatch, Skirt=well, Shirt=well) == []
    assert told(monkeypatch, Skirt=well, Shirt=going_on) == []
    for skirt, shirt, name in ((well, too_low, "Shirt"), (left(0.06), too_low, "Skirt")):
        sentence = " ".join(told(monkeypatch, Skirt=skirt, Shirt=shirt))
        percent = 100.0 * max(skirt.overstretch, shirt.overstretch)
        assert sentence == (
            f"'{name}' is overstretched by {percent:.1f} %, 3.0 % allowed: raise Substeps, or "
            "accept it"
        )


@pytest.mark.usefixtures("two_sheets")
def test_a_soft_body_that_is_too_soft_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    soft, fine = left(0.0, needed=219), left(0.0, needed=60)
    assert told(monkeypatch, Skirt=soft, Shirt=soft) == []
    bpy.data.objects["Shirt"].xpbd.kind = "SOFT_BODY"
    assert told(monkeypatch, Skirt=soft, Shirt=fine) == []
    text = " ".join(told(monkeypatch, Skirt=soft, Shirt=soft))
    assert text.startswith("'Shirt' needs 219 substeps to be as stiff")


@pytest.mark.usefixtures("two_sheets")
def test_it_is_said_of_the_object_for_which_it_is_true(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another one may be stretched more, for which the limits are still enough."""
    going_on, too_low = left(0.055, iterations=1), left(0.05)
    text = " ".join(told(monkeypatch, Skirt=going_on, Shirt=too_low))
    assert text.startswith("'Shirt' is overstretched by 5.0 %")


@pytest.mark.usefixtures("two_sheets")
@pytest.mark.parametrize(
    ("measure", "fault", "expected"),
    [
        (
            "held_apart",
            "OVERSTRETCHED",
            "Pins or colliders hold 12 vertices of 'Shirt' too far apart, which more substeps "
            "can't mend",
        ),
        (
            "squeezed",
            "SQUEEZED",
            "12 vertices of 'Shirt' have no room between pins or colliders, which have forced it "
            "through something: leave more room there, or make it thinner",
        ),
        (
            "crossings",
            "CROSSING",
            "'Shirt' goes through itself or something else at 12 places, which are being "
            "pulled apart",
        ),
    ],
)
def test_what_is_wrong_with_vertices_is_said(
    monkeypatch: pytest.MonkeyPatch, measure: str, fault: str, expected: str
) -> None:
    """It names the object that has most of them, and offers to select the vertices."""
    button = "xpbd.select_faults"
    for most, name in ((3, "Shirt"), (13, "Skirt")):
        skirt, shirt = left(0.0, **{measure: most}), left(0.01, **{measure: 12})
        *sentence, last = told(monkeypatch, Skirt=skirt, Shirt=shirt)
        if name == "Shirt":
            assert " ".join(sentence) == expected
        assert last == button
        operator = draw("solver").operators[button]
        assert (operator.fault, operator.object_name) == (fault, name)


@pytest.mark.usefixtures("two_sheets")
def test_both_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    text = " ".join(told(monkeypatch, Skirt=left(0.05), Shirt=left(0.01, held_apart=12)))
    assert "'Skirt' is overstretched by 5.0 %" in text
    assert "12 vertices of 'Shirt'" in text


def test_nothing_is_said_of_what_is_not_cached(monkeypatch: pytest.MonkeyPatch) -> None:
    empty_scene()
    sheet()
    monkeypatch.setattr(addon_module("simulation.session"), "measures_of", lambda *_: {})
    assert draw("solver").drawn[-3:] == ["No stretch known on this frame", "", ""]
