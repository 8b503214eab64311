"""Programs of fractions inside certificates."""

from __future__ import annotations

import pytest

from farkas.certificates import rational
from farkas.certificates.packed import deflate
from farkas.certificates.rational import PackedText
from farkas.errors import NotACertificate
from farkas.forms.rational import RationalForm
from tests.generators.rational import program, random_integer, random_linear


def form() -> RationalForm:
    return program(
        [["1/2", 1], [3, 0]], cost=["1/3", 2], rows=[(1, None), (None, 4)],
        ends=[(0, 1), (None, None)], whole=[1, 0], offset="-7/2", sense="max",
    )  # fmt: skip


def packed(text: str) -> PackedText:
    return PackedText(size=len(text), text=deflate(text.encode()))


@pytest.mark.parametrize("seed", range(20))
def test_programs_come_back(seed: int) -> None:
    for one in (random_linear(seed), random_integer(seed)):
        back = PackedText.of(one).form("again")
        assert (back.sha256, back.text, back.name) == (one.sha256, one.text, "again")


def test_a_program_without_rows_or_terms_comes_back() -> None:
    for one in (program([], cost=[1]), program([[0, 0]], cost=[1, 1], rows=[(None, 3)])):
        assert PackedText.of(one).form("x").sha256 == one.sha256


def test_numbers_of_as_many_digits_as_are_allowed_come_back() -> None:
    long = "7" * 4000
    one = program([[3, f"-{long}"]], cost=[f"3/{long}", 0], rows=[(f"-{long}/3", None)],
                  ends=[(f"-{long}", f"1/{long}"), (0, None)], offset=long)  # fmt: skip
    assert PackedText.of(one).form("x").sha256 == one.sha256


@pytest.mark.ids(99)
@pytest.mark.parametrize(("old", "new", "problem"), [
    ("max", "most", "no head"), ("decimal", "octal", "no head"), ("2 2 -7/2", "3 2 -7/2", "lines"),
    ("1/3 0 1 I", "1/3 0 1 Q", "no column"), ("1/3 0 1 I", "1/3 0 1", "no column"),
    ("1/3", "2/6", "canonical"), ("1/3", "0.3", "fraction"), ("0:1 1:2", "1:2 0:1", "ascend"),
    ("0:1 1:2", "0:2 1:4", "canonical"), ("0:1 1:2", "0:1 2:2", "no term"),
    ("0:1 1:2", "0:1 1:0", "no term"), ("0:1 1:2", "0:1  1:2", "canonical"),
    ("0:1 1:2", "0:1 1:2 ", "canonical"), ("-7/2", "-7/2 ", "no head"),
    ("0:1 1:2", "0:1 1:x", "no term"), ("0:1 1:2", "0:1 0:1 1:2", "ascend"),
    ("1/3 0 1 I", "1/3 0 1 I 0", "no column"), ("0:1 1:2", "0:1 1:2\n0 1 0:1", "lines"),
    ("2 - 0:1 1:2", "2", "no row"),
])  # fmt: skip
def test_only_the_canonical_text_is_taken(old: str, new: str, problem: str) -> None:
    text = form().text
    assert text.count(old) >= 1
    with pytest.raises(NotACertificate, match=problem):
        packed(text.replace(old, new, 1)).form("x")


def test_damaged_data_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    good = PackedText.of(form())
    for bad in (
        PackedText(size=good.size + 1, text=good.text), PackedText(size=good.size, text="?"),
        PackedText(size=4, text=deflate("é".encode() * 2)), packed(""), packed("a\nb"),
    ):  # fmt: skip
        with pytest.raises(NotACertificate, match="data"):
            bad.form("x")
    monkeypatch.setattr(rational, "LARGEST_TEXT", good.size)
    assert good.form("x").text == form().text
    monkeypatch.setattr(rational, "LARGEST_TEXT", good.size - 1)
    with pytest.raises(NotACertificate, match=f"{good.size - 1} are the most"):
        good.form("x")


@pytest.mark.parametrize("text", [
    f"min decimal 0 1 0\n{'9' * 5000} - - C", f"min decimal 0 1 {'9' * 5000}\n1 - - C",
    f"min decimal 1 1 0\n1 - - C\n1/{'9' * 5000} - 0:1",
    # a common divisor would be taken out, and the side then be too long to write
    f"min decimal 1 1 0\n1 - - C\n1/{'9' * 3000} - 0:1{'0' * 3000}",
])  # fmt: skip
def test_numbers_that_cannot_be_written_again_are_refused(text: str) -> None:
    with pytest.raises(NotACertificate, match=r"is not a fraction|canonical form"):
        packed(text).form("x")


def test_a_common_divisor_of_a_row_is_refused() -> None:
    text = "min decimal 1 2 0\n1 0 1 C\n1 0 1 C\n0 - "
    assert packed(text + "0:2 1:3").form("x").num_rows == 1
    with pytest.raises(NotACertificate, match="canonical"):
        packed(text + "0:2 1:4").form("x")
    assert packed(text).form("x").num_entries == 0


def test_columns_of_every_row_ascend() -> None:
    text = "min decimal 2 2 0\n1 0 1 C\n1 0 1 C\n0 - 0:1 1:1\n0 - "
    assert packed(text + "0:1 1:2").form("x").num_entries == 4
    for row in ("1:2 0:1", "0:1 0:1"):
        with pytest.raises(NotACertificate, match="ascend"):
            packed(text + row).form("x")
