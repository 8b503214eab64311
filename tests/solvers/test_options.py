"""One set of options: what is refused, what stands for the default, and words of solvers."""

import math

import numpy as np
import pytest

from farkas.errors import InvalidOption
from farkas.solvers import Options, solve
from farkas.solvers.options import WORDS
from tests.conformance.solvers.cases import INF, form

SMALL = form([1], [(2, [1], INF)])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"timelimit": 3}, "unknown solver option 'timelimit'; did you mean time_limit?"),
        ({"time_limit": -1}, "time_limit = -1: must be a number of seconds >= 0"),
        ({"time_limit": "3"}, "time_limit = '3': must be a number of seconds >= 0"),
        ({"time_limit": float("nan")}, "time_limit = nan: must be"),
        ({"gap": INF}, "gap = inf: must be a finite number >= 0"),
        ({"threads": 0}, "threads = 0: must be a whole number from 1 to 2147483647"),
        ({"threads": True}, "threads = True: must be"),
        ({"seed": 2**31}, "seed = 2147483648: must be a whole number from 0"),
        ({"log": 1}, "log = 1: must be True or False"),
    ],
)
def test_options_are_refused_by_name_and_value(options, words):
    with pytest.raises(InvalidOption) as refusal:
        solve(SMALL, **options)
    assert words in str(refusal.value)


def test_none_stands_for_the_default():
    assert Options.parse({"time_limit": None, "threads": None}) == Options()


def test_options_go_by_the_words_of_the_solver_and_no_limit_is_no_word():
    assert Options().worded(("a", "b", "c", "d")) == {"b": 0.0, "c": 1, "d": 0}
    given = Options(time_limit=2.5, gap=0.125, threads=3, seed=9)
    assert given.worded(WORDS["highs"]) == {
        "time_limit": 2.5, "mip_rel_gap": 0.125, "threads": 3, "random_seed": 9,
    }  # fmt: skip
    assert given.worded(("", "gap", "", "")) == {"gap": 0.125}


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({"time_limit": 1.0}, "time_limit"),
        ({"gap": 0.1}, "gap"),
        ({"threads": 2}, "threads"),
        ({"seed": 1}, "seed"),
    ],
)
def test_a_needed_option_without_a_word_is_refused_unless_it_is_the_default(options, name):
    nothing = ("", "", "", "")
    assert Options().worded(nothing, "x", [name]) == {}
    assert Options(**options).worded(nothing, "x") == {}
    with pytest.raises(InvalidOption, match=f"farkas cannot pass {name} to x; leave it out"):
        Options(**options).worded(nothing, "x", [name])


def test_amounts_and_counts_may_be_numpy_numbers():
    parsed = Options.parse({"time_limit": np.float64(2), "seed": np.int32(7)})
    assert (parsed.time_limit, parsed.seed, parsed.gap) == (2.0, 7, 0.0)
    assert Options.parse({"time_limit": math.inf}) == Options()


def test_the_ends_of_every_range_are_allowed_and_a_log_is_asked_for():
    ends = {"threads": 1, "seed": 0, "gap": 0, "time_limit": 0}
    assert Options.parse(ends) == Options(time_limit=0, threads=1, seed=0, gap=0, log=False)
    assert Options.parse({"seed": 2**31 - 1}).seed == 2**31 - 1
