"""Which file is read how."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
import zipfile
from fractions import Fraction as F
from pathlib import Path

import pytest

from farkas.errors import FileProblem
from farkas.forms import model_text
from farkas.forms.model_text import read_model

MPS = "NAME m\nROWS\n N c\n G r\nCOLUMNS\n x c 1 r 1\nRHS\n s r 0.3\nENDATA\n"
LP = "min\n x\nst\n r: x >= 0.3\nend\n"


def test_sides_from_1e20_on_are_none(tmp_path: Path) -> None:
    path = tmp_path / "m.lp"
    path.write_text(f"min x\nst\n r: x >= -1e20\n q: x >= -{10**20 - 1}\nend\n")
    assert read_model(path).row_lower == (None, 1 - F(10) ** 20)


def zipped(content: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("any name", content)
    return stream.getvalue()


PACKED = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress, "zip": zipped}


@pytest.mark.parametrize(
    "name", ["m.mps", "M.MPS", "m.lp", "m.mps.gz", "m.LP.gz", "m.mps.bz2", "m.lp.xz", "m.mps.zip"]
)
def test_the_suffix_says_the_format(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    content = (MPS if "mps" in name.lower() else LP).encode()
    path.write_bytes(PACKED.get(name.rpartition(".")[2], bytes)(content))
    form = read_model(path)
    assert (form.row_lower, form.factors) == ((F(3, 10),), (1,))
    assert form.name == "m" or name.startswith("M")


@pytest.mark.parametrize("name", ["m.txt", "m", "m.gz", "m.txt.gz", "gz", ".mps.txt"])
def test_another_suffix_is_refused(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(MPS)
    with pytest.raises(FileProblem, match=r"\.mps or \.lp"):
        read_model(path)


@pytest.mark.parametrize("packing", ["", *PACKED])
@pytest.mark.parametrize("text", [MPS, LP, "* note\n\n" + MPS, "\\ note\n" + LP])
def test_standard_input_shows_its_format(
    text: str, packing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = PACKED.get(packing, bytes)(text.encode())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    form = read_model("-")
    assert (form.row_lower, form.num_columns) == ((F(3, 10),), 1)


def test_a_byte_order_mark_is_dropped(tmp_path: Path) -> None:
    for name, text in (("m.mps", MPS), ("m.lp", LP)):
        for encoding in ("utf-8-sig", "utf-16"):
            path = tmp_path / name
            path.write_bytes(text.encode(encoding))
            assert read_model(path).column_names == ("x",)


@pytest.mark.parametrize(("spoil", "problem"), [
    (lambda c: c[:-9], "cut off"), (lambda c: b"no gzip" + c, "no gz file"),
    (lambda c: c[:15] + bytes([c[15] ^ 255]) + c[16:], "gz file|cut off"),
    (lambda c: c + b"tail", "no gz file|cut off"),
])  # fmt: skip
def test_damaged_archives_are_refused(spoil, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "m.mps.gz"
    path.write_bytes(spoil(gzip.compress(MPS.encode())))
    with pytest.raises(FileProblem, match=problem):
        read_model(path)


def test_what_unfolds_into_too_much_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_text, "LARGEST_INFLATED", 100)
    path = tmp_path / "m.mps.gz"
    path.write_bytes(gzip.compress(MPS.encode() + b"* comment\n" * 50))
    with pytest.raises(FileProblem, match="unfolds into more than 100"):
        read_model(path)


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(FileProblem) as caught:
        read_model(tmp_path / "none.mps")
    assert "\n" not in str(caught.value)


def test_other_encodings_are_read(tmp_path: Path) -> None:
    path = tmp_path / "m.mps"
    path.write_bytes(MPS.replace(" x ", " café ").encode("latin-1"))
    assert read_model(path).column_names == ("café",)
