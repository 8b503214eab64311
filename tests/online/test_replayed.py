"""What a replay adds to a fresh run: exact value, ratio rounded up, words on a beaten bound."""

from __future__ import annotations

from fractions import Fraction as F

import msgspec
import pytest

import farkas
from farkas.errors import NotACertificate
from farkas.online import Bound, Run
from farkas.online.replayed import prove_value, ratio_to
from farkas.replay import Decided, Kept, Replayed, replays


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """A run of a kind without a replay, and nothing proved about its value yet."""
    replays.load()
    monkeypatch.setattr(replays, "_items", {**replays._items, "mlbroker": lambda *_: None})
    run = farkas.run("mlbroker/tiny", "mlbroker.gr")
    return msgspec.structs.replace(
        run, value=1 / 3, value_exact=None, ratio=None, certificate=Bound.of(F(1, 7), "test")
    )


def worth(monkeypatch: pytest.MonkeyPatch, value: F, excess: F = F(0)) -> None:
    def rule(instance: object, run: Decided) -> Replayed:
        kept = Kept()
        kept.excess = excess
        return Replayed.of(value, kept)

    monkeypatch.setitem(replays._items, "mlbroker", rule)


def test_value_and_ratio_are_those_of_exact_numbers(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    worth(monkeypatch, F(1, 3))
    prove_value(run, farkas.load("mlbroker/tiny"))
    assert run.value_exact == "1/3"
    assert run.reached == F(1, 3)
    # 7/3 is no double: the ratio is the next one above
    assert F(run.ratio) > F(7, 3) > F(run.ratio) - F(1, 2**50)


def test_a_run_that_breaks_something_proves_nothing(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    worth(monkeypatch, F(1, 3), excess=F(1, 10**10))
    run.violations.append("all of it")
    prove_value(run, farkas.load("mlbroker/tiny"))
    assert (run.value_exact, run.ratio) == (None, None)


def test_without_a_replay_the_ratio_rests_on_the_environment(run: Run) -> None:
    prove_value(run, farkas.load("mlbroker/tiny"))
    assert run.value_exact is None
    assert run.reached == 1 / 3
    assert run.ratio == pytest.approx(7 / 3)


def test_a_bound_is_beaten_in_words_or_not_at_all(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    run.certificate = Bound.of(F(1, 3) * (1 + F(1, 10**8)), "test")
    worth(monkeypatch, F(1, 3), excess=F(1, 10**10))
    prove_value(run, farkas.load("mlbroker/tiny"))
    assert run.ratio == 1.0
    assert run.remarks[-1].startswith("better than the proved bound")
    worth(monkeypatch, F(1, 3))
    with pytest.raises(NotACertificate, match="bound or decisions are wrong"):
        prove_value(run, farkas.load("mlbroker/tiny"))


def test_no_bound_no_ratio(run: Run) -> None:
    tiny = farkas.load("mlbroker/tiny")
    assert ratio_to(run, tiny, None) is None
    assert ratio_to(run, tiny, Bound.of(F(1, 10**400), "test")) is None


def test_a_bound_of_another_run_is_met_as_exactly_as_its_own(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny = farkas.load("mlbroker/tiny")
    beaten = Bound.of(F(1, 3) * (1 + F(1, 10**8)), "another run")
    assert ratio_to(run, tiny, beaten) == 1.0  # rounded sums may seem better
    worth(monkeypatch, F(1, 3), excess=F(1, 10**10))
    prove_value(run, tiny)
    assert ratio_to(run, tiny, beaten) == 1.0  # as may what misses a requirement by a little
    worth(monkeypatch, F(1, 3))
    with pytest.raises(NotACertificate, match="bound or decisions are wrong"):
        ratio_to(run, tiny, beaten)
    run.violations.append("all of it")
    assert ratio_to(run, tiny, beaten) is None
