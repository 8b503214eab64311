"""Proving whatever holds a program."""

from __future__ import annotations

from fractions import Fraction as F
from pathlib import Path
from typing import Any

import highspy
import pyomo.environ as pyo
import pytest

import farkas
from farkas.algebra import programs
from farkas.api.prove import as_doubles, as_fractions, own_model, prove, read_form
from farkas.certificates import Proof
from farkas.errors import FarkasError, FileProblem, InvalidOption, NotACertificate
from farkas.forms.rational import as_rational
from farkas.instances.eris import Auction
from farkas.models.eris.best_schedule import BestSchedule, PricedJobs
from farkas.models.eris.prices import Prices
from tests.generators.forms import small
from tests.generators.rational import program

MPS = "NAME m\nROWS\n N c\n G r\nCOLUMNS\n x c 1 r 0.1\nRHS\n s r 0.3\nENDATA\n"


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "m.mps"
    path.write_text(MPS)
    return path


def test_a_file_is_read_as_decimals_unless_doubles_are_asked_for(model: Path) -> None:
    assert prove(model).value == 3
    assert prove(str(model), numbers="decimal").form.sha256 == read_form(model)[0].sha256
    binary = prove(model, numbers="binary")
    assert binary.value == F(0.3) / F(0.1)
    assert binary.value != 3


def test_a_program_of_an_instance_is_read_as_doubles() -> None:
    found = farkas.prove("mlbroker/tiny", "mlbroker.relaxed[tight]")
    instance = farkas.load("mlbroker/tiny")
    form = as_rational(programs.build("mlbroker.relaxed[tight]").form(instance))
    assert found.form.sha256 == form.sha256
    assert found.form.numbers == "binary"
    assert found.certificate is not None
    assert found.certificate.instance is not None
    assert found.certificate.kind == "mlbroker"
    again = prove(instance, programs.build("mlbroker.relaxed[tight]"))
    assert again.value == found.value


def test_a_form_and_a_model_in_memory_are_proved_as_they_are() -> None:
    form = program([["1/3"]], cost=[1], rows=[(1, None)])
    assert prove(form).value == 3
    model = highspy.Highs()
    model.silent()
    x = model.addVariable(0, 4, obj=0.0, name="x")
    model.addConstr(x >= 0.3)
    model.minimize(x)
    assert prove(model).value == F(0.3)
    assert prove(model, numbers="decimal").value == F(3, 10)


@pytest.mark.parametrize(("options", "problem"), [
    ({"gap": -0.1}, "gap"), ({"gap": 1}, "gap"), ({"gap": "x"}, "gap"),
    ({"time_limit": 0}, "time_limit"),
    ({"time_limit": -1.0}, "time_limit"), ({"time_limit": float("nan")}, "time_limit"),
    ({"solver": 3}, "solver"), ({"solver": "nosuch"}, "nosuch"), ({"numbers": "octal"}, "numbers"),
    ({"program": "mlbroker.offline"}, "program of its own"),
])  # fmt: skip
def test_impossible_options_are_refused(options: dict[str, Any], problem: str, model: Path) -> None:
    with pytest.raises(FarkasError, match=problem) as caught:
        prove(model, **options)
    assert "\n" not in str(caught.value)


def test_what_is_no_model_is_told(tmp_path: Path) -> None:
    with pytest.raises(InvalidOption, match="model cannot be 3: give the path"):
        prove(3)
    with pytest.raises(FileProblem):
        prove(tmp_path / "none.mps")
    with pytest.raises(InvalidOption, match="has many; name one of mlbroker"):
        prove("mlbroker/tiny")
    with pytest.raises(InvalidOption, match="read binary"):
        prove("mlbroker/tiny", "mlbroker.offline", numbers="decimal")
    with pytest.raises(InvalidOption, match="read binary"):
        prove(in_memory(), numbers="decimal")


def test_what_is_saved_is_checked_with_the_model(model: Path, tmp_path: Path) -> None:
    found = prove(model, embed=False)
    path = tmp_path / "p.json"
    farkas.save(found, path)
    with pytest.raises(NotACertificate, match="holds no program"):
        farkas.check(path)
    proof = farkas.check(path, model=model)
    assert isinstance(proof, Proof)
    assert (proof.bound, proof.value, proof.provenance) == (3, 3, "model")
    assert "read again from the given model" in proof.statement
    model.write_text(MPS.replace("0.3", "0.30000000000000004"))
    with pytest.raises(NotACertificate, match="hashes to"):
        farkas.check(path, model=model)


def test_a_binary_proof_is_about_the_binary_reading(model: Path) -> None:
    found = prove(model, numbers="binary")
    assert found.certificate is not None
    proof = farkas.check(found.certificate, model=model)
    assert isinstance(proof, Proof)
    assert proof.value == found.value
    with pytest.raises(InvalidOption, match="not both"):
        farkas.check(found.certificate, "mlbroker/tiny", model=model)
    other = farkas.solve("mlbroker/tiny", "mlbroker.relaxed[tight]", certify=True)
    with pytest.raises(InvalidOption, match="farkas prove"):
        farkas.check(other.certificate, model=model)


def test_progress_is_a_function_of_nodes_bound_and_value() -> None:
    seen: list[Any] = []
    prove("mlbroker/tiny", "mlbroker.offline", progress=lambda *told: seen.append(told))
    assert all(len(told) == 3 for told in seen)


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
def shop(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    path = tmp_path / "shop.lp"
    path.write_text(LP)
    makers = {
        "file": lambda: path,
        "pyomo": in_pyomo,
        "form": in_memory,
        "rational": lambda: as_rational(in_memory()),
    }
    return makers[request.param]()


def test_every_model_is_solved_and_proved(shop: Any) -> None:
    # x = 4, y = 3/2
    solution = farkas.solve(shop, certify=True)
    assert solution.value == pytest.approx(12.15)
    assert float(solution.bound) == pytest.approx(12.15)
    assert list(solution.values().values()) == [4.0, 1.5]
    proved = farkas.prove(shop)
    tenth = F(1, 10) if isinstance(shop, Path) else F(0.1)
    assert proved.value == 12 + tenth * F(3, 2)
    assert farkas.prove(shop, numbers="binary").value == 12 + F(0.1) * F(3, 2)


def test_a_model_has_no_programs(shop: Any) -> None:
    for verb in (farkas.solve, farkas.prove):
        with pytest.raises(InvalidOption, match=r"program of its own|has no programs"):
            verb(shop, "mlbroker.offline")
    with pytest.raises(InvalidOption, match=r"leave out .*linking"):
        farkas.solve(shop, variant={"linking": "tight"})


def test_an_instance_is_no_model_and_its_programs_are_named() -> None:
    instance = farkas.load("mlbroker/tiny")
    assert own_model(instance) is None
    assert own_model("mlbroker/tiny") is None
    for verb in (farkas.solve, farkas.prove):
        with pytest.raises(InvalidOption, match=r"mlbroker has many.*mlbroker\.relaxed,"):
            verb(instance)
        with pytest.raises(InvalidOption, match=r"model cannot be \[3\]"):
            verb([3])


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


def test_an_optimum_that_highs_presolves_away_is_proved() -> None:
    # HiGHS 1.15.1 claims 0; without its presolve it finds 50
    job = dict(
        arrival=0, utility=[50.0], data=[2, 2], epochs=1, worker_rate=2, parameter_size=1.0,
        worker_demand=[1.0, 2.0], server_demand=[1.0, 0.0],
    )  # fmt: skip
    auction = Auction.build(
        slots=1, sites=2, resource_names=["gpu", "cpu"], site_capacity=[[1.0, 2.0], [3.0, 3.0]],
        transfer_budget=3.0, chunk_size=1.0, price_base_transfer=20.0,
        price_base_resource=[50.0, 20.0], jobs=[job],
    )  # fmt: skip
    data = PricedJobs(auction, (0,), Prices.zero(auction))
    found = prove(BestSchedule(capacity="full").form(data))
    assert (found.status, found.value) == ("optimal", 50)


def test_a_program_that_crashes_a_heuristic_of_highs_is_proved(tmp_path: Path) -> None:
    path = tmp_path / "crash.lp"
    path.write_text(
        "max\n - 0.7 x - 3 y\nst\n c: 7 x + 0.3333333333333333 y >= 1.2\n"
        " d: 0.1 x - y <= 0.16666666666666669\n e: -3 x + 0.1 y <= 1.5\n f: - x - 3 y <= -1\n"
        "bounds\n y >= 0.3\ngeneral\n x\nend\n"
    )
    # x = 1 leaves y >= 0.3
    assert farkas.prove(path).value == F(-16, 10)
