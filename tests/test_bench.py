# SPDX-License-Identifier: GPL-3.0-or-later
"""The benchmark compares like with like, and says so when a bar is missed."""

import json
from pathlib import Path

import numpy as np
import pytest

from bench import (
    c_kernels,
    constraint_kernels,
    paper_case,
    report,
    scenes,
    setting,
    sheet_lines,
    window,
)
from bench.blenders import Blenders


def test_every_c_kernel_moves_the_vertices_as_ours_does() -> None:
    try:
        c_kernels.compiler()
    except c_kernels.CError as error:
        pytest.skip(str(error))
    contenders, problem = constraint_kernels.contenders()
    assert problem == ""
    compared = set()
    for (work, name), one in contenders.items():
        if one.reference:
            result, expected = one.result(), contenders[work, one.reference].result()
            apart = constraint_kernels.apart(one, result, expected)
            assert apart is not None and apart < constraint_kernels.SAME, (work, name)
            compared.add((work, name))
    assert len(compared) == 4


def test_positions_that_differ_count_as_apart() -> None:
    contenders, _ = constraint_kernels.contenders()
    one = contenders["distance", constraint_kernels.OURS]
    result = one.result()
    apart = constraint_kernels.apart(one, result, result + 1e-3 * constraint_kernels.NOISE)
    assert apart is not None and apart > 1e-4


def test_a_table_prints_its_bars(tmp_path: Path) -> None:
    bars = [report.at_most("slow", 2.0, 1.0), report.at_least("fast", 2.0, 1.0)]
    table = report.Table("title", ("a",), [(1,)], bars=bars)
    assert "MISSED  slow: 2, at most 1" in str(table)
    assert "holds   fast: 2, at least 1" in str(table)
    report.write(tmp_path / "out.json", {"name": [table]})
    content = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert [bar["holds"] for bar in content["measurements"]["name"][0]["bars"]] == [False, True]


def printed(monkeypatch: pytest.MonkeyPatch, text: str) -> report.Table:
    """What is said of a window in which a script printed something."""

    def ended(command: list[str]) -> str:
        if "--output" in command:
            (Path(command[-1]) / "x.zip").touch()
        return text

    monkeypatch.setattr(window, "_ended", ended)
    (table,) = window.measure(setting.Setting(1, Blenders((), None)))
    return table


def test_simulating_in_a_window_is_held_against_background(monkeypatch: pytest.MonkeyPatch) -> None:
    rounds = [{"alone": 1.0, "window": 2.0, "redraw": 0.2, "gap": 0.3}]
    found = [{"vertices": 9, "frames": 5, "rounds": rounds}]
    table = printed(monkeypatch, f"[ 9 s] {window.MEASURED}{json.dumps(found)}\nUI test passed")
    assert [bar.holds for bar in table.bars] == [False, True]


def test_where_no_window_can_be_had_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    table = printed(monkeypatch, "UI test SKIPPED: bwrap is missing\n")
    assert table.rows == [] and "bwrap is missing" in table.remarks[0]


@pytest.mark.parametrize("faces", ["triangles", "irregular"])
def test_triangles_cover_the_square_once(faces: scenes.Faces) -> None:
    _, quads = scenes.square(9)
    positions, triangles = scenes.sheet(9, faces)
    a, b, c = np.moveaxis(positions[triangles], 1, 0)
    area = 0.5 * np.cross(b - a, c - a)[:, 2]
    assert np.all(area > 0.0)
    assert area.sum() == pytest.approx(4.0)
    edges = scenes.face_edges(triangles)
    assert len(edges) == len(scenes.face_edges(quads)) + len(quads)


def test_an_irregular_sheet_has_no_equal_edges() -> None:
    positions, triangles = scenes.sheet(9, "irregular")
    inner = np.all(np.abs(positions[:, :2]) < 0.99, axis=1)
    edges = scenes.face_edges(triangles)
    edges = edges[inner[edges].all(axis=1)]
    assert len(np.unique(np.round(scenes.lengths(positions, edges), 6))) == len(edges)


def test_colours_share_no_vertex() -> None:
    pairs, _ = paper_case.springs()
    groups = paper_case.colors(pairs)
    assert sorted(np.concatenate(groups)) == list(range(23_938))
    for group in groups:
        assert len(np.unique(pairs[group])) == 2 * len(group)


def test_corner_patches_keep_their_size_on_any_mesh() -> None:
    for side in (32, 64, 128):
        positions, _ = scenes.square(side)
        held = positions[scenes.square_corner_patches(side)]
        assert np.all(held[:, 1] > 1.0 - 0.1401)
        assert np.abs(held[:, 0]).min() > 1.0 - 0.1401
    assert set(scenes.square_corners(side)) <= set(scenes.square_corner_patches(side))


def test_peers_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(setting.PEERS, "warp=/a/python,pypbd=/b/python")
    assert setting.peers_from_environment() == {
        "warp": Path("/a/python"),
        "pypbd": Path("/b/python"),
    }
    monkeypatch.delenv(setting.PEERS)
    assert setting.peers_from_environment() == {}


def test_the_picture_shows_the_fastest_of_several_blenders() -> None:
    columns = ["vertices", "method", "ms/frame"]
    rows = [
        [4096, "core, 1 thread", 1.0],
        [1024, "core, 1 thread", 0.5],
        [1024, "cloth modifier, Blender 4.2", 9.0],
        [1024, "cloth modifier, Blender 5.2", 7.0],
    ]
    lines = sheet_lines.lines_of({"columns": columns, "rows": rows})
    ours, modifier = lines.values()
    assert [row["vertices"] for row in ours] == [1024, 4096]
    assert [row["ms/frame"] for row in modifier] == [7.0]
