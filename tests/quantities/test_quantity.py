"""Keys of quantities: which there are, which match, and what registration refuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from farkas.api.solve import solve
from farkas.errors import InvalidOption, NotApplicable, UnknownName, UnsupportedForm
from farkas.instances import library
from farkas.models.coded.kernel import reference_time
from farkas.online import algorithms
from farkas.quantities import Quantity, evaluate, evaluate_all, find, names, quantities, quantity
from tests.generators.coded import by_speed
from tests.generators.forms import small

NUMBERED = Quantity(
    "toy.a[{mode},{i}]",
    lambda instance, mode, i: None,
    {"mode": ("x", "y.z"), "i": lambda instance: range(instance)},
    "A toy.",
)


def test_keys_are_every_choice_of_the_placeholders_in_order() -> None:
    assert NUMBERED.kind == "toy"
    assert list(NUMBERED.keys(2)) == ["toy.a[x,0]", "toy.a[x,1]", "toy.a[y.z,0]", "toy.a[y.z,1]"]
    assert NUMBERED.keys(2)["toy.a[y.z,1]"] == {"mode": "y.z", "i": 1}
    assert NUMBERED.keys(0) == {}


@pytest.mark.parametrize(
    ("key", "matches"),
    [
        ("toy.a[x,7]", True),  # whether 7 is admissible depends on the instance
        ("toy.a[y.z,0]", True),
        ("toy.a[yaz,0]", False),  # a point is a point
        ("toy.a[z,0]", False),
        ("toy.a[x]", False),
        ("toy.a[x,[0]]", False),
        ("toy.a[x,0]]", False),
        ("toy.c[x,0]", False),
    ],
)
def test_a_key_matches_when_it_has_the_shape_of_the_pattern(key: str, matches: bool) -> None:
    assert NUMBERED.matches(key) is matches


def test_placeholders_that_depend_on_each_other_share_their_values() -> None:
    pair = Quantity("toy[{i},{t}]", lambda i, t: None, {"i__t": [(0, 5), (1, 6)]}, "Pairs.")
    assert list(pair.keys(None)) == ["toy[0,5]", "toy[1,6]"]


def plain(instance: Any) -> int:
    """Do nothing."""
    return 0


def indexed(instance: Any, i: int) -> int:
    """Do nothing."""
    return i


@pytest.mark.parametrize(
    ("pattern", "domains", "function"),
    [
        ("mlbroker.x[{i}]", {}, indexed),  # no domain
        ("mlbroker.x[{i}]", {"i": [0]}, plain),  # the function does not take it
        ("mlbroker.x", {"i": [0]}, plain),  # no placeholder
    ],
)
def test_placeholders_domains_and_arguments_must_agree(
    pattern: str, domains: dict[str, Any], function: Callable[..., Any]
) -> None:
    with pytest.raises(ValueError, match="has placeholders"):
        quantity(pattern, **domains)(function)


def test_a_quantity_needs_words() -> None:
    with pytest.raises(ValueError, match="needs a docstring"):
        quantity("mlbroker.wordless")(lambda instance: 0)


TINY = library.load("mlbroker/tiny")


def value(key: str) -> object:
    return evaluate(TINY, [key])[key]


@pytest.mark.parametrize("name", ["mlbroker.offline[strict,two]", "mlbroker.outer[tight]"])
def test_a_program_is_worth_its_optimum(name: str) -> None:
    assert value(name) == solve(TINY, name).answer.objective


def test_a_convex_program_has_its_optimum() -> None:
    tiny = library.load("coded/tiny")
    values = evaluate(tiny, ["coded.expected_convex", "coded.expected"])
    # the same problem in units of the time with equal shares
    found = values["coded.expected_convex"] * reference_time(tiny)
    assert found == pytest.approx(values["coded.expected"], rel=1e-6)


def test_a_program_for_pyomo_only_has_none_and_says_what_to_solve() -> None:
    with pytest.raises(UnsupportedForm, match=r"farkas show coded\.chance"):
        evaluate(library.load("coded/tiny"), ["coded.chance"])


@pytest.mark.parametrize(
    ("row_lower", "row_upper", "value"),
    # min -x over x >= 0: x <= 2; nothing is at most -1; -x has no end
    [([-np.inf], [2], -2.0), ([-np.inf], [-1], None), ([1], [np.inf], None)],
)
def test_infeasible_and_unbounded_are_null(monkeypatch, row_lower, row_upper, value) -> None:
    form = small([[1]], cost=[-1], row_lower=row_lower, row_upper=row_upper)
    program = type("Program", (), {"form": lambda self, instance: form})()
    monkeypatch.setattr(names.programs, "build", lambda name: program)
    assert names.program_optimum("toy.program", None) == value


def test_an_algorithm_is_worth_what_its_run_is() -> None:
    run = algorithms["mlbroker.fractional"].run(TINY, relax="printed")
    for key in ("mlbroker.fractional[printed]", "mlbroker.fractional[relax=printed].value"):
        assert value(key) == run.value
    assert value("mlbroker.fractional[printed].moving") == run.numbers["moving"]
    assert value("mlbroker.fractional[printed].bound") == float(run.certificate)
    assert value("mlbroker.fractional") == run.value  # as printed by default
    deploy = sum(slot["deploy"] for slot in algorithms["mlbroker.central"].run(TINY).costs)
    assert value("mlbroker.central.deploy") == pytest.approx(deploy)
    assert deploy > 0


def test_runs_draw_by_the_seed_of_the_instance() -> None:
    market = library.load("dps/demo").replace(seed=5)
    found = evaluate(market, ["dps.random"])["dps.random"]
    assert found == algorithms["dps.random"].run(market, 5).value
    assert found != algorithms["dps.random"].run(market, 0).value


def test_a_run_without_a_value_is_null() -> None:
    # the first half of the workers is the first master's, which must not use it
    blocked = by_speed([[0, 0, 1, 1], [1, 1, 1, 1]])
    assert evaluate(blocked, ["coded.uniform"]) == {"coded.uniform": None}


def test_a_run_has_no_part_of_another_name() -> None:
    (outcome,) = evaluate_all(TINY, ["mlbroker.central.price"])
    assert isinstance(outcome.error, NotApplicable)
    assert "a run of mlbroker.central has no price here; it has" in str(outcome.error)


def test_old_names_have_the_values_of_what_they_stand_for() -> None:
    for old, new in names.OLD_NAMES.items():
        kind = old.partition(".")[0]
        tiny = library.load(f"{kind}/tiny")
        found = evaluate(tiny, [old, new])
        assert found[old] == pytest.approx(found[new], rel=1e-9), old
        assert old not in quantities


def test_a_quantity_of_that_name_comes_first() -> None:
    # mlbroker.one_shot is a program, and the cost of the baseline that solves it slot by slot
    assert find("mlbroker.one_shot", "mlbroker").doc.startswith("Cost of a baseline")


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("mlbroker.relaxed[tigt]", "did you mean tight"),
        ("mlbroker.fractional[tigt]", "has no option 'tigt'"),
        ("mlbroker.fractional[relax=tigt]", "option relax cannot be 'tigt'"),
    ],
)
def test_a_misspelt_option_is_refused_by_its_owner(key: str, words: str) -> None:
    with pytest.raises(InvalidOption, match=words):
        find(key, "mlbroker")


@pytest.mark.parametrize("key", ["eris.offline", "eris.eris", "eris.tiresias.welfare"])
def test_a_name_of_another_kind_is_none(key: str) -> None:
    with pytest.raises(UnknownName, match="unknown mlbroker quantity"):
        find(key, "mlbroker")
