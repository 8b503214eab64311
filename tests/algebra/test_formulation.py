"""Names and variants of programs: options, brackets, and what is said twice."""

from __future__ import annotations

import re

import pytest

from farkas.algebra import Program, constraint, option, programs
from farkas.algebra.formulation import Formulation, described, first_line, rules_in_words
from farkas.errors import InvalidInstance, InvalidOption, RuleError, UnknownName, UnsupportedForm
from farkas.instances import library
from tests.algebra.test_rules import Base


def test_a_family_is_defined_once():
    with pytest.raises(RuleError, match="family total is defined twice"):

        class Twice(Program):
            @constraint("1")
            def total(m):
                return m.total >= 0

            @constraint("2")
            def total(m):  # noqa: F811
                return m.total >= 1


def test_unknown_variants_name_the_nearest():
    from farkas.algebra import programs

    with pytest.raises(InvalidOption, match="semantics cannot be 'strikt'; did you mean strict"):
        programs["mlbroker.offline"](semantics="strikt")
    with pytest.raises(InvalidOption, match="no option 'semantic'; did you mean semantics"):
        programs["mlbroker.offline"](semantic="strict")
    with pytest.raises(UnknownName, match=r"did you mean mlbroker\.offline"):
        programs.build("mlbroker.ofline")


def test_words_of_a_name_find_the_options_they_fit():
    # "printed" is a value of both options, "strict" of one: the order must not matter
    for name in ("mlbroker.outer[printed,strict]", "mlbroker.outer[strict,printed]"):
        assert programs.build(name).variant == {"semantics": "strict", "relax": "printed"}


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("mlbroker.offline[strict,strict]", "says one option twice; options: semantics=printed"),
        ("mlbroker.offline[semantics=strict,semantics=printed]", "semantics is given twice"),
        ("mlbroker.offline[semantics=strict,printed]", "says one option twice"),
    ],
)
def test_an_option_said_twice_is_refused(name, words):
    with pytest.raises(InvalidOption, match=re.escape(words)):
        programs.build(name)


class Switched(Formulation):
    """Has two switches
    of three values.

    Not this.
    """

    speed = option("slow", "fast")
    depth = option("flat", "deep", "deeper")


def test_the_first_value_of_a_switch_is_the_default():
    assert Switched().variant == {"speed": "slow", "depth": "flat"}
    assert Switched(depth="deep").full_name == "[slow,deep]"
    assert Switched(speed="fast").speed == "fast"
    assert Switched.options() == {"speed": ("slow", "fast"), "depth": ("flat", "deep", "deeper")}


def test_the_first_paragraph_is_one_line():
    assert first_line(Switched) == "Has two switches of three values."
    assert first_line(lambda: None) == ""


def test_what_is_not_linear_has_no_form_and_no_mathematics():
    with pytest.raises(UnsupportedForm, match="is not linear: it is shown in words only"):
        Switched().latex()
    with pytest.raises(UnsupportedForm, match="is not linear: it has no linear form"):
        Switched().form(None)
    assert Switched().describe() == "Has two switches of three values."


@pytest.mark.parametrize("name", ["mlbroker.offline[", "[strict]", "", "a[b]c"])
def test_what_is_no_name_is_refused(name):
    with pytest.raises(InvalidOption, match=r"is no program name; write kind\.program\[value"):
        programs.build(name)


def test_a_word_that_no_option_knows_names_the_nearest():
    with pytest.raises(InvalidOption, match="has no variant 'strikt'; did you mean strict"):
        programs.build("mlbroker.offline[strikt]")
    assert programs.build(" mlbroker.offline[ semantics=strict ] ").variant["semantics"] == "strict"
    assert programs.build("mlbroker.offline", semantics="strict").variant["semantics"] == "strict"


def test_only_instances_of_another_kind_are_refused():
    class Owned(Switched):
        kind = "eris"

    Owned().check_kind(library.load("eris/tiny"))
    Owned().check_kind({"plain": "data"})
    Switched().check_kind(library.load("eris/tiny"))  # takes any kind
    with pytest.raises(InvalidInstance, match="takes instances of kind eris, not dps"):
        Owned().check_kind(library.load("dps/demo"))


def test_a_program_is_said_in_words_with_sets_and_labels():
    rules = [
        "min aim: What counts.", "  (1) first for every (things): One.", "  (2) second: Two.",
    ]  # fmt: skip
    assert rules_in_words(Base(size="large")) == rules
    assert described(Base(size="large")).splitlines() == ["Two families.", "", *rules]
    assert Base().describe() == described(Base())
