"""JSON that shows what it holds."""

from __future__ import annotations

import json

import pytest

from farkas.visible import visible_json
from tests.test_words import NASTY


@pytest.mark.parametrize("text", NASTY[:7] + NASTY[8:])
def test_json_says_the_same_with_marks_spelt(text):
    plain = json.dumps({"name": text}, ensure_ascii=False, indent=1)
    shown = visible_json(plain)
    assert json.loads(shown) == {"name": text}
    assert all(line.isprintable() for line in shown.split("\n"))
