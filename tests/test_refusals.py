"""Messages are one line each, and repeat no file without quotation marks."""

from __future__ import annotations

import pytest

from farkas.refusals import one_line, parsed, shown
from tests.test_words import NASTY


@pytest.mark.parametrize("text", NASTY)
def test_whatever_the_text_a_message_is_one_printable_line(text):
    assert one_line(text).isprintable()
    assert one_line(text).encode()


def test_long_messages_and_long_words_lose_their_middle():
    assert len(one_line("a " * 10**6)) == 4000
    assert one_line(f"no {'a' * 10**6} here") == f"no {'a' * 199}...{'a' * 198} here"


@pytest.mark.parametrize("text", NASTY)
def test_what_a_decoder_repeats_of_a_file_is_quoted_unless_it_is_a_name(text):
    assert parsed(f"Invalid enum value '{text}' - at `$.x`").endswith('" - at `$.x`')
    assert parsed("Invalid enum value 'plain' - at `$.x`") == "unknown value 'plain' - at `$.x`"
    assert parsed("Expected `int`, got `str`") == "Expected a whole number, got text"


def test_values_are_shown_as_python_writes_them_and_cut():
    assert shown("x\n") == r"'x\n'"
    assert shown(10**5000) == "<int>"
    assert len(shown("a" * 999)) == 200


@pytest.mark.parametrize(("said", "words"), [
    ("JSON is malformed: bad (byte 3)", "not JSON: bad (byte 3)"),
    ("Input data was truncated", "not JSON: it ends too early"),
    ("'utf-8' codec can't decode", "not JSON: 'utf-8' codec can't decode"),
    ("Object missing required field `x` - at `$`", "missing required field `x` - at `$`"),
    ("Object contains unknown field `x`", "unknown field `x`"),
    ("Object contains unknown field `a b` - at `$.x`", 'unknown field "a b" - at `$.x`'),
    ("Expected `int`, got `float`", "Expected a whole number, got a number with a point"),
    ("Expected `float`, got `bool`", "Expected a number, got a truth value"),
    ("Expected `int | null`, got `array`", "Expected a whole number or null, got a list"),
    ("Expected `object`, got `null`", "Expected an object of names and values, got null"),
    (r"Expected `str` matching regex '^[^\x00]*$' - at `$.name`",
     "Expected text without control characters - at `$.name`"),
])  # fmt: skip
def test_what_a_decoder_says_is_said_in_words(said, words):
    assert parsed(said) == words
