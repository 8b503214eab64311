"""Runs are bounded by what their kind lists, and by nothing else."""

from __future__ import annotations

import json
from fractions import Fraction as F

import msgspec
import numpy as np
import pytest

import farkas
from farkas.certificates import LinearCertificate, certificate_types, run_bounds
from farkas.certificates.bound import decided_costs, signs_by_doubles
from farkas.certificates.coded import MasterPrices
from farkas.certificates.files import from_json
from farkas.certificates.priced_tree import PricedTree
from farkas.certificates.repair import exact_vector
from farkas.certificates.runs import require_run_bound
from farkas.certificates.sums import reduced_costs
from farkas.errors import NotACertificate
from farkas.forms.matrices import rows_of_dense
from farkas.instances import library
from farkas.instances.files import own_kinds
from farkas.instances.mlbroker import FRACTIONAL
from farkas.numbers import bools


def linear(kind: str | None, program: str) -> LinearCertificate:
    return LinearCertificate(
        kind=kind,
        program=program,
        form="0" * 64,
        sense="min",
        bound="0",
        multipliers=exact_vector(np.zeros(0)),
    )


@pytest.mark.parametrize("kind", own_kinds())
def test_each_kind_lists_certificates_of_its_own(kind):
    listed = run_bounds[kind]
    assert listed
    for one in listed:
        if one.certificate not in ("tree", "priced_tree"):  # of any program, which is named
            assert one.certificate.startswith(kind)
            assert certificate_types[one.certificate].about == kind
        assert one.program.startswith(f"{kind}.")
        with pytest.raises(NotACertificate, match="not listed"):
            require_run_bound(linear(kind, one.program), kind, {}, f"{kind}.any", [])


def test_a_kind_without_a_list_has_no_proved_runs():
    with pytest.raises(NotACertificate, match="lists no program that bounds its runs"):
        require_run_bound(linear(None, "nothing.at_all"), "nothing", {}, "nothing.any", [])


@pytest.mark.parametrize("kind", ["alpha", "zeta", None])
def test_the_kind_that_a_certificate_states_is_the_run_s(kind):
    listed = run_bounds["gadget"][0]
    made = PricedTree(kind=kind, program=listed.program, instance="0" * 64, bound="0", prices="")
    with pytest.raises(NotACertificate, match="not listed" if kind else "names no kind"):
        require_run_bound(made, "gadget", {}, "gadget.gadget", [])
    stated = msgspec.structs.replace(made, kind="gadget")
    require_run_bound(stated, "gadget", {}, "gadget.gadget", [])


@pytest.mark.parametrize(("name", "program"), [
    ("coded.expected", "coded.expected[shared]"), ("coded.mine", "coded.expected[shared]"),
    ("coded.chance_mine", "coded.chance"), ("coded.ChanceMine", "coded.chance"),
])  # fmt: skip
def test_the_name_of_an_algorithm_of_coded_says_which_problem_bounds_its_runs(name, program):
    data, prices = library.load("coded/demo"), np.ones(2)
    every = "coded.expected[shared]", "coded.chance"
    made = {each: MasterPrices.of(data, each, prices) for each in every}
    require_run_bound(made.pop(program), "coded", {}, name, [])
    for other in made.values():
        with pytest.raises(NotACertificate, match="does not bound runs of"):
            require_run_bound(other, "coded", {}, name, [])


STRICT = {"semantics": "strict"}


def accepts(certificate, options, algorithm):
    try:
        require_run_bound(certificate, "mlbroker", options, algorithm, [])
    except NotACertificate:
        return False
    return True


def of(run):
    return from_json(msgspec.json.encode(run.certificate.certificate))


@pytest.mark.parametrize("algorithm", FRACTIONAL)
def test_bounds_on_whole_placements_say_nothing_of_fractions(algorithm):
    slots = of(farkas.optimum(farkas.load("mlbroker/tiny")).run)
    assert type(slots).__struct_config__.tag == "priced_tree"
    assert accepts(slots, {}, "mlbroker.central")
    assert accepts(slots, STRICT, "mlbroker.optimum")
    assert not accepts(slots, STRICT, algorithm)


def test_strict_relaxations_count_for_strict_runs():
    made = of(farkas.run(farkas.load("mlbroker/tiny"), "mlbroker.fractional", **STRICT))
    assert made.program.endswith("strict]")
    assert accepts(made, STRICT, "mlbroker.fractional")
    assert not accepts(made, {}, "mlbroker.fractional")


def test_tight_relaxations_do_not_count_for_printed_fractions():
    made = of(farkas.run(farkas.load("mlbroker/tiny"), "mlbroker.fractional[tight]"))
    assert accepts(made, {"relax": "tight"}, "mlbroker.fractional")
    assert not accepts(made, {"relax": "printed"}, "mlbroker.fractional")
    assert not accepts(made, {}, "mlbroker.Fractional")  # a bare policy says no options
    assert accepts(made, {"relax": "printed"}, "mlbroker.central")


def test_other_programs_are_not_listed():
    slots = of(farkas.optimum(farkas.load("mlbroker/tiny")).run)
    other = msgspec.structs.replace(slots, program="mlbroker.offline[printed,choice,split]")
    with pytest.raises(NotACertificate, match="not listed"):
        require_run_bound(other, "mlbroker", {}, "mlbroker.central", [])
    assert json.loads(msgspec.json.encode(slots))["certificate"] == "priced_tree"


def exact_sign(cost, values, factors):
    total = F(cost) - sum((F(a) * F(y) for a, y in zip(values, factors, strict=True)), F(0))
    return (total > 0) - (total < 0)


def one_sign(cost, values, factors):
    column = np.zeros(len(values), np.int64)
    signs, sure = signs_by_doubles(
        np.array([cost]), column, np.array(values, float), np.array(factors, float)
    )
    return float(signs[0]), bool(sure[0])


def test_what_doubles_call_sure_is_so_however_much_cancels():
    """A cost is what the doubles of a random sum come to, or a few roundings away from it."""
    rng, found = np.random.default_rng(3), {"sure": 0, "wrong": 0}
    for _ in range(3000):
        n = int(rng.integers(1, 9))
        values = np.ldexp(rng.uniform(-1, 1, n), rng.integers(-3, 30, n))
        factors = np.ldexp(rng.uniform(-1, 1, n), rng.integers(-30, 3, n))
        cost = float((values * factors).sum()) * (
            1 + rng.integers(-9, 10) * 2.0 ** rng.integers(-53, -44)
        )
        exact = exact_sign(cost, values, factors)
        sign, sure = one_sign(cost, values, factors)
        if sure:
            assert sign == exact
        found["sure"] += sure
        found["wrong"] += sign != exact
    assert found["sure"] > 300
    assert found["wrong"] > 30  # of which none may be called sure


@pytest.mark.parametrize(
    ("cost", "values", "factors", "known"),
    [
        (1.0, [], [], True),
        (-2.0, [], [], True),
        (0.0, [], [], True),
        (5e-324, [], [], True),
        (1.0, [1.0], [1.0], False),
        (1.0, [1.0], [0.5], True),
        (0.0, [1.0], [0.5], True),
        # products that doubles lose: all of the sum, half of it, or all but the largest
        (0.0, [1e-200], [1e-200], False),
        (1e-300, [1e-200], [1e-200], False),
        (1.0, [1e-200], [1e-200], True),
        (0.0, [1e200], [1e200], False),
        (0.0, [1e200, 1e200], [1e200, -1e200], False),
        (1.0, [2.0**53, 1.0, -(2.0**53)], [1.0, 1.0, 1.0], False),
    ],
)
def test_a_sign_is_sure_where_no_rounding_can_change_it(cost, values, factors, known):
    sign, sure = one_sign(cost, values, factors)
    assert sure is known
    if known:
        assert sign == exact_sign(cost, values, factors)


def test_the_roundings_of_long_columns_are_all_counted():
    # after 1 every term of 2^-53 is lost: what is left of 1 + n/2^53 less 1 is 0
    n = 4096
    values = np.array([1.0] + [2.0**-53] * n)
    for cost in (1.0, 1.0 + n * 2.0**-54, 1.0 + n * 2.0**-53):
        sign, sure = one_sign(cost, values, np.ones(n + 1))
        assert not sure or sign == exact_sign(cost, values, np.ones(n + 1))
    assert one_sign(1.0 + n * 2.0**-54, values, np.ones(n + 1)) == (1, False)


def drawn(rng, rows, columns):
    """Data with many zeros, columns that cancel exactly, and ends that are 0, finite or not."""
    dense = rng.integers(-4, 5, (rows, columns)) * (rng.random((rows, columns)) < 0.6)
    y = rng.integers(-3, 4, rows) * np.where(rng.random(rows) < 0.5, 1.0, 0.1)
    exact = [sum(F(int(a)) * F(float(z)) for a, z in zip(line, y, strict=True)) for line in dense.T]
    cost = np.array([float(value) for value in exact])
    cost += rng.choice([0.0, 0.0, 1.0, -1.0, 2.0**-50, -(2.0**-50)], columns)
    ends = rng.choice([0.0, 0.0, 3.0, -2.0, np.inf], (2, columns))
    return cost, rows_of_dense(dense), y, ends[0], ends[1]


def test_signs_are_exact_and_numbers_stand_where_an_end_is_not_zero():
    rng, left_out, doubtful = np.random.default_rng(8), 0, 0
    for _ in range(200):
        cost, matrix, y, cheap, dear = drawn(rng, *rng.integers(1, 7, 2))
        every = reduced_costs(cost, matrix, y)
        decided, where, numbers = decided_costs(cost, matrix, y, cheap, dear)
        signs = np.where(every.negative, -1, every.nonzero)
        assert decided.tolist() == signs.tolist()
        at = where.tolist()
        assert at == sorted(set(at))
        assert [numbers.exact(k) for k in range(len(at))] == [every.exact(j) for j in at]
        end = np.where(signs < 0, dear, cheap)
        needed = bools((signs != 0) & (end != 0))
        assert set(np.flatnonzero(needed).tolist()) <= set(at)
        left_out += len(cost) - len(at)
        doubtful += int((~needed)[where].sum())
    assert left_out > 100
    assert doubtful > 100


def test_indices_outside_the_program_are_refused():
    cost, matrix, y, cheap, dear = drawn(np.random.default_rng(1), 3, 3)
    matrix.columns[0] = 3
    with pytest.raises(NotACertificate, match="an index lies outside"):
        decided_costs(cost, matrix, y, cheap, dear)
