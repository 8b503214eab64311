"""What a replay adds to a fresh run: exact value, ratio rounded up, words on a beaten bound."""

from __future__ import annotations

from fractions import Fraction as F

import msgspec
import pytest

import farkas
from farkas.errors import NotACertificate
from farkas.forms import Sense
from farkas.online import Bound, Run
from farkas.online.run import prove_value, ratio_to, words_on
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


@pytest.mark.parametrize("sense", ["min", "max"])
@pytest.mark.parametrize("excess", [F(0), F(1, 10**10)])
@pytest.mark.parametrize("better", [-F(1, 10**8), F(0), F(1, 10**8)])
def test_only_what_exceeds_something_is_better_than_a_bound(
    run: Run, monkeypatch: pytest.MonkeyPatch, sense: Sense, excess: F, better: F
) -> None:
    # a cost of 1/3 is better than a bound above it, a reward better than one below
    worth(monkeypatch, F(1, 3), excess)
    run.sense, run.value_exact = sense, "1/3"
    tiny, way = farkas.load("mlbroker/tiny"), 1 if sense == "min" else -1
    bound = Bound.of(F(1, 3) * (1 + way * better), "test")
    kept = Kept()
    kept.excess = excess
    words = words_on(Replayed.of(F(1, 3), kept), sense, bound.fraction)
    assert [said[:29] for said in words] == ["better than the proved bound,"] * (better > 0)
    if better > 0 and not excess:
        with pytest.raises(NotACertificate, match="bound or decisions are wrong"):
            ratio_to(run, tiny, bound)
        return
    # above 1 by the distance, rounded up; 1 where the value is better
    ratio = ratio_to(run, tiny, bound)
    assert ratio == 1.0 if better >= 0 else ratio == pytest.approx(1 + 1e-8, rel=1e-12)


def test_an_exact_value_that_nothing_replays_is_taken_to_keep_everything(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    run.value_exact = "1/3"
    with pytest.raises(NotACertificate, match="bound or decisions are wrong"):
        ratio_to(run, farkas.load("mlbroker/tiny"), Bound.of(F(1, 2), "test"))


def test_there_are_no_words_without_a_bound_or_on_what_is_broken() -> None:
    worth_little, broken = Replayed.of(F(1, 3)), Kept()
    broken.broken.append("all of it")
    assert words_on(worth_little, "min", None) == []
    assert words_on(Replayed.of(F(1, 3), broken), "min", F(1)) == []
    assert words_on(Replayed.of(F(1, 3), broken), "max", F(0)) == []


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
