"""Policies are told apart by their methods, and the driver asks those that have one."""

import dataclasses

import pytest

from farkas.instances import library
from farkas.online import algorithms
from farkas.online.deciding import Certifying, Clairvoyant, Policy, Preparing, Priced, Remarking
from farkas.online.driver import drive


@pytest.mark.parametrize(
    ("name", "protocols"),
    [
        ("mlbroker.fractional", {Policy, Priced, Certifying}),
        ("mlbroker.opt", {Clairvoyant}),
        ("coded.simple_greedy", {Policy, Certifying}),
        ("coded.brute_force", {Policy, Certifying, Remarking}),
    ],
)
def test_what_a_policy_is_shows_in_its_methods(name, protocols):
    every = {Policy, Clairvoyant, Preparing, Priced, Certifying, Remarking}
    assert {one for one in every if isinstance(algorithms[name].policy(), one)} == protocols


def test_what_the_last_state_says_of_a_run_is_remarked():
    plain = type(algorithms["coded.simple_greedy"].policy())

    @dataclasses.dataclass(frozen=True)
    class Talking(plain):
        def remarks(self, state):
            return [f"the state was {state}"]

    data = library.load("coded/tiny")
    assert drive(Talking(), data, seed=7).remarks == ["the state was 7"]
    assert drive(plain(), data, seed=7).remarks == []
