"""Instances in units at the edge of what doubles hold: right answers, or one typed line."""

from __future__ import annotations

import contextlib
import warnings

import msgspec
import pytest

import farkas
from farkas.errors import FarkasError, InvalidInstance, NoAnswer, NotApplicable
from farkas.instances import Instance
from farkas.online import algorithms
from farkas.online.run import from_json
from tests.metamorphic.instances import few
from tests.metamorphic.units import UNIT_OF, in_units, units

FACTORS = [1e150, 1e-150, 1e290, 1e-290]


def extremes(kind: str, factor: float):
    """The first instance of the kind with each of its units alone changed, and rates alone."""
    base = few(kind)[0]
    for unit in units(kind):
        with contextlib.suppress(InvalidInstance):
            yield unit, in_units(base, unit, factor)
    if kind == "coded":
        tree = msgspec.json.decode(msgspec.json.encode(base))
        del tree["kind"], tree["sca_point"]
        tree["rate"] = [[x if x is None else factor * x for x in row] for row in tree["rate"]]
        with contextlib.suppress(InvalidInstance):
            yield "rate", type(base).build(**tree)


def answered(instance: Instance, name: str) -> bool:
    """Whether the algorithm runs; its file is then proved again, bound and value."""
    try:
        run = farkas.run(instance, name, seed=1)
    # no other: what is run must be provable; what applies must run
    except (NoAnswer, InvalidInstance, NotApplicable):
        return False
    proof = farkas.check(from_json(msgspec.json.encode(run), "the run"), instance)
    assert proof.ratio == run.ratio
    return True


RUNS = [(kind, factor) for kind in sorted(UNIT_OF) for factor in FACTORS]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "factor"), RUNS)
def test_runs_in_extreme_units_are_proved_or_refused(kind, factor):
    answers = [
        answered(instance, name)
        for _, instance in extremes(kind, factor)
        for name in algorithms.names(f"{kind}.")
    ]
    assert sum(answers) > 0.9 * len(answers)


def test_rates_far_above_the_shifts_leave_nothing_to_chance():
    """Loads of just the rows that are needed come whole, which rounded sums would not say."""
    ((_, instance),) = [one for one in extremes("coded", 1e150) if one[0] == "rate"]
    run = farkas.run(instance, "coded.expected")
    assert 1 <= run.ratio < 1 + 1e-12


def test_a_run_that_costs_more_than_doubles_hold_is_refused_in_one_line():
    tiny = few("mlbroker")[0]
    prices = {"base_price": tiny.list_price, "discount_price": tiny.reduced_price}
    dear = tiny.replace(**{name: (1e307 * price).tolist() for name, price in prices.items()})
    found = []
    for seed in range(8):  # servers are drawn
        with warnings.catch_warnings(action="error"):
            try:
                found.append(farkas.run(dear, "mlbroker.local", seed=seed).value)
            except NoAnswer as refusal:
                found.append(str(refusal))
    refused = [said for said in found if isinstance(said, str)]
    assert len(refused) < len(found)  # what can be said is said
    assert {*refused} == {
        "mlbroker.local: decisions are worth more than doubles hold; use larger units"
    }


@pytest.mark.slow
@pytest.mark.parametrize("kind", sorted(UNIT_OF))
@pytest.mark.parametrize("factor", FACTORS, ids="{:g}".format)
def test_programs_in_extreme_units_are_proved_or_refused(kind, factor):
    from farkas.algebra import Program, programs

    for name in programs.names(f"{kind}."):
        if not issubclass(programs[name], Program):
            continue
        for _, instance in extremes(kind, factor):
            try:
                solution = farkas.solve(instance, name, certify=True)
            except FarkasError:
                continue
            if solution.certificate is not None:
                farkas.check(solution.certificate, instance)
