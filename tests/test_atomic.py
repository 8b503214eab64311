"""Files appear whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from farkas.atomic import replacing, require_folder, require_target, write_bytes, write_text
from farkas.errors import FileProblem


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
