"""`farkas.worst_box`: the ratio of a box from both sides, and that nothing weaker is accepted."""

from __future__ import annotations

import dataclasses
import functools
import signal
from fractions import Fraction
from typing import Any

import msgspec
import numpy as np
import pytest

import farkas
from farkas.adversary.scoring import Scorer
from farkas.adversary.shape import Plain, entries, plain_of
from farkas.algebra import programs
from farkas.api.programs import origin
from farkas.api.worst_box import BoxProof, _Iteration, worst_box
from farkas.api.worst_program import placed, why_outside, worst_program
from farkas.certificates.proof import rounded
from farkas.errors import InvalidInstance, InvalidOption, NoAnswer, NotACertificate, NotApplicable
from farkas.exact.node_bounds import Deadline
from farkas.exact.solver import prove_form
from farkas.forms.rational import as_rational
from farkas.instances import Instance
from farkas.instances.files import kind_class
from farkas.models.worst_case import ROUNDED, WorstProgram
from farkas.online import algorithms
from tests.tools.boxes import coded_box, dps_box, gadget_box, mlbroker_box

BOXES = {
    "coded.simple_greedy": coded_box(workers=2),
    "dps.fixed_price": dps_box(2.0, 7.0),
    "gadget.fifo": gadget_box(),
    "mlbroker.local": mlbroker_box(slots=1),
}
RATIOS = {"coded.simple_greedy": 3.0, "dps.fixed_price": 3.5, "gadget.fifo": 8.0}
"""By hand: fastest against slowest pair; two jobs of 2 are served where two of 7 would pay; job 0
earns 1 and ends the slot, two workers of job 2 and one of job 1 would earn 8.
"""

every_box = pytest.mark.parametrize("name", BOXES)


@functools.cache
def proved(name: str) -> BoxProof:
    return worst_box(name, BOXES[name])


@every_box
def test_both_sides_are_proved_and_meet(name: str) -> None:
    found = proved(name)
    assert found.at_most is not None
    assert found.at_least is not None
    assert found.at_least <= found.at_most <= found.at_least * (1 + Fraction(1, 10**5))
    if name in RATIOS:
        assert float(found.at_most) == pytest.approx(RATIOS[name], rel=1e-9)


@every_box
def test_check_accepts_both_without_a_solver(name: str) -> None:
    found = proved(name)
    assert found.lower is not None
    assert farkas.check(found.lower.gap).ratio == found.at_least
    proof = farkas.check(found.upper.certificate, found.box)
    assert proof.bound is not None
    assert proof.bound <= 0
    assert found.program.full_name in proof.statement


@pytest.mark.ids(3)
@every_box
def test_a_certificate_is_refused_for_a_smaller_ratio(name: str) -> None:
    found = proved(name)
    certificate = found.upper.certificate
    smaller = str(found.program.factor * 0.999)
    forged = msgspec.structs.replace(
        certificate,
        program=certificate.program.replace(found.program.ratio, smaller),
        options=certificate.options | {"ratio": smaller},
    )
    with pytest.raises(NotACertificate):
        farkas.check(forged, found.box)


@every_box
def test_at_a_smaller_ratio_there_is_an_instance_that_is_worse(name: str) -> None:
    found = proved(name)
    program = type(found.program)(
        **found.program.variant | {"ratio": str(found.program.factor * 0.99)}
    )
    less = prove_form(as_rational(program.form(found.box)))
    assert less.value is not None
    assert less.value > 0


@pytest.mark.ids(1)
@every_box
def test_random_instances_of_the_box_are_no_worse(name: str) -> None:
    found = proved(name)
    assert found.at_most is not None
    scorer = Scorer(algorithms[name], {})
    rng = np.random.default_rng(0)
    form = found.program.form(found.box)
    low, high = form.safe_lower, form.safe_upper
    tried = 0
    for _ in range(10):
        values = {
            block.name: rng.uniform(low[block.where], high[block.where]).reshape(block.shape)
            for block in form.columns
        }
        scored = scorer.score(found.program.decoded(found.box, values))
        if scored is not None:
            assert scored.ratio is not None
            assert scored.ratio <= found.at_most
            tried += 1
    assert tried > 8


def test_a_reward_of_nothing_has_no_ratio() -> None:
    found = worst_box("dps.fixed_price", dps_box(1.0, 3.0))
    assert found.at_most is None
    assert found.closed is None
    assert found.lower is not None
    assert found.at_least is None
    assert found.words() == ("unbounded", "unbounded")
    plain = found.to_builtins()
    assert plain["ratio_at_most"] == plain["ratio_at_least_exact"] == "unbounded"


def test_what_is_not_proved_is_not_said() -> None:
    found = proved("gadget.fifo")
    open_ = dataclasses.replace(
        found, upper=dataclasses.replace(found.upper, bound=Fraction(1, 10**9))
    )
    assert open_.at_most is None
    assert open_.words()[1] == "not proved"
    assert open_.to_builtins()["ratio_at_most_exact"] is None


def test_json_has_both_sides_exactly() -> None:
    found = proved("mlbroker.local")
    plain = found.to_builtins()
    assert Fraction(plain["ratio_at_most_exact"]) == found.at_most
    assert Fraction(plain["ratio_at_least_exact"]) == found.at_least
    assert plain["ratio_at_least"] <= plain["ratio_at_most"]
    assert Fraction(plain["bound_exact"]) <= 0
    assert "at most" in repr(found)


def test_a_box_of_one_instance_has_its_ratio() -> None:
    found = worst_box("dps.fixed_price", dps_box(2.0, 2.0))
    assert float(found.at_most or 0) == pytest.approx(1.0)
    assert found.at_least == 1


@pytest.mark.parametrize(
    ("error", "algorithm", "instance", "arguments"),
    [
        (InvalidOption, "mlbroker.central", "mlbroker/tiny", {}),
        (InvalidOption, "mlbroker.local", "mlbroker/tiny", {"variant": {"parts": "3"}}),
        (InvalidOption, "dps.fixed_price", dps_box(), {"placement": "best_fit"}),
        (InvalidInstance, "dps.fixed_price", "mlbroker/tiny", {}),
        (NotApplicable, "dps.fixed_price", "dps/tiny", {}),
    ],
)
def test_what_cannot_be_asked_is_refused(error, algorithm, instance, arguments) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(error):
        worst_box(algorithm, instance, **arguments)


@every_box
def test_check_says_what_the_bound_means(name: str) -> None:
    found = proved(name)
    assert found.at_most is not None
    said = farkas.check(found.upper.certificate, found.box).statement
    most = rounded(found.at_most, up=True)
    assert f"So the ratio of {name} is at most {most} on every instance of its box" in said
    assert all(family in said for family in found.program.varied)
    assert "does not prove" in said


def test_only_the_rebuilt_program_says_what_a_bound_means() -> None:
    found = proved("dps.fixed_price")
    certificate = prove_form(as_rational(found.program.form(found.box))).certificate
    assert certificate is not None
    assert "So the ratio" not in farkas.check(certificate).statement  # the file alone
    # a file that names a program of the worst case is about that program, or refused
    for name in ("dps.worst_fixed_price[1,0]", "dps.offline"):
        renamed = msgspec.structs.replace(certificate, program=name)
        with pytest.raises(NotACertificate):
            farkas.check(renamed, found.box)
    apart = programs.build(f"dps.worst_fixed_price[ratio={found.program.ratio},margin=0.5]")
    about = origin(apart, found.box)
    less = prove_form(as_rational(apart.form(found.box)), about=about).certificate
    assert less is not None
    proof = farkas.check(less, found.box)
    assert proof.bound is not None
    assert proof.bound <= 0  # but of instances without ties only
    assert "So the ratio" not in proof.statement


def test_no_ratio_is_below_one() -> None:
    program = programs.build("dps.worst_fixed_price[ratio=0.5]")
    assert isinstance(program, WorstProgram)
    assert program.ratio_at_most(Fraction(0)) == ROUNDED  # two zeros have the ratio 1
    assert program.ratio_at_most(None) is None


def varied_numbers(found: BoxProof, data: Plain) -> list[tuple[Any, Any]]:
    return [(held, key) for family, held, key in entries(data) if family in found.program.varied]


def shifted(found: BoxProof, step: float) -> Instance:
    """The instance of the lower side, with a number at the upper end of its range moved an ulp."""
    assert found.lower is not None
    data = plain_of(found.lower.instance)
    numbers = varied_numbers(found, data)
    ends = plain_of(found.box)
    high = max(held[key] for held, key in varied_numbers(found, ends))
    held, key = max(numbers, key=lambda place: place[0][place[1]])
    held[key] = float(np.nextafter(high, step))
    return kind_class(found.box.kind).build(**data)


@every_box
def test_an_instance_an_ulp_outside_is_no_lower_side(name: str) -> None:
    found = proved(name)
    assert found.lower is not None
    assert why_outside(found.program, found.box, found.lower.instance) is None
    beyond = shifted(found, np.inf)
    assert "is not in" in str(why_outside(type(found.program), found.box, beyond))
    lower = dataclasses.replace(found.lower, instance=beyond)
    with pytest.raises(NotACertificate, match="outside of the box"):
        dataclasses.replace(found, lower=lower)
    with pytest.raises(NotACertificate, match="its box does not hold"):
        placed(lower, found.box)
    between = shifted(found, -np.inf)  # inside the ranges, but on no grid
    on_grid = name in ("gadget.fifo", "mlbroker.local")
    assert (why_outside(found.program, found.box, between) is not None) is on_grid
    assert why_outside(type(found.program), found.box, between) is None


def test_what_is_decoded_outside_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    found = proved("dps.fixed_price")
    cls = type(found.program)
    decoded = cls.decoded

    def beyond(self: WorstProgram, data: Any, values: Any) -> Instance:
        made = plain_of(decoded(self, data, values))
        for held, key in varied_numbers(found, made):
            if held[key] == 7.0:
                held[key] = float(np.nextafter(7.0, 8.0))
        return kind_class("dps").build(**made)

    monkeypatch.setattr(cls, "decoded", beyond)
    other = worst_box("dps.fixed_price", found.box)
    assert other.at_most == found.at_most
    assert other.lower is None
    assert other.words()[0] == "-"


@every_box
def test_check_places_the_statement_in_its_box(name: str) -> None:
    found = proved(name)
    assert found.lower is not None
    proof = farkas.check(found.lower.gap, found.box)
    assert "lies in the box of the given one" in proof.statement
    assert "lies in the box" not in farkas.check(found.lower.gap).statement
    assert proof.ratio == found.at_least


def test_more_that_differs_than_the_numbers_is_outside() -> None:
    found = proved("dps.fixed_price")
    assert found.lower is not None
    other = found.box.replace(horizon=found.box.horizon + 1)  # type: ignore[attr-defined]
    with pytest.raises(NotACertificate, match=r"more than jobs\[\].budget is different"):
        farkas.check(found.lower.gap, other)
    with pytest.raises(NotACertificate, match="of kind dps"):
        farkas.check(found.lower.gap, gadget_box())


def pressed_at(monkeypatch: pytest.MonkeyPatch, name: str, call: int) -> None:
    """Press Ctrl-C at the beginning of some call of a step of the iteration."""
    step, calls = getattr(_Iteration, name), iter(range(1, 100))

    def patched(self: _Iteration, *given: Any, **named: Any) -> Any:
        if next(calls) == call:
            signal.raise_signal(signal.SIGINT)
        return step(self, *given, **named)

    monkeypatch.setattr(_Iteration, name, patched)


@pytest.mark.parametrize("call", [2, 3])
def test_ctrl_c_before_the_proof_keeps_the_best(monkeypatch: pytest.MonkeyPatch, call: int) -> None:
    pressed_at(monkeypatch, "searched", call)
    found = worst_box("dps.fixed_price", BOXES["dps.fixed_price"])
    assert found.upper.interrupted
    assert found.at_most is None
    assert found.words()[1] == "not proved"
    assert found.at_least is not None
    assert found.at_least > 1


def test_ctrl_c_before_anything_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    pressed_at(monkeypatch, "searched", 1)
    with pytest.raises(KeyboardInterrupt):
        worst_box("dps.fixed_price", BOXES["dps.fixed_price"])


def test_the_limit_is_of_all_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NoAnswer, match="time limit came before"):
        worst_box("gadget.fifo", gadget_box(), time_limit=1e-9)
    decode = _Iteration.decode

    def late(self: _Iteration, point: Any) -> None:
        decode(self, point)
        self.clock = Deadline(0.0)

    monkeypatch.setattr(_Iteration, "decode", late)
    found = worst_box("dps.fixed_price", BOXES["dps.fixed_price"], time_limit=1000.0)
    assert found.at_most is None
    assert not found.upper.interrupted
    assert found.lower is not None
    for wrong in (0, -1, float("nan")):
        with pytest.raises(InvalidOption, match="time_limit"):
            worst_box("gadget.fifo", gadget_box(), time_limit=wrong)


def test_who_is_forgiven_the_price_never_declines() -> None:
    """Budgets of 2 / (1 + 5e-10) are below the 2 asked by less than the 1e-9 that is forgiven."""
    budget = 2.0 / (1.0 + 5e-10)
    found = worst_box("dps.fixed_price", dps_box(budget, budget, jobs=1))
    assert found.at_most is not None
    assert 1 <= found.at_most < 1 + Fraction(1, 10**6)
    assert found.words()[1] != "unbounded"
    # below what is forgiven the job goes, and the witness earns all
    budget = 2.0 / (1.0 + 2e-9)
    assert worst_box("dps.fixed_price", dps_box(budget, budget, jobs=1)).is_unbounded


def test_unbounded_is_said_of_an_instance_only() -> None:
    found = worst_box("dps.fixed_price", dps_box(1.0, 3.0))
    assert found.is_unbounded
    without = dataclasses.replace(found, lower=None)
    assert without.words() == ("-", "not proved")
    assert without.to_builtins()["ratio_at_most"] is None


def test_an_algorithm_without_a_program_is_told_which_have() -> None:
    with pytest.raises(InvalidOption, match=r"there are coded\.simple_greedy, dps\.fixed_price"):
        worst_program("mlbroker.central")


def test_a_box_holds_its_ends_and_nothing_that_differs_in_more() -> None:
    cls, box = worst_program("dps.fixed_price"), dps_box(2.0, 7.0)
    assert why_outside(cls, box, box) is None
    assert why_outside(cls, box, dps_box(2.5, 6.0)) is None
    assert why_outside(cls, box, dps_box(2.0, 7.5)) == "jobs[].budget = 7.5 is not in 2.0..7.0"
    assert why_outside(cls, box, dps_box(1.5, 7.0)) == "jobs[].budget = 1.5 is not in 2.0..7.0"
    fewer = dps_box(2.0, 7.0, jobs=2)
    assert "is different" in str(why_outside(cls, box, fewer))
    assert why_outside(cls, box, gadget_box()) == "it is of kind gadget"
