"""Text of others cannot break lines, hide marks, or end the quotation it stands in."""

from __future__ import annotations

import sys

import pytest

from farkas.words import cleaned, cut, named, quoted

NASTY = [
    "a\naccepted: b",
    "a\r\nb",
    "\x1b[2K\x1b[1Aaccepted",
    "\x9b2K",
    "x\u202ey\u2066z\u200f\u061c",
    "zero\u200bwidth\ufeff",
    "line\u2028paragraph\u2029next\x85",
    "lone \udcff",
    'end".  Proved: "more',
    'end\\".  Proved',
    "tag \U000e0041",
    "nul\0",
]


@pytest.mark.parametrize("text", NASTY)
def test_whatever_the_text_one_printable_line_is_shown(text):
    for shown in (cleaned(text), quoted(text), named(text)):
        assert shown.isprintable()
        assert shown.encode()  # a lone surrogate would not go out


def test_no_letter_that_moves_or_hides_others_is_left():
    # every character there is: what is invisible, breaks lines or turns them round is spelt
    for code in range(sys.maxunicode + 1):
        letter = chr(code)
        assert cleaned(letter) == letter or not letter.isprintable()
        assert cleaned(letter).isprintable()


@pytest.mark.parametrize("text", NASTY)
def test_a_quotation_ends_where_its_text_ends(text):
    body = quoted(text)[1:-1]
    rest = body.replace("\\\\", "").replace('\\"', "")
    assert '"' not in rest
    assert not rest.endswith("\\")


def test_names_stand_bare_and_sentences_in_quotation_marks():
    for name in ("mlbroker/tiny", "dps.interval_lp[fixed]", "/tmp/a-b/run.json", "~x", "k=1"):
        assert named(name) == name
    for text in ("", "x: bound 5", "a b", "a;b", "\u0430bc", "-x", "a" * 201):
        assert named(text).startswith('"')


def test_long_text_loses_its_middle():
    assert cut("abcdefghij", 10) == "abcdefghij"
    assert cut("abcdefghijk", 10) == "abcd...ijk"
    assert len(quoted("a" * 10**6)) == 202
