"""A run that begins without its jobs."""

from __future__ import annotations

import pytest

import farkas
from farkas.errors import InvalidOption, UnknownName
from farkas.online import algorithms


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
