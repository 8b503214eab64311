"""One algorithm on one instance."""

from __future__ import annotations

import pytest

from farkas.errors import InvalidInstance, InvalidOption, UnknownName
from farkas.online import algorithms
from farkas.verbs.run import find_algorithm, run


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
    ],
)
def test_what_does_not_fit_the_instance_is_refused(
    algorithm: str, options: dict[str, float], error: type[Exception]
) -> None:
    with pytest.raises(error):
        run("mlbroker/tiny", algorithm, **options)


def test_a_negative_seed_is_refused_before_any_work() -> None:
    with pytest.raises(InvalidOption, match=r"^seed = -3; give an integer >= 0$"):
        run("mlbroker/tiny", "mlbroker.mlbroker", seed=-3)


def test_an_unknown_algorithm_is_answered_within_its_kind_or_that_of_the_instance() -> None:
    with pytest.raises(UnknownName, match=r"'local'; did you mean mlbroker\.local\?$"):
        run("mlbroker/tiny", "local")
    for instance, name in (("dps/tiny", "dps.zzzzzz"), ("gadget/tiny", "nosuch")):
        with pytest.raises(UnknownName) as caught:
            run(instance, name)
        _, _, known = str(caught.value).partition("known: ")
        kind = instance.partition("/")[0]
        assert all(one.startswith((f"{kind}.", "...")) for one in known.split(", "))


def test_an_algorithm_of_another_kind_is_refused_whichever_comes_first() -> None:
    for name, kind in (("dps.simple", "mlbroker"), ("mlbroker.local", "dps")):
        with pytest.raises(InvalidInstance, match=f"kind {name.partition('.')[0]}, not {kind}"):
            find_algorithm(name, kind)
