"""Names that people try are answered with what there is."""

from __future__ import annotations

import itertools

import pytest

import farkas
from farkas.cli import call
from farkas.guesses import COMMANDS, VERBS


@pytest.mark.ids(4)
@pytest.mark.parametrize("name", sorted(VERBS))
def test_every_hint_names_what_exists(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert name not in farkas.__all__
    with pytest.raises(AttributeError, match=f"no attribute '{name}'; use "):
        getattr(farkas, name)
    words = VERBS[name].replace(",", " ").replace("(", " ").split()
    for word in words:
        if word.startswith("farkas."):
            assert callable(getattr(farkas, word.removeprefix("farkas.")))
    for before, word in itertools.pairwise(words):
        if before == "farkas":
            assert call([word, "--help"]) == 0


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_that_is_named_exists(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call([name, "x.json"]) == 2
    said = capsys.readouterr().err
    assert f"no command '{name}'; use farkas " in said
    assert call([said.partition("use farkas ")[2].split()[0].strip(","), "--help"]) == 0


def test_a_misspelt_name_is_answered_with_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(AttributeError, match="did you mean solve"):
        farkas.solv  # noqa: B018
    assert call(["chek"]) == 2
    assert "did you mean check?" in capsys.readouterr().err


def test_tools_that_ask_for_private_names_read_no_hint() -> None:
    with pytest.raises(AttributeError, match=r"'__wrapped__'$"):
        farkas.__wrapped__  # noqa: B018
