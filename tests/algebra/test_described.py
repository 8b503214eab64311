"""Programs in words."""

from __future__ import annotations

from farkas.algebra.formulation import described, rules_in_words
from tests.algebra.test_rules import Base


def test_a_program_is_said_in_words_with_sets_and_labels():
    rules = [
        "min aim: What counts.", "  (1) first for every (things): One.", "  (2) second: Two.",
    ]  # fmt: skip
    assert rules_in_words(Base(size="large")) == rules
    assert described(Base(size="large")).splitlines() == ["Two families.", "", *rules]
    assert Base().describe() == described(Base())
