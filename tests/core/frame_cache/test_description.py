# SPDX-License-Identifier: GPL-3.0-or-later
"""``cache.json``: what is believed of it, and caches of formats before."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest
from cached_frames import described, frame, of_points

from core.frame_cache import FrameCache


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        "[" * 100_000,
        '{"format": 1}',
        '{"format": 2}',
        '{"format": 3}',
        '{"format": 4}',
        '{"format": 99}',
        '{"format": []}',
        '{"format": true}',
    ],
)
def test_an_unreadable_description_is_no_cache(cache: FrameCache, text: str) -> None:
    (cache.folder / "cache.json").write_text(text)
    again = FrameCache(cache.folder)
    assert (again.first_frame, again.fingerprint, again.objects) == (None, "", {})
    assert not again.is_earlier
    assert again.read("a", 10) is None


def test_a_description_that_is_no_text_is_no_cache(cache: FrameCache) -> None:
    (cache.folder / "cache.json").write_bytes(b"\xff\xfe{")
    assert FrameCache(cache.folder).first_frame is None


@pytest.mark.parametrize(
    "changes",
    [
        {"source": None},
        {"document": None},
        {"document": 1},
        {"further": 1},
        {"format": 4.0},
        {"fingerprint": 7},
        {"source": []},
        {"frame_start": "10"},
        {"frame_start": 10.5},
        {"frame_start": 2**31},
        {"point_counts": {"a": 4}},
        {"objects": ["a", "b"]},
        {"objects": {"a": 4}},
        {"objects": {"a": {}}},
        {"objects": {"a": {"points": 4, "fingerprint": "", "met": [], "further": 1}}},
        {"objects": {"a": {"points": "4", "fingerprint": "", "met": []}}},
        {"objects": {"a": {"points": True, "fingerprint": "", "met": []}}},
        {"objects": {"a": {"points": -4, "fingerprint": "", "met": []}}},
        {"objects": {"a": {"points": 2**31, "fingerprint": "", "met": []}}},
        {"objects": {"a": {"points": 4, "fingerprint": 1, "met": []}}},
        {"objects": {"a": {"points": 4, "fingerprint": "", "met": {"b": 1}}}},
        {"objects": {"a": {"points": 4, "fingerprint": "", "met": [1]}}},
        {"objects": {"a": {"points": 4, "fingerprint": "", "met": ["../b"]}}},
        {"objects": {"a": {"points": 4, "fingerprint": "", "met": [], "encoding": "OTHER"}}},
        {"objects": {"a": {"points": 4, "fingerprint": "", "met": [], "encoding": None}}},
        {"objects": {"a": {"points": 4, "fingerprint": "", "met": [], "encoding": ["LATTICE"]}}},
        {"objects": {"../b": {"points": 4, "fingerprint": "", "met": []}}},
        {"measures": {"strain": 1}},
        {"measures": [1]},
        {"measures": ["strain", "strain"]},
    ],
)
def test_a_field_that_is_wrong_makes_it_no_cache(
    cache: FrameCache, changes: dict[str, object]
) -> None:
    (cache.folder / "cache.json").write_text(described(cache.folder))
    assert FrameCache(cache.folder).last_frame == 12
    (cache.folder / "cache.json").write_text(described(cache.folder, **changes))
    assert FrameCache(cache.folder).first_frame is None


@pytest.mark.parametrize(
    "changes",
    [
        {"format": 1, "objects": None, "measures": None, "point_counts": {"../victim": 4}},
        {"format": 2, "objects": None, "point_counts": {"../victim": 4}},
        {"objects": {"../victim": {"points": 4, "fingerprint": "", "met": []}}},
    ],
)
def test_no_file_outside_of_the_folder_is_deleted(
    cache: FrameCache, changes: dict[str, object]
) -> None:
    cache.close()
    victim = cache.folder.parent / "victim.pc2"
    victim.write_text("mine")
    foreign = described(cache.folder, **changes)
    for act in (FrameCache.clear, lambda found: found.create("", of_points(a=1), 1, "play")):
        cache.folder.mkdir(exist_ok=True)
        (cache.folder / "cache.json").write_text(foreign)
        found = FrameCache(cache.folder)
        act(found)
        found.close()
        assert victim.read_text() == "mine"


def earlier_cache(folder: Path, number: int) -> None:
    """As versions wrote it that knew no checksums."""
    folder.mkdir()
    counts = {"a": 4, "measures": 2} if number == 1 else {"a": 4}
    for object_id, points in counts.items():
        header = struct.pack("<12siiffi", b"POINTCACHE2\0", 1, points, 3.0, 1.0, 1)
        (folder / f"{object_id}.pc2").write_bytes(header + frame(1, points).tobytes())
    description = {
        "format": number,
        "fingerprint": "print",
        "source": "play",
        "frame_start": 3,
    }
    if number < 3:
        description["point_counts"] = counts
    else:
        objects = {key: {"points": counts[key], "fingerprint": "", "met": []} for key in counts}
        description |= {"measures": ["strain"], "objects": objects}
    if number == 2:
        description["measures"] = ["a strain"]
        (folder / "measures.f32").write_bytes(struct.pack("<f", 3.0))
    (folder / "cache.json").write_text(json.dumps(description))


each_earlier = pytest.mark.parametrize("number", [1, 2, 3])


@each_earlier
def test_a_cache_of_a_format_before_counts_as_none_and_is_deleted(
    tmp_path: Path, number: int
) -> None:
    folder = tmp_path / "cache"
    earlier_cache(folder, number)
    cache = FrameCache(folder)
    assert cache.is_earlier
    assert (cache.first_frame, cache.fingerprint, cache.objects) == (None, "", {})
    assert cache.read("a", 3) is None
    cache.clear()
    assert not cache.is_earlier
    assert not folder.exists()


@each_earlier
def test_a_new_cache_leaves_nothing_of_a_format_before(tmp_path: Path, number: int) -> None:
    folder = tmp_path / "cache"
    earlier_cache(folder, number)
    cache = FrameCache(folder)
    cache.create("print", of_points(b=2), 1, "play", ["strain"])
    assert not cache.is_earlier
    cache.append(1, {"b": frame(1, 2)}, {"b": {"strain": 0.5}})
    names = {path.name for path in folder.iterdir()}
    assert names == {"b.pc2", "b.f32", "b.checksums", "cache.json", "cache.lock"}
