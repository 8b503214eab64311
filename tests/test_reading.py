"""Regular files of limited size, depth and expansion; everything else is one clear error."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from farkas import reading
from farkas.errors import FileProblem
from farkas.reading import (
    opened,
    read_bytes,
    read_record,
    require_shallow,
    require_single,
)


def test_a_file_is_read_whole(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b"[1]\n")
    assert read_bytes(tmp_path / "a.json") == b"[1]\n"
    assert read_record(str(tmp_path / "a.json")) == b"[1]\n"
    with opened(tmp_path / "a.json") as stream:
        assert stream.readline() == b"[1]\n"


def test_a_link_to_a_file_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x")
    (tmp_path / "b").symlink_to("a")
    assert read_bytes(tmp_path / "b") == b"x"


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/urandom", "/dev/null", "/dev/tty"])
def test_a_device_is_refused_unread(device: str) -> None:
    if not os.path.exists(device):
        pytest.skip(f"this system has no {device}")
    with pytest.raises(FileProblem, match="no regular file"):
        read_bytes(device)


def test_a_pipe_without_a_writer_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FileProblem, match="no regular file"):
        read_bytes(tmp_path / "pipe")


def test_a_pipe_that_takes_the_place_of_a_file_is_refused_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_bytes(b"")
    os.mkfifo(tmp_path / "pipe")
    looked_at = os.stat(tmp_path / "file")
    monkeypatch.setattr(reading.os, "stat", lambda path: looked_at)
    with pytest.raises(FileProblem, match="no regular file"):
        read_bytes(tmp_path / "pipe")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("missing", "missing: no such file"),
        (".", "is a directory"),
        ("nul\0", "null"),
        ("a" * 300, "too long"),
        ("loop", "symbolic links"),
        ("file/below", "directory"),
    ],
)
def test_a_name_without_a_file_is_one_line(tmp_path: Path, name: str, words: str) -> None:
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(FileProblem, match=words) as caught:
        read_bytes(f"{tmp_path}/{name}")
    assert str(caught.value).isprintable()


def test_the_most_bytes_are_read_and_one_more_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"12345")
    assert read_bytes(tmp_path / "a", 5) == b"12345"
    with pytest.raises(FileProblem, match="holds 5 bytes; 4 are the most"):
        read_bytes(tmp_path / "a", 4)


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="this system has no /proc")
def test_a_file_that_is_longer_than_the_system_says_is_refused() -> None:
    assert os.stat("/proc/self/maps").st_size == 0
    with pytest.raises(FileProblem, match="more than 10 bytes"):
        read_bytes("/proc/self/maps", 10)


class Waiting(io.BytesIO):
    """What the system gives of a file like /proc/kmsg, of which nothing is written yet."""

    def read(self, size: int | None = -1) -> None:  # type: ignore[override]
        return None


def test_a_file_that_has_nothing_to_give_yet_is_empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "log").write_bytes(b"")

    @contextlib.contextmanager
    def waiting(path: object, most: object = None) -> Iterator[Waiting]:
        yield Waiting()

    monkeypatch.setattr(reading, "opened", waiting)
    assert read_bytes(tmp_path / "log") == b""


@pytest.mark.parametrize(
    "text",
    [
        b"[" * 3 + b"]" * 3,
        b'[{"a": [1]}]',
        b"[[[]]]" * 9,
        b"]]]]" + b"[" * 3,
        b"",
        b"1",
        b'["[[[[", "a\\"[[[", [[]]]',
        b"[]" * 9,
    ],
)
def test_three_levels_are_three(text: bytes) -> None:
    require_shallow(text, "file", 3)


@pytest.mark.parametrize(
    "text",
    [
        b"[" * 4,
        b'[{"a": [{}]}]',
        b"[[[]]]" * 9 + b"[[[[",
        b'{"hidden": "]]]]]]]]]]", "b": [[[',
        b'["]", ["]", ["\\"]", [',
    ],
)
def test_four_levels_are_refused_wherever_the_text_is_cut(
    text: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    for chunk in (1, 2, 5, 1000):
        monkeypatch.setattr(reading, "_CHUNK", chunk)
        with pytest.raises(FileProblem, match="file: lists or objects are nested too deep"):
            require_shallow(text, "file", 3)


def test_a_record_that_is_too_deep_is_refused(tmp_path: Path) -> None:
    (tmp_path / "deep.json").write_bytes(b"[" * 10**6)
    with pytest.raises(FileProblem, match="nested too deep"):
        read_record(tmp_path / "deep.json")


@pytest.mark.parametrize(
    "text", [b'{"a": 1, "b": {"a": 2}}', b"[1, [2]]", b"{", b"\xff", b"1" * 9000]
)
def test_keys_of_different_objects_and_what_is_no_json_pass(text: bytes) -> None:
    require_single(text, "file")


@pytest.mark.parametrize(
    "text", [b'{"a": 1, "a": 1}', b'[{"b": {"a": 1, "c": 2, "a": 3}}]', b'{"\\u0061": 1, "a": 2}']
)
def test_a_key_that_stands_twice_is_named(text: bytes) -> None:
    with pytest.raises(FileProblem, match="file: key 'a' stands twice"):
        require_single(text, "file")
