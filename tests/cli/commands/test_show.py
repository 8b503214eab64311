"""`farkas show` says what a name means."""

from __future__ import annotations

import json

import pytest

from farkas.cli import call
from farkas.instances.library import path as shipped

TINY = str(shipped("mlbroker/tiny"))
Capture = pytest.CaptureFixture[str]


def test_a_name_of_several_things_shows_each(capsys: Capture) -> None:
    assert call(["show", "coded.expected"]) == 0
    text = capsys.readouterr().out
    assert (
        text.index("As a program:") < text.index("As an algorithm:") < text.index("As a quantity")
    )
    assert "(7), P3" in text
    assert "vertex of a linear program" in text
    assert call(["show", "coded.expected", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert [shown["role"], *(one["role"] for one in shown["also"])] == [
        "program",
        "algorithm",
        "quantity",
    ]
    # one meaning: no headings
    assert call(["show", "mlbroker.fractional"]) == 0
    assert "As an" not in capsys.readouterr().out


def test_latex_is_of_programs_only(capsys: Capture) -> None:
    assert call(["show", "mlbroker.offline", "--latex"]) == 0
    assert r"\sum" in capsys.readouterr().out
    assert call(["show", "gadget.fifo", "--latex"]) == 2
    assert "gadget.fifo is not a program" in capsys.readouterr().err


def test_without_a_name_the_kinds_are_shown(capsys: Capture) -> None:
    assert call(["show", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["role"], found["also"]) == ("overview", [])
    assert found["kinds"] == ["coded", "dps", "eris", "gadget", "mlbroker"]
