# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames on disk: what is found again, what half-written or foreign files do, what is deleted."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import pytest
from cached_frames import described, frame, of_points

from core.frame_cache import CachedObject, CacheError, FrameCache, description, plain_file
from core.frame_cache.frame_file import FrameFile


def test_frames_are_found_again(cache: FrameCache) -> None:
    again = FrameCache(cache.folder)
    assert (again.first_frame, again.last_frame) == (10, 12)
    assert (again.fingerprint, again.source) == ("print", "simulate")
    assert again.objects == {
        "a": CachedObject(4, "a's", ["b"]),
        "b": CachedObject(2, "b's", ["a"]),
    }
    np.testing.assert_array_equal(again.read("a", 12), frame(2))
    np.testing.assert_array_equal(again.read("b", 11), frame(-1, 2))


def test_subframes_are_interpolated(cache: FrameCache) -> None:
    np.testing.assert_allclose(cache.read("a", 10.25), frame(0.25))


@pytest.mark.parametrize("number", [9, 9.99, 12.01, 13])
def test_nothing_outside_the_range(cache: FrameCache, number: float) -> None:
    assert cache.read("a", number) is None


def test_unknown_object(cache: FrameCache) -> None:
    assert cache.read("c", 10) is None


def test_empty_folder(tmp_path: Path) -> None:
    cache = FrameCache(tmp_path / "none")
    assert cache.first_frame is None
    assert cache.last_frame is None
    assert cache.read("a", 1) is None
    cache.clear()


def test_header_is_pc2(cache: FrameCache) -> None:
    content = (cache.folder / "a.pc2").read_bytes()
    assert struct.unpack("<12siiffi", content[:32]) == (b"POINTCACHE2\0", 1, 4, 10.0, 1.0, 3)
    assert len(content) == 32 + 3 * 4 * 12


def test_a_frame_that_is_half_written_in_every_file_is_overwritten(cache: FrameCache) -> None:
    for name, size in (("a", 4), ("b", 2)):
        with (cache.folder / f"{name}.pc2").open("ab") as file:
            file.write(frame(9, size).tobytes()[:-1])
    cache.close()
    again = FrameCache(cache.folder)
    assert again.last_frame == 12
    assert again.read("a", 13) is None
    again.append(13, {"a": frame(3), "b": frame(-3, 2)})
    np.testing.assert_array_equal(FrameCache(cache.folder).read("a", 13), frame(3))


def test_a_frame_that_one_file_has_half_and_the_others_whole_does_not_count(
    measured: FrameCache,
) -> None:
    contents = {path: path.read_bytes() for path in measured.folder.iterdir()}
    files = [path for path in contents if path.suffix in {".pc2", ".f32", ".checksums"}]
    assert len(files) == 3
    measured.append(5, {"a": frame(5)}, {"a": {"strain": 5.0, "residual": 50.0}})
    for half in files:
        whole = half.read_bytes()
        half.write_bytes(whole[: (len(contents[half]) + len(whole)) // 2])
        assert FrameCache(measured.folder).last_frame == 4, half
        half.write_bytes(whole)
    assert FrameCache(measured.folder).last_frame == 5


def test_frames_that_only_one_object_has_are_not_those_of_all(cache: FrameCache) -> None:
    cache.append(13, {"a": frame(9)})
    again = FrameCache(cache.folder)
    assert (again.first_frame, again.last_frame) == (10, 12)
    assert [again.last_frame_of(each) for each in "abc"] == [13, 12, None]
    np.testing.assert_array_equal(again.read("a", 13), frame(9))
    assert again.read("b", 13) is None


def test_the_users_file_can_change(cache: FrameCache) -> None:
    cache.set_document("other.blend")
    again = FrameCache(cache.folder)
    found = (again.found_document, again.last_frame, again.fingerprint)
    assert found == ("other.blend", 12, "print")


def test_truncate(cache: FrameCache) -> None:
    cache.truncate(10, ["a"])
    again = FrameCache(cache.folder)
    assert [again.last_frame_of(each) for each in "ab"] == [10, 12]
    cache.append(11, {"a": frame(7)})
    np.testing.assert_array_equal(cache.read("a", 11), frame(7))
    np.testing.assert_array_equal(cache.read("b", 12), frame(-2, 2))
    cache.truncate(0, "ab")
    assert cache.last_frame is None


def test_the_newest_frame_is_what_another_reader_finds(cache: FrameCache) -> None:
    given = frame(3)
    cache.append(13, {"a": given, "b": frame(-3, 2)})
    given[:] = 8.0
    np.testing.assert_array_equal(cache.read("a", 13), FrameCache(cache.folder).read("a", 13))
    np.testing.assert_array_equal(cache.read("a", 12.5), frame(2.5))
    with pytest.raises(ValueError, match="read-only"):
        cache.read("a", 13)[0] = 1.0


def test_the_newest_frame_goes_with_the_others(cache: FrameCache) -> None:
    cache.truncate(11, "ab")
    np.testing.assert_array_equal(cache.read("a", 11), frame(1))
    cache.create("other", of_points(a=4, b=2), 12, "play")
    assert cache.read("a", 12) is None
    cache.append(12, {"a": frame(5), "b": frame(5, 2)})
    np.testing.assert_array_equal(cache.read("a", 12), frame(5))


def test_a_folder_that_stays_holds_no_frame_in_memory(
    cache: FrameCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    def locked(_path: Path) -> None:
        raise PermissionError(13, "in use")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rmdir", locked)
        with pytest.raises(CacheError, match="in use"):
            cache.clear()
    assert cache.read("a", 12) is None


def test_clear_leaves_foreign_files(cache: FrameCache) -> None:
    (cache.folder / "notes.txt").write_text("mine")
    cache.clear()
    assert [path.name for path in cache.folder.iterdir()] == ["notes.txt"]


def test_clear_removes_the_folder(cache: FrameCache) -> None:
    cache.clear()
    assert not cache.folder.exists()
    assert cache.fingerprint == ""


def test_append_refuses_gaps_and_wrong_shapes(cache: FrameCache) -> None:
    with pytest.raises(ValueError, match="frame 13 comes next"):
        cache.append(14, {"a": frame(0), "b": frame(0, 2)})
    with pytest.raises(ValueError, match="expected"):
        cache.append(13, {"a": frame(0), "c": frame(0)})
    with pytest.raises(ValueError, match="expected"):
        cache.append(13, {})
    with pytest.raises(ValueError, match="shape"):
        cache.append(13, {"a": frame(0, 3), "b": frame(0, 2)})


def test_measures_are_found_again_by_their_names(measured: FrameCache) -> None:
    for cache in (measured, FrameCache(measured.folder)):
        assert cache.read_measures("a", 3) == {"strain": 3.0, "residual": 30.0}
        assert cache.read_measures("a", 4) == {"strain": 4.0, "residual": 40.0}
        assert cache.read_measures("a", 3.5) == {"strain": 3.5, "residual": 35.0}
        assert cache.read_measures("a", 2) is None
        assert cache.read_measures("a", 5) is None
        assert cache.read_measures("b", 3) is None


def test_measures_are_a_table_of_single_precision(measured: FrameCache) -> None:
    content = (measured.folder / "a.f32").read_bytes()
    assert struct.unpack("<4f", content) == (3.0, 30.0, 4.0, 40.0)


def test_a_cache_without_measures_has_none(cache: FrameCache) -> None:
    assert cache.read_measures("a", 10) is None
    assert not list(cache.folder.glob("*.f32"))


def test_an_object_may_have_any_plain_name(tmp_path: Path) -> None:
    cache = FrameCache(tmp_path / "cache")
    cache.create("", of_points(measures=2, cache=1), 1, "play", ["strain"])
    measures = {"measures": {"strain": 3.0}, "cache": {"strain": 4.0}}
    cache.append(1, {"measures": frame(1, 2), "cache": frame(2, 1)}, measures)
    again = FrameCache(cache.folder)
    np.testing.assert_array_equal(again.read("measures", 1), frame(1, 2))
    assert again.read_measures("measures", 1) == {"strain": 3.0}
    assert again.read_measures("cache", 1) == {"strain": 4.0}


@pytest.mark.parametrize("measures", [None, {}, {"strain": 1.0}, {"strain": 1, "other": 2}])
def test_append_refuses_other_measures(
    measured: FrameCache, measures: dict[str, float] | None
) -> None:
    with pytest.raises(ValueError, match=r"Measures \['residual', 'strain'\] expected"):
        measured.append(5, {"a": frame(5)}, None if measures is None else {"a": measures})
    assert FrameCache(measured.folder).last_frame == 4


def test_create_refuses_measures_of_one_name_and_keeps_the_frames(measured: FrameCache) -> None:
    with pytest.raises(ValueError, match="the same name"):
        measured.create("", of_points(a=4), 1, "play", ["strain", "strain"])
    assert FrameCache(measured.folder).last_frame == 4


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../victim", "a/b", "a\\b", "C:a", "a\0", "a" * 101]
)
def test_create_refuses_ids_that_are_no_plain_names(cache: FrameCache, name: str) -> None:
    with pytest.raises(ValueError, match="can't name a file"):
        cache.create("", {name: CachedObject(4)}, 1, "play")
    assert FrameCache(cache.folder).last_frame == 12


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


# --- objects that stay ----------------------------------------------------------------------------


KEPT = CachedObject(4, "a's, told otherwise", [])


def test_what_is_kept_stays_with_its_frames(cache: FrameCache) -> None:
    objects = {"a": KEPT, **of_points(b=3, c=1)}
    cache.create("other", objects, 10, "play", keep=["a"])
    for found in (cache, FrameCache(cache.folder)):
        assert (found.fingerprint, found.source, found.objects) == ("other", "play", objects)
        assert [found.last_frame_of(each) for each in "abc"] == [12, None, None]
        assert (found.first_frame, found.last_frame) == (10, 12)
        np.testing.assert_array_equal(found.read("a", 12), frame(2))
        assert found.read("b", 10) is None


def test_objects_go_on_where_they_are(cache: FrameCache) -> None:
    cache.create("other", {"a": KEPT, **of_points(b=3)}, 10, "play", keep=["a"])
    cache.append(10, {"b": frame(7, 3)})
    assert (cache.first_frame, cache.last_frame) == (10, 10)
    with pytest.raises(ValueError, match="Frame 11 can't be appended: frame 13 comes next"):
        cache.append(11, {"a": frame(0), "b": frame(0, 3)})
    cache.append(13, {"a": frame(3)})
    cache.append(11, {"b": frame(8, 3)})
    again = FrameCache(cache.folder)
    assert [again.last_frame_of(each) for each in "ab"] == [13, 11]
    np.testing.assert_array_equal(again.read("a", 13), frame(3))
    np.testing.assert_array_equal(again.read("b", 10.5), frame(7.5, 3))


def test_what_is_neither_kept_nor_begun_is_deleted(cache: FrameCache) -> None:
    cache.create("other", {"a": KEPT, **of_points(c=1)}, 10, "play", keep=["a"])
    assert {path.name for path in cache.folder.glob("*.pc2")} == {"a.pc2", "c.pc2"}
    cache.create("other", {"a": KEPT}, 10, "play", keep=["a"])
    names = {path.name for path in cache.folder.iterdir()}
    assert names == {"a.pc2", "a.checksums", "cache.json", "cache.lock"}
    assert cache.last_frame == 12


@pytest.mark.parametrize(
    ("points", "start", "measures", "keep"),
    [(4, 11, [], "a"), (4, 10, ["strain"], "a"), (5, 10, [], "a"), (4, 10, [], "c")],
    ids=["another start", "other measures", "other points", "not held"],
)
def test_what_can_not_be_kept(
    cache: FrameCache, points: int, start: int, measures: list[str], keep: str
) -> None:
    with pytest.raises(ValueError, match=f"'{keep}' can't be kept"):
        cache.create("other", of_points(a=points, c=1), start, "play", measures, keep=[keep])
    assert FrameCache(cache.folder).objects == cache.objects
    assert cache.last_frame == 12


def test_what_is_known_of_an_object_can_change(cache: FrameCache) -> None:
    told = {"a": CachedObject(4, "new", ["b", "c"])}
    cache.tell(told)
    again = FrameCache(cache.folder)
    assert again.objects == told | {"b": CachedObject(2, "b's", ["a"])} == cache.objects
    assert again.last_frame == 12


def test_a_folder_that_is_full_keeps_what_was_to_be_kept(
    cache: FrameCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_file: FrameFile) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(FrameFile, "create", full)
        with pytest.raises(CacheError, match="No space left"):
            cache.create("other", {"a": KEPT, **of_points(c=1)}, 10, "play", keep=["a"])
    np.testing.assert_array_equal(cache.read("a", 12), frame(2))


def test_a_description_that_cannot_be_read_back_is_told(
    cache: FrameCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = description.write

    def unreadable(_path: Path, _mode: str) -> None:
        raise OSError(24, "Too many open files")

    with monkeypatch.context() as patch:

        def write_then_fail(path: Path, content: description.Description) -> None:
            write(path, content)
            patch.setattr(plain_file, "opened", unreadable)

        patch.setattr(description, "write", write_then_fail)
        with pytest.raises(CacheError, match="Too many open files"):
            cache.create("other", of_points(a=4), 10, "play")
    assert cache.read("a", 10) is None
    cache.create("other", of_points(a=4), 10, "play")
    cache.append(10, {"a": frame(5)})
    np.testing.assert_array_equal(cache.read("a", 10), frame(5))


def test_what_a_program_that_died_left_is_deleted(measured: FrameCache) -> None:
    measured.close()
    (measured.folder / "cache.tmp").write_text('{\n "form')
    (measured.folder / "a.pc2").unlink()
    assert FrameCache(measured.folder).first_frame is None
    FrameCache(measured.folder).clear()
    assert not measured.folder.exists()


def test_folder_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CacheError, match=r"file.*choose another cache folder"):
        FrameCache(tmp_path / "file").create("", of_points(a=1), 1, "play")


@pytest.mark.parametrize("full_file", ["a.pc2", "a.f32"])
def test_full_disk_keeps_frames(
    measured: FrameCache, full_file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = FrameFile.write
    measures = {"strain": 5.0, "residual": 50.0}
    sizes = {path: path.stat().st_size for path in measured.folder.iterdir()}

    def full(self: FrameFile, index: int, values: np.ndarray) -> None:
        if self.path.name == full_file:
            raise OSError(28, "No space left on device")
        write(self, index, values)

    with monkeypatch.context() as patch:
        patch.setattr(FrameFile, "write", full)
        with pytest.raises(CacheError, match="No space left on device"):
            measured.append(5, {"a": frame(5)}, {"a": measures})
    assert measured.last_frame == 4
    assert {path: path.stat().st_size for path in measured.folder.iterdir()} == sizes
    measured.append(5, {"a": frame(5)}, {"a": measures})
    np.testing.assert_array_equal(measured.read("a", 5), frame(5))
    assert measured.read_measures("a", 5) == measures
