"""Programs of rules: which families a variant has, their names, and the words for them."""

from __future__ import annotations

import itertools
import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from farkas.algebra import (
    Between,
    IndexedSet,
    Param,
    Program,
    Set,
    Sum,
    Var,
    constraint,
    objective,
    option,
)
from farkas.algebra.cells import Cells, current, reading
from farkas.algebra.expressions import Linear, Relation, Term, Trace
from farkas.errors import InvalidInstance, RuleError
from farkas.forms.feasibility import find_block
from farkas.instances import library
from tests.algebra.toys import toy
from tests.conformance.oracle import differences
from tests.tools.samples import samples


def test_rows_carry_names_words_and_labels():
    def everything_is_small(m, i, r):
        """Nothing is large."""
        return m.flow[i, r] <= 1

    form = toy(everything_is_small, "pairs").form(None)
    assert form.row_name(1) == "everything_is_small[thing=2, place=4]  (1)"
    assert find_block(form.rows, 1).doc == "Nothing is large."


def test_an_inherited_family_is_replaced_or_dropped():
    program = toy(lambda m: m.total >= 1)
    parent = type(program)

    class Child(parent):
        family = None

    assert [f.name for f in program.families()] == ["family"]
    assert Child().families() == []


def test_a_family_may_not_take_a_name_of_pyomo():
    def display(m):
        return m.total >= 0

    with pytest.raises(RuleError, match="toy: Pyomo keeps the name display"):
        toy(display).form(None)


class Base(Program):
    """Two families.

    More words.
    """

    size = option("small", "large")

    @objective
    def aim(m):
        """What counts."""

    @constraint("1", "things")
    def first(m, i):
        """One."""

    @constraint("2", when=lambda program: program.size == "large")
    def second(m):
        """Two."""


class Heir(Base):
    @constraint("3")
    def third(m):
        """Three."""

    @constraint("1'")
    def first(m):
        """One again."""


def test_families_keep_the_order_of_definition_and_heirs_replace_in_place():
    assert [f.label for f in Base().families()] == ["1"]
    assert [f.label for f in Base(size="large").families()] == ["1", "2"]
    # what is written anew keeps its place among the inherited
    assert [f.label for f in Heir(size="large").families()] == ["1'", "2", "3"]
    assert Heir().objective_rule().name == "aim"


def test_a_program_needs_an_objective():
    class Aimless(Program):
        name_ = "aimless"

    with pytest.raises(RuleError, match="has no @objective"):
        Aimless().objective_rule()


def test_an_instance_of_another_kind_is_refused():
    class Other(Base):
        kind = "mlbroker"

    with pytest.raises(InvalidInstance, match="takes instances of kind mlbroker, not eris"):
        Other().declarations(library.load("eris/tiny"))


X = Linear((Term(1.0, Cells(np.array(3), ())),))
Y = Linear((Term(2.0, Cells(np.array(5), ())),), 7.0)


def test_between_takes_parameters_around_one_expression():
    with reading(Trace()):
        found = Between(1, X, 2.5)
        assert (found.lower, found.upper, found.body) == (1, 2.5, X)
        assert isinstance(found, Relation)
        for wrong in ((X, Y, 1), (1, Y, X), (1, 2, 3)):
            with pytest.raises(RuleError, match="takes parameters around one expression"):
                Between(*wrong)


NUMBERS = st.integers(-3, 3).map(float)


@st.composite
def worlds(draw) -> dict[str, Any]:
    """Two plain sets, a set of pairs, a ragged set by one and one by two indices, numbers."""
    things = draw(st.lists(st.integers(-2, 5), unique=True, max_size=3))
    places = draw(st.lists(st.integers(0, 9), unique=True, max_size=3))
    every = list(itertools.product(things, places))
    pairs = draw(st.lists(st.sampled_from(every), unique=True)) if every else []
    some_places = st.lists(st.sampled_from(places), unique=True) if places else st.just([])
    some_things = st.lists(st.sampled_from(things), unique=True) if things else st.just([])
    sizes = {(): 1, "t": len(things), "p": len(places), "tp": len(every), "q": len(pairs)}
    return {
        "things": things,
        "places": places,
        "pairs": pairs,
        "partners": [[p for t, p in pairs if t == thing] for thing in things],
        "places_of": [draw(some_places) for _ in things],
        "things_at": [draw(some_things) for _ in every],
        "values": {k: draw(st.lists(NUMBERS, min_size=n, max_size=n)) for k, n in sizes.items()},
    }


def declaration(world):
    def declare(m):
        m.things = Set(world["things"], label="thing")
        m.places = Set(world["places"], label="place")
        m.pairs = Set(world["pairs"], label=("thing", "place"))
        m.partners = IndexedSet(m.things, world["partners"], label="place")
        m.places_of = IndexedSet(m.things, world["places_of"], label="place")
        m.things_at = IndexedSet((m.things, m.places), world["things_at"], label="thing")
        values = world["values"]
        shape = (len(world["things"]), len(world["places"]))
        m.p0 = Param(values=values[()][0])
        m.pt = Param(m.things, values=values["t"])
        m.pp = Param(m.places, values=values["p"])
        m.ptp = Param(m.things, m.places, values=np.reshape(values["tp"], shape))
        m.pq = Param(m.pairs, values=values["q"])
        m.own = Var()  # stands alone in every row, so that no row is empty
        m.x0 = Var(lower=-np.inf)
        m.xt = Var(m.things, upper=4.0)
        m.xp = Var(m.places, integer=True)
        m.xtp = Var(m.things, m.places)
        m.xq = Var(m.pairs, binary=True)

    return declare


# An expression is a tree of tuples; "t", "p" and "q" name the indices in reach by their depth:
# things, places, and pairs that are members of the tuple set.
ATOMS = {"p0": "", "pt": "t", "pp": "p", "ptp": "tp", "pq": "q"}
VARIABLES = {"x0": "", "xt": "t", "xp": "p", "xtp": "tp", "xq": "q"}
SUMS = {
    "things": ("", "t"),
    "places": ("", "p"),
    "pairs": ("", "q"),
    "partners": ("t", "q"),
    "places_of": ("t", "p"),
    "things_at": ("tp", "t"),
}


@st.composite
def references(draw, names: dict[str, str], reach: dict[str, int]):
    """A name with one index in reach per letter."""
    possible = [n for n, letters in names.items() if all(reach[a] for a in letters)]
    name = draw(st.sampled_from(possible))
    return name, tuple((a, draw(st.integers(0, reach[a] - 1))) for a in names[name])


@st.composite
def expressions(draw, reach: dict[str, int], depth: int):
    """A linear expression over the indices in reach."""
    kinds = ["variable", "constant", "parameter", "scaled"]
    if depth:
        kinds += ["sum", "sum", "sum", "plus", "minus", "negative", "shared"]
    kind = draw(st.sampled_from(kinds))
    deeper = expressions(reach, depth - 1)
    if kind == "constant":
        return kind, draw(NUMBERS)
    if kind in ("variable", "parameter"):
        return kind, draw(references(VARIABLES if kind == "variable" else ATOMS, reach))
    if kind == "scaled":
        inner = draw(expressions(reach, depth - 1)) if depth else ("variable", ("x0", ()))
        return kind, draw(references(ATOMS, reach)), inner, draw(st.sampled_from([1.0, 2.0, 4.0]))
    if kind in ("plus", "minus"):
        return kind, draw(deeper), draw(deeper)
    if kind == "negative":
        return kind, draw(deeper)
    over, letters = draw(references({n: needs for n, (needs, _) in SUMS.items()}, reach))
    # a member of partners or pairs is a thing, a place and a pair at once
    gained = {"q": "tpq", "t": "t", "p": "p"}[SUMS[over][1]]
    inner = {a: n + (a in gained) for a, n in reach.items()}
    if kind == "shared":  # two loops in one sum
        again = draw(st.sampled_from(["things", "places", "pairs"]))
        more = {"pairs": "tpq", "things": "t", "places": "p"}[again]
        inner = {a: n + (a in more) for a, n in inner.items()}
        return kind, over, letters, again, draw(expressions(inner, depth - 1))
    return kind, over, letters, draw(expressions(inner, depth - 1))


Reach = dict[str, list[Any]]


def value(m: Any, tree: Any, reach: Reach) -> Any:
    kind, *parts = tree
    match kind:
        case "constant":
            return parts[0]
        case "variable" | "parameter":
            return look_up(m, *parts[0], reach)
        case "scaled":
            return look_up(m, *parts[0], reach) * value(m, parts[1], reach) / parts[2]
        case "plus":
            return value(m, parts[0], reach) + value(m, parts[1], reach)
        case "minus":
            return value(m, parts[0], reach) - value(m, parts[1], reach)
        case "negative":
            return -value(m, parts[0], reach)
        case "sum":
            over, keys, body = parts
            return Sum(value(m, body, gain(reach, over, keys, j)) for j in at(m, over, keys, reach))
        case "shared":
            over, keys, again, body = parts
            return Sum(
                value(m, body, gain(gain(reach, over, keys, j), again, (), k))
                for j in at(m, over, keys, reach)
                for k in getattr(m, again)
            )
    raise AssertionError(kind)


def look_up(m: Any, name: str, keys: Any, reach: Reach) -> Any:
    indices = flat(keys, reach)
    item = getattr(m, name)
    return item[indices if len(indices) > 1 else indices[0]] if indices else item


def flat(keys: Any, reach: Reach) -> tuple[Any, ...]:
    found = [reach[a][n] for a, n in keys]
    return tuple(
        part for index in found for part in (index if isinstance(index, tuple) else (index,))
    )


def at(m: Any, over: str, keys: Any, reach: Reach) -> Any:
    indices = flat(keys, reach)
    family = getattr(m, over)
    return family[indices if len(indices) > 1 else indices[0]] if indices else family


def gain(reach: Reach, over: str, keys: Any, new: Any) -> Reach:
    thing, place = reach["t"], reach["p"]
    if over == "pairs":
        return {"t": [*thing, new[0]], "p": [*place, new[1]], "q": [*reach["q"], new]}
    if over == "partners":
        pair = (*flat(keys, reach), new)
        return {"t": [*thing, pair[0]], "p": [*place, new], "q": [*reach["q"], pair]}
    letter = SUMS[over][1]
    return {**reach, letter: [*reach[letter], new]}


FAMILIES = {(): "", ("things",): "t", ("places",): "p", ("things", "places"): "tp", ("pairs",): "q"}


@st.composite
def programs(draw):
    world = draw(worlds())
    sets = draw(st.sampled_from(list(FAMILIES)))
    letters = {"q": "tpq"}.get(FAMILIES[sets], FAMILIES[sets])
    reach = {a: int(a in letters) for a in "tpq"}
    left, right = draw(expressions(reach, 3)), draw(expressions(reach, 2))
    goal = draw(expressions(dict.fromkeys("tpq", 0), 3))
    relation = draw(st.sampled_from(["<=", ">=", "==", "between"]))

    def rule(m, *index):
        here: Reach = {a: [] for a in "tpq"}
        if FAMILIES[sets] == "q":
            here = {"t": [index[0]], "p": [index[1]], "q": [index]}
        else:
            here |= {a: [i] for a, i in zip(FAMILIES[sets], index, strict=True)}
        body = m.own + value(m, left, here)
        if relation == "between":
            return Between(-7.0, body, m.p0 + 20)
        other = value(m, right, here)
        if relation == "<=":
            return body <= other
        return body >= other if relation == ">=" else body == other

    sense = draw(st.sampled_from(["min", "max"]))
    goal_rule = lambda m: m.own + value(m, goal, {a: [] for a in "tpq"})  # noqa: E731
    return toy(rule, *sets, goal=goal_rule, declaring=declaration(world), sense=sense)


@samples(25, 400)
def test_random_rules_mean_the_same_to_the_trace_and_to_pyomo(samples):
    @settings(max_examples=samples)
    @given(programs())
    def agree(program):
        assert list(differences(program.form(None), program.to_pyomo(None))) == []

    agree()


def test_readers_are_nested_and_come_back_after_a_failure():
    outer, inner = Trace(), Trace()
    assert current() is None
    with reading(outer):
        with pytest.raises(ZeroDivisionError), reading(inner):
            1 / (current() is not inner)
        assert current() is outer
    assert current() is None


def test_another_thread_reads_nothing():
    seen = []
    with reading(Trace()):
        thread = threading.Thread(target=lambda: seen.append(current()))
        thread.start()
        thread.join()
    assert seen == [None]
