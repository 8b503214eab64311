"""Configurations say what is wrong with them before anything runs."""

from __future__ import annotations

import pytest

from farkas.errors import FileProblem, InvalidOption
from farkas.experiments.sweeps import plan, read_config
from farkas.experiments.sweeps.config import product, seeds
from tests.experiments.sweeps.made import LP


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("name = 1", InvalidOption, "Expected `str`"),
        ("name = ", FileProblem, "no TOML"),
        ('name = "a"\ninstances = []', InvalidOption, "no algorithm and no program"),
        ('name = "a"\ninstances = []\nrecheck = 2.0\nprograms = []', InvalidOption, "recheck"),
        ('name = "a"\ninstances = [{}]\nprograms = [{name = "x"}]', InvalidOption, "files or a"),
        ('name = "a"\nwrong = 1\ninstances = []', InvalidOption, "wrong"),
    ],
)
def test_bad_configurations_are_refused_before_anything_runs(tmp_path, text, error, words):
    path = tmp_path / "bad.toml"
    path.write_text(text)
    with pytest.raises(error, match=words):
        read_config(path)


def test_missing_files_name_the_nearest(tmp_path):
    (tmp_path / "first.json").write_text("{}")
    path = tmp_path / "sweep.toml"
    path.write_text(f'name = "a"\n[[instances]]\nfiles = ["frist.json"]\n[[programs]]\n{LP}\n')
    with pytest.raises(FileProblem, match=r"did you mean first\.json"):
        plan(read_config(path), tmp_path)


def test_seeds_and_products():
    assert seeds("2..4") == [2, 3, 4]
    assert list(product({"a": [1, 2], "b": [3, 4]})) == [
        {"a": 1, "b": 3}, {"a": 1, "b": 4}, {"a": 2, "b": 3}, {"a": 2, "b": 4},
    ]  # fmt: skip
    with pytest.raises(InvalidOption, match=r"first\.\.last"):
        seeds("1-4")
