"""The application: every way to end has its code and at most one line of complaint."""

from __future__ import annotations

import re

import pytest
from typer.main import get_command

import farkas
from farkas.cli import call
from farkas.cli.app import app
from farkas.cli.commands import ORDER

Capture = pytest.CaptureFixture[str]


def test_version(capsys: Capture) -> None:
    assert call(["--version"]) == 0
    assert capsys.readouterr().out == f"farkas {farkas.__version__}\n"


def test_no_words_show_the_help(capsys: Capture) -> None:
    assert call([]) == 0
    assert "farkas demo" in capsys.readouterr().out


def test_wrong_usage_names_the_help(capsys: Capture) -> None:
    assert call(["run"]) == 2
    assert capsys.readouterr().err.endswith("(see farkas run --help)\n")
    assert call(["nosuch"]) == 2
    assert capsys.readouterr().err.endswith("(see farkas --help)\n")


def test_help_lists_the_commands_in_the_order_a_newcomer_needs(capsys: Capture) -> None:
    names = [*get_command(app).commands]
    first = [name.rstrip("_") for name in ORDER]
    assert names[: len(first)] == first
    assert names[len(first) :] == sorted(names[len(first) :])
    assert call(["--help"]) == 0
    listed = re.findall(r"^  (\w+)  ", capsys.readouterr().out.partition("Commands")[2], re.M)
    assert listed == names
