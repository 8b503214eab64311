"""The dual of a model of one's own, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

import farkas
from farkas.api.dual import dual_words
from farkas.errors import InvalidOption, UnsupportedForm

MODEL = "min\n obj: 2 x + 3 y\nsubject to\n c: x + y >= 4\n d: x <= 3\n{more}end\n"


def test_the_dual_of_a_file_has_its_optimum_and_its_signs(tmp_path: Path) -> None:
    (tmp_path / "a.lp").write_text(MODEL.format(more=""))
    found = farkas.dual(str(tmp_path / "a.lp"))
    solved = farkas.solve(found.form)
    assert (found.form.sense, solved.objective) == ("max", 9.0)  # 3 x at 2, one y at 3
    assert found.lift(solved.answer.point).tolist() == [3.0, -1.0]


def test_whole_numbers_are_relaxed_when_asked_only(tmp_path: Path) -> None:
    (tmp_path / "a.lp").write_text(MODEL.format(more="general\n x\n"))
    with pytest.raises(UnsupportedForm, match="integer programs have no linear dual"):
        farkas.dual(str(tmp_path / "a.lp"))
    assert farkas.dual(str(tmp_path / "a.lp"), relax=True).form.num_rows == 2
    with pytest.raises(InvalidOption, match="name one of"):
        farkas.dual("mlbroker/tiny")


def test_words_say_signs_and_sides() -> None:
    said = dual_words("mlbroker.offline[strict]")
    assert said.startswith("dual of mlbroker.offline[strict,")
    assert "enough_workers[job,slot,site] >= 0" in said
    assert "workers[job,slot,site] <= its cost" in said
