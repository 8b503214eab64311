"""farkas.optimum: what it takes and refuses."""

import pytest

import farkas
from farkas.errors import InvalidOption
from farkas.verbs.optimum import ladder_of


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"gap": -0.1}, "gap = -0.1; give a share"),
        ({"gap": 1}, "gap = 1; give a share"),
        ({"gap": "x"}, "gap"),
        ({"time_limit": 0}, "time_limit = 0; give seconds above 0"),
        ({"time_limit": float("nan")}, "time_limit"),
        ({"problem": 3}, "problem"),
        ({"problem": "coded.chanse"}, "did you mean .*coded.chance"),
        ({"progress": 3}, "progress"),
        ({"workers": 0}, "workers = 0; give at least 1"),
        ({"workers": 1.5}, "workers"),
        ({"scheduler": 3}, "scheduler"),
    ],
)
def test_impossible_options_are_refused_in_one_line(options, words):
    with pytest.raises(InvalidOption, match=words) as refused:
        farkas.optimum("coded/demo", **options)
    assert "\n" not in str(refused.value)


def test_problems_have_ladders_of_their_own():
    assert ladder_of("coded").name == "coded.optimum"
    assert ladder_of("coded", "coded.chance").name == "coded.chance_optimum"
    assert ladder_of("coded", "coded.assignment").name == "coded.dedicated_optimum"


def test_a_file_and_its_instance_give_the_same(tmp_path):
    market = farkas.load("dps/demo")
    path = tmp_path / "market.json"
    farkas.save(market, path)
    # ended by a gap, since a clock would end the trees of the two at different nodes
    assert farkas.optimum(path, gap=0.1).run == farkas.optimum(market, gap=0.1).run
