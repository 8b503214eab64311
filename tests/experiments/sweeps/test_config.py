"""Configurations say what is wrong with them before anything runs."""

from __future__ import annotations

import itertools

import pytest

from farkas.errors import FileProblem, InvalidOption
from farkas.experiments.sweeps import plan, read_config
from farkas.experiments.sweeps.config import product, seeds
from tests.experiments.sweeps.made import LOCAL, written


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("name = 1", InvalidOption, "name: expected text, got a whole number"),
        ("name = ", FileProblem, "no TOML"),
        ('name = "a"\ninstances = []', InvalidOption, "names no algorithm; add"),
        ('name = "a"\ninstances = [{}]\nalgorithms = [{name = "x"}]', InvalidOption, "files or a"),
        ('name = "a"\nwrong = 1\ninstances = []', InvalidOption, "wrong"),
        ('name = "a"\ninstances = []\ntimeout = inf', InvalidOption, "timeout = inf"),
        ('name = "a"\ninstances = []\ntimeout = nan', InvalidOption, "timeout = nan"),
        ('name = "a"\ninstances = []\ntimeout = 0', InvalidOption, "timeout = 0"),
        ("a = " + "[" * 100_000, FileProblem, "nested too deep"),
        ("a" + ".a" * 100_000 + " = 1", FileProblem, "line 1 holds more than 500 dots"),
        (
            'name = "x"\ninstances = ["mlbroker/tiny"]',
            InvalidOption,
            r"instances\[0\] is no table; write \[\[instances\]\] and below it files = ",
        ),
        (
            'name = "x"\n[[instances]]\nkind = "eris"\nsettings = 3',
            InvalidOption,
            r"instances\[0\]\.settings: expected an object of names and values, got a wh",
        ),
        (
            'name = "x"\ninstances = []\n[[algorithms]]\nname = "eris.eris"\noptions = [1]',
            InvalidOption,
            r"algorithms\[0\]\.options: expected an object of names and values, got a list$",
        ),
        (
            'name = "x"\n[[instances]]\nfile = ["a.json"]',
            InvalidOption,
            r"instances\[0\]: unknown field `file`; did you mean files\?",
        ),
        (
            'name = "x"\ninstances = []\nstroe = "a"',
            InvalidOption,
            r"bad\.toml: unknown field `stroe`; did you mean store\?",
        ),
        ("a" + ".a" * 400 + " = 1", InvalidOption, "unknown field"),
        ("#" * (2**20 + 1), FileProblem, "bytes"),
    ],
)
def test_bad_configurations_are_refused_before_anything_runs(tmp_path, text, error, words):
    path = tmp_path / "bad.toml"
    path.write_text(text)
    with pytest.raises(error, match=words):
        read_config(path)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("run.json", '{"algorithm": "eris.eris"}', r"run\.json is a run: farkas check"),
        ("my.json", '{"farkas": 1, "kind": "eris"}', r"my\.json is an instance of kind eris"),
        ("t.csv", "a,b\n1,2\n", r"t\.csv is a table: farkas import csv"),
        ("odd", "prose, and\nmore", r"odd: is no TOML"),
    ],
)
def test_what_is_no_sweep_is_told_by_what_it_is(tmp_path, name, content, words):
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(FileProblem, match=words):
        read_config(path)


def test_missing_files_name_the_nearest(tmp_path):
    (tmp_path / "first.json").write_text("{}")
    path = tmp_path / "sweep.toml"
    path.write_text(f'name = "a"\n[[instances]]\nfiles = ["frist.json"]\n[[algorithms]]\n{LOCAL}\n')
    with pytest.raises(FileProblem, match=r"did you mean first\.json"):
        plan(read_config(path), tmp_path)


def test_seeds_and_products():
    assert seeds("2..4") == [2, 3, 4]
    assert list(product({"a": [1, 2], "b": [3, 4]})) == [
        {"a": 1, "b": 3}, {"a": 1, "b": 4}, {"a": 2, "b": 3}, {"a": 2, "b": 4},
    ]  # fmt: skip
    assert seeds([0, 5]) == [0, 5]
    assert seeds([2**63 - 1]) == [2**63 - 1]
    assert len(seeds("1..1000000")) == 1_000_000


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("1-4", "first..last"),
        ("0..²", "first..last"),
        ("0..٣", "first..last"),
        ("0.." + "9" * 10_000, "first..last"),
        ("0..1000000000000", "1000000 are the most"),
        ("5..2", "holds none"),
        ([], "holds none"),
        ([-1], "-1 is none"),
        ([10**30], "is none"),
    ],
)
def test_impossible_seeds_are_refused_in_one_line(given, words):
    with pytest.raises(InvalidOption) as caught:
        seeds(given)
    assert words in str(caught.value)
    assert len(str(caught.value)) < 200


def test_more_combinations_than_a_sweep_holds_are_refused():
    with pytest.raises(InvalidOption, match='combinations of "all: accepted", b'):
        list(product({"all: accepted": [*range(1001)], "b": [*range(1000)]}))
    with pytest.raises(InvalidOption, match="combinations of a, b"):
        next(product({"a": list(range(1001)), "b": list(range(1000))}))
    assert next(product({"a": list(range(1000)), "b": list(range(1000))})) == {"a": 0, "b": 0}


def test_a_setting_without_values_is_refused():
    with pytest.raises(InvalidOption, match=r'"all: accepted" = .. holds no value'):
        list(product({"a": 1, "all: accepted": []}))


def test_a_sweep_without_tasks_is_refused(tmp_path):
    path = tmp_path / "sweep.toml"
    algorithm = '[[algorithms]]\nname = "mlbroker.oasis"\n'
    for source, kind in (('[[instances]]\nkind = "dps"\n', "dps"), ("instances = []\n", "none")):
        path.write_text(f'name = "a"\n{source}{algorithm}')
        with pytest.raises(InvalidOption, match=f"nothing to run: .* of {kind}$"):
            plan(read_config(path), tmp_path)


def test_more_tasks_than_a_sweep_holds_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("farkas.experiments.sweeps.task.MOST_TASKS", 2)
    config = read_config(written(tmp_path, count=3))
    with pytest.raises(InvalidOption, match="more than 2 tasks"):
        plan(config, tmp_path)


@pytest.mark.parametrize("file", ["nul\\u0000.json", "folder/no/*.json"])
def test_a_pattern_that_can_match_nothing_is_one_line(tmp_path, file):
    path = tmp_path / "sweep.toml"
    path.write_text(f'name = "a"\n[[instances]]\nfiles = ["{file}"]\n[[algorithms]]\n{LOCAL}\n')
    with pytest.raises(FileProblem):
        plan(read_config(path), tmp_path)


@pytest.mark.parametrize("name", ["a/" * 3000 + "b.json", "s" * 5000, "x.json/y.json"])
def test_a_name_that_no_file_can_have_is_missing(name: str, tmp_path):
    (tmp_path / "x.json").write_text("{}")
    path = tmp_path / "long.toml"
    path.write_text(f'name = "a"\n[[instances]]\nfiles = ["{name}"]\n[[algorithms]]\n{LOCAL}\n')
    with pytest.raises(FileProblem, match="no such file"):
        plan(read_config(path), tmp_path)


def test_a_pattern_that_matches_too_much_is_refused_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr("farkas.experiments.sweeps.config.MOST_FILES", 3)
    endless = (f"{number}.json" for number in itertools.count())
    monkeypatch.setattr("glob.iglob", lambda *_, **__: endless)
    path = tmp_path / "all.toml"
    path.write_text(f'name = "a"\n[[instances]]\nfiles = ["/**/*"]\n[[algorithms]]\n{LOCAL}\n')
    with pytest.raises(FileProblem, match="matches more than 3"):
        plan(read_config(path), tmp_path)
