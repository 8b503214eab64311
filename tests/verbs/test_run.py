"""One algorithm on one instance."""

from __future__ import annotations

from typing import Any

import pytest

import farkas
from farkas.errors import InvalidInstance, InvalidOption, UnknownName
from farkas.instances import library
from farkas.online import algorithms
from farkas.verbs.run import evaluate, run


def test_name_and_algorithm_give_the_same_run() -> None:
    first = run("mlbroker/tiny", "mlbroker.local")
    second = run("mlbroker/tiny", algorithms["mlbroker.local"])
    assert (first.value, first.decisions) == (second.value, second.decisions)
    assert first.ratio == pytest.approx(first.value / float(first.certificate))  # type: ignore[arg-type]


def test_seed_options_and_progress_reach_the_run() -> None:
    told: list[tuple[int, int]] = []
    done = run(
        "mlbroker/tiny", "mlbroker.fractional", seed=3, epsilon=0.5,
        progress=lambda *step: told.append(step),
    )  # fmt: skip
    assert (done.manifest.seed, done.options["epsilon"]) == (3, 0.5)
    assert told[-1] == (2, 2), "tiny has two slots"


@pytest.mark.parametrize(
    ("algorithm", "options", "error"),
    [
        ("mlbroker.fractionel", {}, UnknownName),
        ("mlbroker.fractional", {"epsilan": 1.0}, InvalidOption),
        ("dps.simple", {}, InvalidInstance),
        ("mlbroker.mlbroker", {"seed": -3}, InvalidOption),
    ],
)
def test_what_does_not_fit_the_instance_is_refused(
    algorithm: str, options: dict[str, float], error: type[Exception]
) -> None:
    with pytest.raises(error):
        run("mlbroker/tiny", algorithm, **options)


def test_an_unknown_algorithm_is_answered_within_its_kind_or_that_of_the_instance() -> None:
    assert run("mlbroker/tiny", "local").algorithm == "mlbroker.local"
    with pytest.raises(UnknownName, match=r"'loca'; did you mean (mlbroker\.)?local"):
        run("mlbroker/tiny", "loca")
    for instance, name in (("dps/tiny", "dps.zzzzzz"), ("gadget/tiny", "nosuch")):
        with pytest.raises(UnknownName) as caught:
            run(instance, name)
        _, _, known = str(caught.value).partition("known: ")
        kind = instance.partition("/")[0]
        assert all(
            one.startswith((f"{kind}.", "...")) or f"{kind}.{one}" in algorithms
            for one in known.split(", ")
        )


def test_jobs_of_the_instance_are_left_out() -> None:
    feed = farkas.feed("dps/tiny", "dps.learned", reserve=0.0, forecast=0.0)
    assert feed.jobs == []
    assert feed.options["reserve"] == 0.0
    for job in farkas.load("dps/tiny").jobs:
        feed.step(job)
    assert feed.run() == farkas.run("dps/tiny", "dps.learned", reserve=0.0, forecast=0.0)


def test_an_algorithm_is_given_by_name_or_as_it_is() -> None:
    one = farkas.feed("gadget/demo", "gadget.las", seed=2)
    other = farkas.feed("gadget/demo", algorithms["gadget.las"], seed=2)
    assert one.step() == other.step() == []
    assert one.run() == other.run()
    assert one.run().manifest.seed == 2


def test_wrong_names_options_and_seeds_are_refused() -> None:
    with pytest.raises(UnknownName, match=r"dps\.learned"):
        farkas.feed("dps/tiny", "dps.learnt")
    with pytest.raises(InvalidOption, match="reserve"):
        farkas.feed("dps/tiny", "dps.learned", reserves=1.0)
    with pytest.raises(InvalidOption, match="seed"):
        farkas.feed("dps/tiny", "dps.learned", seed=-1)
    with pytest.raises(InvalidOption, match="algorithm"):
        farkas.feed("dps/tiny", 3)  # type: ignore[arg-type]


def test_what_is_not_defined_is_absent_and_what_is_unknown_refused() -> None:
    found = evaluate("mlbroker/tiny", ["mlbroker.big_m_smallest", "mlbroker.oasis"])
    assert list(found) == ["mlbroker.big_m_smallest"]
    assert evaluate("mlbroker/tiny", []) == {}
    with pytest.raises(UnknownName):
        evaluate("mlbroker/tiny", "mlbroker.bigm")


def test_without_names_those_of_the_file_are_computed() -> None:
    asking = library.load("gadget/tiny").replace(expected={"gadget.fifo": {"value": 77, "tol": 0}})
    assert list(evaluate(asking)) == ["gadget.fifo"]


@pytest.mark.parametrize("keys", [3, [3], ["mlbroker.offline", None]])
def test_keys_of_a_wrong_type_are_refused_in_one_line(keys: Any) -> None:
    with pytest.raises(InvalidOption, match=r"cannot be (3|None): give str"):
        evaluate("mlbroker/tiny", keys)
