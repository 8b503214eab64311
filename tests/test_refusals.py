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
