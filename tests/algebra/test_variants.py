"""Words in brackets and the options that they mean."""

from __future__ import annotations

import pytest

from farkas.algebra.formulation import programs
from farkas.algebra.program import by_option
from farkas.errors import InvalidOption
from tests.algebra.test_formulation import Switched


def test_words_take_the_options_that_they_fit_in_any_order():
    both = {"speed": "fast", "depth": "deep"}
    assert by_option(Switched, ["fast", "deep"]) == by_option(Switched, ["deep", "fast"]) == both
    assert by_option(Switched, ["depth=deep", "fast"]) == both
    assert by_option(Switched, []) == {}


def test_a_name_without_words_takes_the_keywords():
    program = programs.build("mlbroker.offline", semantics="strict")
    assert program.variant == programs.build("mlbroker.offline[strict]").variant
    assert program.variant["semantics"] == "strict"


def test_two_words_of_one_option_are_refused():
    with pytest.raises(InvalidOption, match="says one option twice"):
        by_option(Switched, ["fast", "slow"])
