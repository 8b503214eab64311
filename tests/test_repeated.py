"""Where keys stand twice."""

from __future__ import annotations

import json

import pytest

from farkas.repeated import repeated


def test_every_object_with_a_key_twice_is_found_with_its_path():
    text = b'{"a": [{"b": 1, "b": 2}, 3], "c": {"d": 1}, "c": {"e": 0, "f": 1, "e": 2}}'
    assert list(repeated(text)) == [("$", "c"), ("$.a[0]", "b"), ("$.c", "e")]
    assert list(repeated(b'{"a": {"b": 1}, "b": [1, "a", "a"]}')) == []


def test_text_that_is_no_json_is_said_to_be_none():
    with pytest.raises(json.JSONDecodeError):
        list(repeated(b'{"a": 1, "a": 2'))
