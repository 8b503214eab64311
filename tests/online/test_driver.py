"""The driver, on a toy kind: pay for what you order, at least what is asked."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
import pytest

import farkas.kernels
import farkas.online.driver
import farkas.online.loop
from farkas.errors import InvalidInstance, InvalidOption, NotACertificate
from farkas.kernels import Kernel, compiled
from farkas.online import Bound, Outcome, Run, read_run, write_run
from farkas.online.driver import (
    Algorithm,
    Demo,
    algorithm,
    algorithms,
    demos,
    environment,
    environments,
)
from farkas.online.loop import drive
from tests.tools.shared import ROOT


@dataclasses.dataclass(frozen=True)
class Orders:
    asked: tuple[float, ...] = (3.0, 1.0, 2.0)
    kind: str = "toy"
    name: str = "three orders"
    sha256: str = "00"


class Shop(farkas.online.driver.Environment):
    sense: Literal["min"] = "min"

    def known(self, instance: Orders) -> int:
        return len(instance.asked)

    def arrivals(self, instance: Orders) -> Sequence[float]:
        return instance.asked

    def evaluate(self, instance: Orders, decisions: Sequence[float]) -> Outcome:
        short = [
            f"slot {t}: {d} < {a}"
            for t, (a, d) in enumerate(zip(instance.asked, decisions, strict=True))
            if d < a
        ]
        return Outcome([{"price": float(d)} for d in decisions], short)

    def bound(self, instance: Orders) -> Bound | None:
        return Bound.of(int(sum(instance.asked)), "every order is paid")


@dataclasses.dataclass(frozen=True)
class Factor:
    """Orders a multiple of what is asked, with some noise."""

    factor: float = 2.0
    mode: Literal["plain", "noisy"] = "plain"
    once: int | None = None
    most: Annotated[int, msgspec.Meta(ge=1)] = 9

    def start(self, known: Any, seed: int) -> Any:
        assert not isinstance(known, Orders)  # a policy never sees the future
        return np.random.default_rng(seed)

    def step(self, state: Any, arrivals: float) -> tuple[Any, Any]:
        noise = state.random() if self.mode == "noisy" else 0.0
        return state, np.float64(self.factor * arrivals + noise)


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch) -> Algorithm:
    algorithms.load()
    environments.load()
    monkeypatch.setattr(environments, "_items", {**environments._items, "toy": Shop()})
    monkeypatch.setattr(algorithms, "_items", dict(algorithms._items))
    algorithm("toy.factor", source="Nowhere, Algorithm 0")(Factor)
    return algorithms["toy.factor"]


def test_a_run_ends_with_value_bound_and_ratio(toy: Algorithm) -> None:
    # 2 * (3 + 1 + 2) = 12 against 6
    run = toy.run(Orders())
    assert (run.value, run.ratio) == (12.0, 2.0)
    assert run.certificate is not None
    assert run.certificate.exact == "6"
    assert run.costs == [{"price": 6.0}, {"price": 2.0}, {"price": 4.0}]
    assert run.options == {"factor": 2.0, "mode": "plain", "once": None, "most": 9}


def test_timings_hold_no_compiling(toy: Algorithm, monkeypatch: pytest.MonkeyPatch) -> None:
    # Three steps of one second each; the first also meets a kernel that takes 1000 to compile.
    now = [0.0]

    def translate(kernel: Kernel, **_: bool) -> object:
        now[0] += 1000.0
        return kernel.interpret

    @compiled(steps=lambda x: 1e9)
    def half(x: float) -> float:
        return x / 2

    class Halving(Factor):
        def step(self, state: Any, arrivals: float) -> tuple[Any, Any]:
            now[0] += 1.0
            return state, 2 * half(arrivals)

    monkeypatch.setattr("farkas.kernels.machine.translate", translate)
    monkeypatch.setattr(farkas.kernels.time, "perf_counter", lambda: now[0])
    run = drive(Halving(), Orders())
    assert now[0] == 1003.0
    after = dict.fromkeys(("evaluate", "certify", "replay"), 0.0)
    assert run.timings == {"policy": 3.0, "longest_step": 1.0, **after}


def test_kernels_are_prepared_before_anything_is_decided(
    toy: Algorithm, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []

    def translate(kernel: Kernel, **_: bool) -> object:
        told.append("compiled")
        return kernel.interpret

    @compiled(steps=lambda x: 1)
    def same(x: float) -> float:
        return x

    class Ready(Factor):
        def prepare(self, instance: Orders) -> None:
            same.prepare(10 * len(instance.asked))

        def start(self, known: Any, seed: int) -> Any:
            told.append("begun")
            return super().start(known, seed)

        def step(self, state: Any, arrivals: float) -> tuple[Any, Any]:
            return state, same(arrivals)

    monkeypatch.setattr("farkas.kernels.machine.translate", translate)
    monkeypatch.setattr(farkas.kernels, "STEPS_INTERPRETED", 29)
    monkeypatch.setattr("farkas.online.loop.clock", lambda: told.append("clock") or 0.0)
    drive(Ready(), Orders())
    assert told.index("compiled") < told.index("clock") < told.index("begun")
    assert told.count("compiled") == 1


def test_the_time_of_the_replay_is_that_of_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    made = farkas.online.driver.manifest

    def slow(instance: Any, seed: int) -> Any:
        now[0] += 100.0
        return made(instance, seed)

    def replayed(run: Run, instance: Any) -> None:
        now[0] += 1.0

    monkeypatch.setattr("farkas.online.loop.clock", lambda: now[0])
    monkeypatch.setattr("farkas.online.driver.manifest", slow)
    monkeypatch.setattr("farkas.online.loop.prove_value", replayed)
    assert drive(Factor(), Orders()).timings["replay"] == 1.0


def test_decisions_are_plain_data_and_survive_a_file(toy: Algorithm, tmp_path: Path) -> None:
    run = toy.run(Orders(), seed=3, mode="noisy")
    write_run(run, tmp_path / "run.json")
    again = read_run(tmp_path / "run.json")
    assert again == run
    assert again.timings == run.timings
    assert all(type(d) is float for d in run.decisions)


def test_one_seed_gives_one_run_and_timings_do_not_count(toy: Algorithm) -> None:
    first, second = (toy.run(Orders(), seed=7, mode="noisy") for _ in range(2))
    second.timings = {"policy": 1e9}
    assert first == second
    assert first != toy.run(Orders(), seed=8, mode="noisy")


def test_broken_requirements_leave_no_ratio(toy: Algorithm) -> None:
    run = toy.run(Orders(), factor=0.5)
    assert run.ratio is None
    assert run.violations == ["slot 0: 1.5 < 3.0", "slot 1: 0.5 < 1.0", "slot 2: 1.0 < 2.0"]


def test_a_value_better_than_the_bound_is_an_error_not_a_ratio() -> None:
    class Liar(Factor):
        def certify(self, instance: Any, state: Any, decisions: Any) -> Bound:
            return Bound.of(13, "wrong")

    with pytest.raises(NotACertificate, match="bound 13"):
        drive(Liar(), Orders())


def test_a_policy_may_price_and_certify_itself() -> None:
    class Own(Factor):
        def evaluate(self, instance: Any, decisions: Any) -> Outcome:
            return Outcome([{"whole": 10.0}], value=10.0, numbers={"moving": 4.0})

        def certify(self, instance: Any, state: Any, decisions: Any) -> Bound:
            assert isinstance(state, np.random.Generator)  # the last state
            return Bound.of(8, "own dual", {"y": [1]})

    run = drive(Own(), Orders())
    assert (run.value, run.ratio, run.numbers) == (10.0, 1.25, {"moving": 4.0})
    assert run.certificate is not None
    assert run.certificate.certificate == {"y": [1]}


def test_remarks_of_environment_and_policy_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    class Talking(Factor):
        def remarks(self, state: Any) -> list[str]:
            return ["mine"]

    class Remarked(Shop):
        def evaluate(self, instance: Orders, decisions: Sequence[float]) -> Outcome:
            return dataclasses.replace(super().evaluate(instance, decisions), remarks=["ours"])

    assert drive(Talking(), Orders()).remarks == ["mine"]
    monkeypatch.setattr(environments, "_items", {**environments._items, "toy": Remarked()})
    assert drive(Talking(), Orders()).remarks == ["ours", "mine"]
    assert drive(Factor(), Orders()).remarks == ["ours"]


def test_the_demo_of_a_kind_is_what_its_environment_says_if_it_says_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shown = Demo("toy.factor")
    demos.load()
    for registry in (demos, environments):
        monkeypatch.setattr(registry, "_items", dict(registry._items))
    environment("toy.silent")(Shop)
    environment("toy.shown", demo=shown)(Shop)
    assert "toy.silent" not in demos._items
    assert demos["toy.shown"] is shown
    assert isinstance(environments["toy.shown"], Shop)
    assert all(isinstance(demo, Demo) for demo in demos._items.values())


def test_an_instance_without_arrivals_has_ratio_one(toy: Algorithm) -> None:
    run = toy.run(Orders(asked=()))
    assert (run.value, run.ratio, run.costs) == (0.0, 1.0, [])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"facter": 1.0}, "no option 'facter'; did you mean factor?"),
        ({"factor": "2"}, "factor cannot be '2': Expected a number, got text"),
        ({"factor": True}, "Expected a number, got a truth value"),
        ({"factor": float("nan")}, "factor = nan; give a finite number"),
        ({"mode": "quiet"}, "unknown value 'quiet'"),
        ({"once": 1.5}, "Expected a whole number or null, got a number with a point"),
        ({"most": 0}, "Expected a whole number >= 1"),
    ],
)
def test_a_wrong_option_is_refused(toy: Algorithm, options: Any, words: str) -> None:
    with pytest.raises(InvalidOption) as caught:
        toy.run(Orders(), **options)
    assert words in str(caught.value)


def test_words_of_the_command_line_become_values(toy: Algorithm) -> None:
    settled = toy.settle({"factor": "1.5", "once": "null", "mode": "noisy"}, strict=False)
    assert settled == {"factor": 1.5, "once": None, "mode": "noisy", "most": 9}


def test_an_instance_of_another_kind_is_refused(toy: Algorithm) -> None:
    for kind in ("other", "zoo"):
        with pytest.raises(InvalidInstance, match=f"takes instances of kind toy, not {kind}"):
            toy.run(Orders(kind=kind))


def test_an_option_needs_a_default_and_a_policy_a_docstring() -> None:
    @dataclasses.dataclass
    class Bare:
        """Has an option without default."""

        factor: float

    with pytest.raises(ValueError, match="needs a default"):
        algorithm("toy.bare")(Bare)
    with pytest.raises(ValueError, match="needs a docstring"):
        algorithm("toy.silent")(lambda: None)


HASHED = """
from farkas.instances.library import load
from farkas.online import algorithms
instance = load("mlbroker/tiny")
for name in algorithms.names("mlbroker."):
    run = algorithms[name].run(instance, seed=5)
    print(name, run.value, run.costs, run.decisions, run.certificate)
"""


@pytest.mark.slow
def test_runs_do_not_depend_on_the_hash_seed() -> None:
    outputs = [
        subprocess.run(
            [sys.executable, "-c", HASHED],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert outputs[0] == outputs[1]


def test_a_variant_differs_in_its_options_only() -> None:
    algorithm("toy.twice", source="Here", variants={"thrice": {"factor": 3.0}})(Factor)
    plain, variant = algorithms["toy.twice"], algorithms["toy.twice[thrice]"]
    assert variant.options == {**plain.options, "factor": 3.0}
    run = variant.run(Orders())
    assert (run.algorithm, run.value, run.options["factor"]) == ("toy.twice[thrice]", 18.0, 3.0)
    assert variant.run(Orders(), factor=4.0).value == 24.0
