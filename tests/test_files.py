"""Regular files of limited size, depth and expansion; everything else is one clear error."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from farkas import files
from farkas.errors import FileProblem
from farkas.files import opened, read_bytes, read_record, require_shallow, require_single
from farkas.files.writing import replacing, require_folder, require_target, write_bytes, write_text


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
    monkeypatch.setattr(files.os, "stat", lambda path: looked_at)
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


class QueuedJob(io.BytesIO):
    """What the system gives of a file like /proc/kmsg, of which nothing is written yet."""

    def read(self, size: int | None = -1) -> None:  # type: ignore[override]
        return None


def test_a_file_that_has_nothing_to_give_yet_is_empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "log").write_bytes(b"")

    @contextlib.contextmanager
    def waiting(path: object, most: object = None) -> Iterator[QueuedJob]:
        yield QueuedJob()

    monkeypatch.setattr(files, "opened", waiting)
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
        monkeypatch.setattr(files, "_CHUNK", chunk)
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


def fail_half_way(path: Path, error: BaseException) -> None:
    with replacing(path) as stream:
        stream.write(b"half of the n")
        raise error


def test_a_failure_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:
    target = tmp_path / "run.json"
    target.write_text("old")
    with pytest.raises(RuntimeError):
        fail_half_way(target, RuntimeError())
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["run.json"]


def test_an_interrupt_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        fail_half_way(tmp_path / "run.json", KeyboardInterrupt())
    assert os.listdir(tmp_path) == []


def test_permissions_of_a_replaced_file_stay(tmp_path: Path) -> None:
    target = tmp_path / "run.json"
    target.write_text("old")
    target.chmod(0o640)
    write_text(target, "new ω")
    assert target.read_text(encoding="utf-8") == "new ω"
    assert target.stat().st_mode & 0o777 == 0o640


def test_a_new_file_has_the_permissions_that_open_gives(tmp_path: Path) -> None:
    # tempfile alone would give 0600, unreadable for the group
    (tmp_path / "plain").write_text("")
    write_bytes(tmp_path / "ours", b"")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_a_link_stays_a_link_and_its_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_text(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


@pytest.mark.parametrize("name", ["", "missing/run.json", "a" * 300, "nul\0byte"])
def test_an_impossible_path_is_one_clear_error(tmp_path: Path, name: str) -> None:
    with pytest.raises(FileProblem) as caught:
        write_text(tmp_path / name if name else tmp_path, "x")
    assert "\n" not in str(caught.value)
    assert os.listdir(tmp_path) == []


def test_a_device_is_written_directly() -> None:
    write_text("/dev/null", "x")
    assert Path("/dev/null").is_char_device()


def test_a_pipe_that_nobody_reads_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    with pytest.raises(FileProblem, match="cannot be written: No such device"):
        write_text(tmp_path / "pipe.json", "x")


def test_a_pipe_that_is_read_is_written(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    reader = os.open(tmp_path / "pipe.json", os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_text(tmp_path / "pipe.json", "whole")
        assert os.read(reader, 9) == b"whole"
    finally:
        os.close(reader)


def test_a_name_that_no_file_can_have_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match="no file name"):
        write_text(tmp_path / "\ud800", "x")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_is_one_clear_error() -> None:
    with pytest.raises(FileProblem, match="No space left"):
        write_text("/dev/full", "x" * 100_000)


def test_a_pipe_that_nobody_reads_is_refused_before_any_work(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    with pytest.raises(FileProblem, match="cannot be written: No such device"):
        require_target(tmp_path / "pipe.json")


def test_whoever_reads_a_pipe_sees_it_open_until_it_is_written(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    reader = os.open(tmp_path / "pipe.json", os.O_RDONLY | os.O_NONBLOCK)
    try:
        require_target(tmp_path / "pipe.json")
        with pytest.raises(BlockingIOError):  # nothing yet, and not the end of the file either
            os.read(reader, 9)
        write_text(tmp_path / "pipe.json", "whole")
        assert (os.read(reader, 9), os.read(reader, 9)) == (b"whole", b"")
    finally:
        os.close(reader)


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="this system has no /proc")
def test_a_place_where_no_file_can_be_made_is_refused_before_any_work(tmp_path: Path) -> None:
    for name in ("/proc/run.json", str(tmp_path / ("a" * 300))):
        with pytest.raises(FileProblem, match="cannot be written"):
            require_target(name)
    for name in ("/proc/folder", "/proc/deep/folder"):
        with pytest.raises(FileProblem, match="no folder"):
            require_folder(name)
    (tmp_path / "file").write_text("")
    for name in ("file", "file/folder", "nul\0byte"):
        with pytest.raises(FileProblem, match="no folder"):
            require_folder(tmp_path / name)


def test_asking_whether_a_file_or_folder_can_be_written_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "old").write_text("old")
    for name in ("old", "new"):
        require_target(tmp_path / name)
    for name in (".", "new", "new/er"):
        require_folder(tmp_path / name)
    assert (os.listdir(tmp_path), (tmp_path / "old").read_text()) == (["old"], "old")
