"""Files that HiGHS reads otherwise are told; where it errs the reason is known."""

from __future__ import annotations

from pathlib import Path

import pytest

import farkas
from farkas.cli import call
from farkas.forms.model_text import read_text
from farkas.forms.rational import RationalForm
from farkas.solvers.highs_reader import with_second_reading

LP = "min\n obj: x + 0.1 y\nst\n c: x + 3 y >= 1.5\nbounds\n x <= 4\nend\n"
MPS = (
    "NAME m\nROWS\n N obj\n G c\nCOLUMNS\n x obj 1 c 1\n y obj 0.1 c 3\nRHS\n r c 1.5\n"
    "BOUNDS\n UP b x 4\nENDATA\n"
)


def second(text: str, suffix: str, folder: Path) -> RationalForm:
    path = folder / f"m.{suffix}"
    path.write_bytes(text.encode())
    return with_second_reading(read_text(path))


@pytest.mark.parametrize(("text", "suffix"), [
    (LP, "lp"), (MPS, "mps"), ("\ufeff" + LP, "lp"), (LP.replace("\n", "\r"), "lp"),
    (MPS.replace("\n", "\r\n"), "mps"), (LP.replace("y", "größe"), "lp"),
    (LP.replace("end\n", "binary\n y\nend\n"), "lp"), (LP.replace("c: x", "c: x + 2 x"), "lp"),
    (LP.replace("0.1", "1e30"), "lp"),
])  # fmt: skip
def test_files_that_both_read_the_same_are_confirmed(
    text: str, suffix: str, tmp_path: Path
) -> None:
    form = second(text, suffix, tmp_path)
    assert (form.differences, form.notes, form.confirmed) == ((), (), True)


@pytest.mark.parametrize(("text", "suffix", "reason"), [
    (LP.replace("obj: x", "obj: x + 2 x"), "lp", "HiGHS keeps one of repeated terms"),
    (LP.replace("end", "binary\n x\nend"), "lp", "reach beyond 0 and 1"),
    (LP.replace("end", "lazy constraints\n d: x >= 1\nend"), "lp", "neither lazy rows nor user"),
    (LP.replace("bounds", "Lazy Constraints\n x >= 1\nbounds"), "lp", "neither lazy rows nor user"),
    (MPS.replace("RHS", " x2 c 1e-13\nRHS"), "mps", "drops those below 1e-12"),
    (MPS.replace("UP b x 4", "UP b x -4"), "mps", "HiGHS keeps the lower bound 0"),
    (MPS.replace("UP b x 4", "FX b x 1\n BV b x"), "mps", "leaves out BV"),
    (MPS.replace(" G c", " G c\n N d").replace("r c", "r d 2 c"), "mps", "another free row"),
    (MPS.replace("COLUMNS", "LAZYCONS\n G e\nCOLUMNS"), "mps", "no section LAZYCONS"),
])  # fmt: skip
def test_known_faults_of_highs_are_notes(
    text: str, suffix: str, reason: str, tmp_path: Path
) -> None:
    form = second(text, suffix, tmp_path)
    assert form.differences == ()
    assert not form.confirmed
    assert reason in form.notes[-1]


def test_repeated_terms_of_rows_excuse_nothing(tmp_path: Path) -> None:
    path = tmp_path / "m.lp"
    path.write_text(LP.replace("c: x", "c: x + 2 x"))
    assert read_text(path).faults == {}


def test_what_highs_cannot_read_is_a_note(tmp_path: Path) -> None:
    form = second(LP.replace("c: x", "c: 1 <= x").replace(">= 1.5", "<= 9"), "lp", tmp_path)
    assert form.notes == ("HiGHS does not read this file",)
    assert not form.confirmed


def test_an_unknown_section_explains_the_number_of_rows_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Path.write_bytes
    lazy = MPS.replace("COLUMNS", "LAZYCONS\n G e\nCOLUMNS")

    def write(self: Path, data: bytes) -> int:
        return real(self, data.replace(b"obj 0.1", b"obj 0.2") if self.name[0] == "m" else data)

    path = tmp_path / "lazy.mps"
    path.write_text(lazy)
    monkeypatch.setattr(Path, "write_bytes", write)
    form = with_second_reading(read_text(path))
    assert form.differences == ('cost of "y": 0.1 here, 0.2 to HiGHS',)
    assert "HiGHS knows no section LAZYCONS" in form.notes[-1]


CHANGES = {
    "lower side of": ("1.5", "1.25"), "cost of": ("0.1", "0.2"), "upper end of": ("4", "5"),
    "entry of": ("3", "2"), "columns": ("x", "z"), "sense": ("min", "max"),
    "rows": ("st", "st\n x >= 1"), "whole of": ("end", "general\n x\nend"),
    "constant": ("obj: x", "obj: x + 2"), "lower end of": (" x <=", " 1 <= x <="),
}  # fmt: skip


@pytest.fixture(params=CHANGES)
def misread(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A file that HiGHS is made to read with one change, and what differs then."""
    old, new = CHANGES[request.param]
    path = tmp_path / "m.lp"
    path.write_text(LP)
    real = Path.write_bytes
    changed = LP.replace(old, new, 1) if old != "x" else LP.replace("x", new)

    def write(self: Path, data: bytes) -> int:
        return real(self, changed.encode() if self.name == "model.lp" else data)

    monkeypatch.setattr(Path, "write_bytes", write)
    return path, request.param


def test_every_other_difference_is_told_and_sets_the_exit_code(
    misread: tuple[Path, str], capsys: pytest.CaptureFixture[str]
) -> None:
    path, what = misread
    found = farkas.prove(path)
    assert found.form.differences[0].startswith(what), found.form.differences
    assert "HiGHS reads the file otherwise" in found.statement
    assert found.to_builtins()["reader_differs"] == list(found.form.differences)
    assert "for the program as read here" in (found.claim or "for the program as read here")
    for command in ("prove", "solve"):
        assert call([command, str(path)]) == 1
        assert f"HiGHS reads {what}" in capsys.readouterr().err
        assert call([command, str(path), "--reader-differs", "accept"]) == 0
    assert call(["prove", str(path), "--reader-differs", "no"]) == 2
