"""Certificates of coded as multipliers of linear programs."""

from __future__ import annotations

from fractions import Fraction

import msgspec
import numpy as np
import pytest

from farkas.certificates import InfeasibleCertificate, check, exact_bound, from_json
from farkas.certificates.coded import CodedPrices, GuaranteedPrices, guaranteed_speeds, speeds_above
from farkas.certificates.packed import pack
from farkas.certificates.packed_form import unpacked
from farkas.duals.coded import LeastTime, Paces, least_time
from farkas.duals.restated import as_certificate, as_linear, restate
from farkas.errors import NotACertificate
from farkas.instances import library
from farkas.models.coded.kernel import Pairs
from farkas.online import algorithms
from farkas.solvers import solve
from farkas.standalone.checker import check_certificate
from tests.fuzz import kinds
from tests.generators.coded import by_speed

TAGS = [
    "coded_chance",
    "coded_chance_dedicated",
    "coded_dedicated",
    "coded_measured",
    "coded_run",
]
CASES = [(tag, k) for tag in TAGS for k in range(len(kinds.TARGETS[tag]))]


def dense_rows(form):
    found = np.zeros((form.num_rows, form.num_columns))
    found[form.matrix.rows, form.matrix.columns] = form.matrix.values
    return found


@pytest.mark.ids(10)
@pytest.mark.parametrize(("tag", "k"), CASES)
def test_the_linear_certificate_proves_as_much_and_no_more(tag, k):
    instance, content = kinds.honest(tag, k)
    own = check(from_json(content), instance=instance)
    linear = as_linear(from_json(content), instance)
    proof = check(linear)
    assert (linear.kind, linear.instance) == ("coded", instance.sha256)
    assert own.bound * (1 - Fraction(1, 10**9)) <= proof.bound
    assert proof.bound <= own.bound * (1 + Fraction(1, 10**14))
    found = check_certificate(kinds.plain(linear))
    assert (found["lower"], found["implied"]) == (proof.bound, 0)


@pytest.mark.parametrize(("tag", "k"), CASES)
def test_the_multipliers_prove_it_without_repair(tag, k):
    instance, content = kinds.honest(tag, k)
    found = restate(from_json(content), instance)
    own = check(from_json(content), instance=instance)
    assert exact_bound(found.form, found.multipliers) >= own.bound * (1 - Fraction(1, 10**12))


@pytest.mark.ids(1)
@pytest.mark.parametrize("wrong", [np.inf, np.nan, -1.0, 0.0])
@pytest.mark.parametrize("tag", ["coded_measured", "coded_run"])
def test_prices_that_are_none_are_refused(tag, wrong):
    instance, content = kinds.honest(tag, 0)
    prices = pack(np.full(instance.num_masters, wrong))
    forged = msgspec.structs.replace(from_json(content), prices=prices)
    for door in (as_linear, lambda own, about: check(own, instance=about)):
        with pytest.raises(NotACertificate, match="price"):
            door(forged, instance)


@pytest.mark.parametrize(("tag", "k"), CASES)
def test_the_file_says_what_it_leaves_open(tag, k):
    instance, content = kinds.honest(tag, k)
    found = restate(from_json(content), instance)
    subject = from_json(content).program
    assert found.form.name.startswith(f"{subject} at speeds no smaller than the instance's")
    assert found.remark.endswith("is shown by `farkas check`, not by this file.")
    assert ("cut" in found.form.name) == ("dedicated" in tag) == ("cut" in found.remark)


def test_the_program_holds_the_speeds_that_the_certificate_proves():
    # min t, Σ v x >= 1, Σ x <= t: rows of masters, then rows of workers
    instance, content = kinds.honest("coded_run", 0)
    own = from_json(content)
    form = unpacked(as_linear(own, instance).data, "x", "min")
    speed = speeds_above(instance, *own.numbers(instance))
    masters, workers = speed.shape
    dense = np.zeros((masters + workers, masters * workers + 1))
    for m in range(masters):
        dense[m, m * workers : (m + 1) * workers] = speed[m]
    for n in range(workers):
        dense[masters + n, n : masters * workers : workers] = 1
        dense[masters + n, -1] = -1
    assert (dense_rows(form) == dense).all()
    assert form.row_lower[:masters].tolist() == [1.0] * masters
    assert form.row_upper[masters:].tolist() == [0.0] * workers
    assert form.cost.tolist() == [0.0] * masters * workers + [1.0]
    assert form.implied_upper is None
    assert (speed >= Pairs.of(instance).speed).all()


def test_the_honest_optimum_of_the_program_is_the_bound():
    # v = (3, 0), (2, 1): 3 (1 - k) = 2 k + 1 at k = 2/5, level 9/5
    made = least_time(
        "coded.x at y", np.array([[3.0, 0], [2, 1]]), np.array([2.0, 3.0]), Fraction(1)
    )
    assert solve(made.form).require_optimal().objective == pytest.approx(5 / 9)
    proof = check(as_certificate(made, library.load("coded/tiny")))
    assert float(proof.bound) == pytest.approx(5 / 9, rel=1e-9)
    half = least_time(
        "coded.x at y", np.array([[3.0, 0], [2, 1]]), np.array([2.0, 3.0]), Fraction(1, 2)
    )
    assert half.form.row_lower[:2].tolist() == [0.5, 0.5]


def test_at_any_level_the_claim_is_one_over_it_although_the_program_has_more():
    # with workers cut to 4 nobody reaches 4, and the program's least time is later than 1/4
    instance, content = kinds.honest("coded_dedicated", 0)
    own = from_json(content)
    high = msgspec.structs.replace(own, level=own.level * 2, bound=str(1 / Fraction(own.level * 2)))
    assert check(high, instance=instance).bound == 1 / Fraction(own.level * 2)
    linear = as_linear(high, instance)
    assert Fraction(linear.bound) == 1 / Fraction(high.level)
    least = solve(unpacked(linear.data, "x", "min")).require_optimal().objective
    assert least > 1.01 * float(1 / Fraction(high.level))


def test_a_master_that_nobody_serves_is_written_as_a_ray():
    data = library.load("coded/forbidden_pairs").replace(
        plans=None,
        rate=[[None] * 4, [1.0, 2.5, None, 1.2]],
        shift=[[None] * 4, [0.9, 0.2, None, 0.4]],
    )
    own = CodedPrices.of(data, np.array([1.0, 0.0]), Pairs.of(data).patience)
    assert own.bound is None
    linear = as_linear(own, data)
    assert isinstance(linear, InfeasibleCertificate)
    assert check(linear).infeasible
    assert check_certificate(kinds.plain(linear))["infeasible"]


def test_measured_speeds_are_rounded_up():
    instance, content = kinds.honest("coded_measured", 0)
    own = from_json(content)
    assert isinstance(own, GuaranteedPrices)
    form = unpacked(as_linear(own, instance).data, "x", "min")
    speed = dense_rows(form)[: instance.num_masters, :-1]
    for m, line in enumerate(guaranteed_speeds(instance)):
        for n, exact in enumerate(line):
            stored = Fraction(float(speed[m, m * instance.workers + n]))
            assert exact <= stored <= exact * (1 + Fraction(1, 2**52))


def test_speeds_and_times_beyond_doubles_are_refused():
    with pytest.raises(NotACertificate, match="a speed is beyond"):
        least_time("x", np.array([[np.inf]]), np.array([1.0]), Fraction(1))
    with pytest.raises(NotACertificate, match="least time is beyond"):  # 1/v is 2e323, no double
        least_time("coded.x y", np.array([[5e-324]]), np.array([1.0]), Fraction(1))


@pytest.mark.parametrize("unit", [1e-140, 1e140])
def test_runs_of_extreme_speeds_are_written_too(unit):
    data = by_speed([[3.0 * unit, 0], [2 * unit, unit]])
    run = algorithms["coded.expected"].run(data)
    own = from_json(msgspec.json.encode(run.certificate.certificate))
    found = check_certificate(kinds.plain(as_linear(own, data)))
    assert float(found["lower"]) == pytest.approx(5 / 9 / unit)


def test_the_program_is_written_as_rules():
    form = LeastTime().form(Paces(np.ones((2, 3)), 1.0))
    assert (form.num_rows, form.num_columns) == (5, 7)
