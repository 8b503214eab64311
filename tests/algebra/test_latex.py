"""Rules as mathematics: precedence, sums, domains."""

from __future__ import annotations

import pytest

from farkas.algebra import Between, Sum, Var
from farkas.algebra.declare import Declarations
from farkas.algebra.latex import Text, _name, domain
from farkas.errors import RuleError
from tests.algebra.toys import toy


def test_latex_reads_the_same_rules():
    def covered(m, i):
        return m.weight[i] * Sum(m.grid[i, r] for r in m.places_of[i]) >= m.budget - 1

    program = toy(covered, "things")
    type(program).example = lambda self: None
    text = program.latex()
    assert (
        r"& \mathit{weight}_{i} \, \sum_{r \in \mathit{places\_of}_{i}} \mathit{grid}_{i,r}"
        r" \ge \mathit{budget} - 1 \quad \forall i \in \mathit{things} \tag{1}"
    ) in text
    assert r"\min \quad & \mathit{total}" in text
    assert r"\mathit{total} \in \mathbb{R} \notag" in text


def test_every_index_of_a_family_is_told_with_its_set():
    def both(m, i, r):
        return m.grid[i, r] >= m.budget

    program = toy(both, "things", "places")
    type(program).example = lambda self: None
    assert r"\quad \forall i \in \mathit{things},\ r \in \mathit{places} \tag{1}" in program.latex()


A, B, C = Text("a"), Text("b"), Text("c")


@pytest.mark.ids(99)
@pytest.mark.parametrize(
    ("written", "text"),
    [
        (A - (B - C), r"a - \left(b - c\right)"),
        (A - (B + C), r"a - \left(b + c\right)"),
        ((A - B) - C, "a - b - c"),
        (A - B * C, r"a - b \, c"),
        ((A + B) * C, r"\left(a + b\right) \, c"),
        (C * (A + B), r"c \, \left(a + b\right)"),
        (2 * A, r"2 \, a"),
        (1 - A, "1 - a"),
        (1 + A, "1 + a"),
        ((A + B) / C, r"\frac{a + b}{c}"),
        (1 / A, r"\frac{1}{a}"),
        ((A * B) ** 2, r"\left(a \, b\right)^{2}"),
        (-(A + B), r"-\left(a + b\right)"),
        (-(A * B), r"-a \, b"),
        (A <= 0.5, r"a \le 0.5"),
        (A >= B, r"a \ge b"),
        (A == B, "a = b"),
    ],
)
def test_parentheses_stand_where_the_meaning_needs_them(written, text):
    assert written.text == text


@pytest.mark.parametrize(
    ("options", "tex", "words"),
    [
        ({}, r"\mathbb{R}_{+}", "a number >= 0"),
        ({"lower": -1}, r"\mathbb{R}", "a number"),
        ({"upper": 1}, "[0,1]", "in [0, 1]"),
        ({"upper": 2}, r"\mathbb{R}_{+}", "a number >= 0"),
        ({"binary": True}, r"\{0,1\}", "0 or 1"),
        ({"integer": True}, r"\mathbb{Z}_{+}", "a whole number >= 0"),
        ({"integer": True, "lower": 1}, r"\{1,2,\dots\}", "1, 2, ..."),
        ({"integer": True, "lower": -1}, r"\mathbb{Z}", "a whole number"),
    ],
)
def test_domains_are_written_and_said(options, tex, words):
    m = Declarations()
    m.x = Var(**options)
    assert domain(m.x) == (tex, words)


def written(rule, *sets, goal=lambda m: m.total):
    program = toy(rule, *sets, goal=goal)
    type(program).example = lambda self: None
    return program.latex()


def test_sums_show_every_range_and_bind_their_body():
    def kept(m):
        return Between(0, Sum(m.rate[i, r] + m.flow[i, r] for i, r in m.pairs), m.budget)

    text = written(kept)
    assert (
        r"& 0 \le \sum_{(i,r) \in \mathit{pairs}} \left(\mathit{rate}_{i,r} + "
        r"\mathit{flow}_{i,r}\right) \le \mathit{budget}"
    ) in text

    def doubled(m, i):
        return Sum(m.grid[j, r] for j in m.things for r in m.places_of[j]) >= m.weight[i]

    assert r"\sum_{j \in \mathit{things},\ r \in \mathit{places\_of}_{j}}" in written(
        doubled, "things"
    )


def test_a_program_that_is_maximised_says_so():
    program = toy(sense="max")
    type(program).example = lambda self: None
    assert program.latex().splitlines()[1].startswith(r"\max \quad & \mathit{total}")


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (lambda m: Sum([m.total]) >= 0, "Sum and Product take a generator expression"),
        (lambda m: next(m.amount[i] for i in m.things) >= 0, r"iterated outside Sum\(...\)"),
    ],
)
def test_what_cannot_be_written_is_refused(rule, words):
    with pytest.raises(RuleError, match=words):
        written(rule)


def test_names_of_one_letter_are_plain_and_longer_ones_are_words():
    assert _name("x") == "x"
    assert _name("xy") == r"\mathit{xy}"
    assert _name("a_b") == r"\mathit{a\_b}"
