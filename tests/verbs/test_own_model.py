"""Programs that need no instance, for solving and for proving."""

from __future__ import annotations

from fractions import Fraction as F
from pathlib import Path
from typing import Any

import pyomo.environ as pyo
import pytest

import farkas
from farkas.errors import InvalidOption
from farkas.forms.rational import as_rational
from farkas.verbs.own_model import as_doubles, as_fractions, own_model
from tests.generators.forms import small

LP = "maximize\n 3 x + 0.1 y\nsubject to\n r: x + 2 y <= 7\nbounds\n x <= 4\nend\n"


def in_pyomo() -> Any:
    model = pyo.ConcreteModel("shop")
    model.x, model.y = pyo.Var(bounds=(0, 4)), pyo.Var(bounds=(0, None))
    model.r = pyo.Constraint(expr=model.x + 2 * model.y <= 7)
    model.most = pyo.Objective(expr=3 * model.x + 0.1 * model.y, sense=pyo.maximize)
    return model


def in_memory() -> Any:
    return small([[1, 2]], cost=[3, 0.1], row_upper=[7], upper=[4, float("inf")], sense="max")


@pytest.fixture(params=["file", "pyomo", "form", "rational"])
def model(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    path = tmp_path / "shop.lp"
    path.write_text(LP)
    makers = {
        "file": lambda: path,
        "pyomo": in_pyomo,
        "form": in_memory,
        "rational": lambda: as_rational(in_memory()),
    }
    return makers[request.param]()


def test_every_model_is_solved_and_proved(model: Any) -> None:
    # x = 4, y = 3/2
    solution = farkas.solve(model, certify=True)
    assert solution.value == pytest.approx(12.15)
    assert float(solution.bound) == pytest.approx(12.15)
    assert list(solution.values().values()) == [4.0, 1.5]
    proved = farkas.prove(model)
    tenth = F(1, 10) if isinstance(model, Path) else F(0.1)
    assert proved.value == 12 + tenth * F(3, 2)
    assert farkas.prove(model, numbers="binary").value == 12 + F(0.1) * F(3, 2)


def test_a_model_has_no_programs(model: Any) -> None:
    for verb in (farkas.solve, farkas.prove):
        with pytest.raises(InvalidOption, match="program of its own"):
            verb(model, "mlbroker.offline")
    with pytest.raises(InvalidOption, match="program of its own"):
        farkas.solve(model, variant={"linking": "tight"})


def test_a_form_in_memory_holds_doubles() -> None:
    with pytest.raises(InvalidOption, match="read binary"):
        farkas.prove(in_memory(), numbers="decimal")


def test_an_instance_is_no_model_and_its_programs_are_named() -> None:
    instance = farkas.load("mlbroker/tiny")
    assert own_model(instance) is None
    assert own_model("mlbroker/tiny") is None
    for verb in (farkas.solve, farkas.prove):
        with pytest.raises(InvalidOption, match=r"mlbroker has many.*mlbroker\.relaxed,"):
            verb(instance)
        with pytest.raises(InvalidOption, match=r"model cannot be \[3\]"):
            verb([3])


def test_numbers_of_another_package_are_read_as_they_are_wanted() -> None:
    assert farkas.prove(in_pyomo(), numbers="decimal").value == 12 + F(3, 20)
    assert farkas.prove(in_pyomo()).value == 12 + F(0.1) * F(3, 2)


def test_an_instance_has_a_kind_and_a_hash_whatever_its_class() -> None:
    class Own:
        kind, sha256 = "own", "00"

    class Half:
        kind = "own"

    assert own_model(Own()) is None
    with pytest.raises(InvalidOption, match="model cannot be"):
        own_model(Half())


def test_a_model_is_rounded_to_doubles_and_made_of_fractions() -> None:
    form = in_memory()
    exact = as_rational(form)
    assert as_doubles(form) is form
    assert as_doubles(exact) is exact.linear
    assert as_fractions(exact) is exact
    assert as_fractions(form).sha256 == exact.sha256
