"""Which tests a mutant meets."""

from collections import Counter
from pathlib import Path

import pytest

from tests.mutants.trial import SECONDS, Trial


@pytest.fixture
def trial(tmp_path: Path) -> Trial:
    """Tests of one function: two that are fast, one that takes more than all may."""
    (tmp_path / "farkas").mkdir()
    (tmp_path / "farkas" / "one.py").write_text("def f():\n    return 1\n")
    made = Trial.__new__(Trial)
    made.tree, made.noticed = tmp_path, Counter({"slow": 9, "second": 1})
    made.seconds = {"slow": SECONDS + 1.0, "second": 2.0, "first": 1.0, "elsewhere": 0.1}
    made.reaching = {("one.py", 1): {"slow", "first", "second"}}
    return made


def test_the_fastest_are_met_and_of_them_those_first_that_noticed_most(trial: Trial) -> None:
    assert trial._near("one.py", 2) == ["second", "first"]


def test_tests_of_the_own_file_are_met_however_slow(trial: Trial) -> None:
    path = trial.tree / "farkas" / "part"
    path.mkdir()
    (path / "one.py").write_text("def f():\n    return 1\n")
    trial.seconds["tests/part/test_one.py::test_f"] = 99.0
    assert trial._near("part/one.py", 2)[-1] == "tests/part/test_one.py::test_f"
