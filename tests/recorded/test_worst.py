"""The command that ships statements: it goes on, keeps the worse one, and believes neither."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from farkas.adversary.gap import from_json, prove_gap
from farkas.adversary.shipped import FOUND, RANDOM, read_searches, statements_of
from farkas.errors import UnknownName
from farkas.online import algorithms
from tests.recorded import worst
from tests.recorded.worst import TARGETS, chosen, is_proved, main, record

NAME = "mlbroker.local"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("statements")
    assert record(NAME, seconds=0.5, seed=0, folder=folder).endswith(": new")
    return folder


@pytest.mark.slow
def test_what_is_recorded_is_proved_with_its_search_and_its_draws(recorded: Path) -> None:
    (shipped,) = statements_of("mlbroker", recorded)
    assert shipped.name == NAME
    assert is_proved(NAME, recorded)
    assert not is_proved("mlbroker.central", recorded)
    standing = shipped.prove()
    assert standing.proof is not None
    assert standing.random is not None
    assert shipped.search is not None
    assert shipped.search.evaluations >= 1
    assert shipped.search.draws >= 1


@pytest.mark.slow
def test_a_better_statement_stays_and_a_forged_one_goes(recorded: Path) -> None:
    path = recorded / "mlbroker" / "local.json"
    kept = path.read_bytes()
    before = read_searches(path.with_name(FOUND))[NAME]
    # a search that can only score one instance finds nothing worse
    said = record(NAME, seconds=0.01, seed=5, folder=recorded)
    assert said.endswith("the statement of before is kept")
    assert path.read_bytes() == kept
    after = read_searches(path.with_name(FOUND))[NAME]
    assert (after.seed, after.evaluations) == (before.seed, before.evaluations)
    assert after.draws >= before.draws
    data = json.loads(kept)
    data["ratio"] = "1000000000"
    path.write_text(json.dumps(data))
    assert not is_proved(NAME, recorded)
    assert record(NAME, seconds=0.5, seed=1, folder=recorded).endswith(": new")
    ratio = prove_gap(from_json(path.read_bytes(), "local")).ratio
    assert ratio is None or ratio < 10**9


@pytest.mark.slow
def test_the_draw_that_is_kept_is_the_worst_of_all(recorded: Path) -> None:
    path = recorded / "mlbroker" / RANDOM / "local.json"
    before = prove_gap(from_json(path.read_bytes(), "draw")).ratio
    record(NAME, seconds=0.05, seed=9, folder=recorded)
    after = prove_gap(from_json(path.read_bytes(), "draw")).ratio
    assert before is not None
    assert after is None or after >= before


def test_targets_are_algorithms_with_their_options() -> None:
    for name, target in TARGETS.items():
        first, bracket, options = name.rstrip("]").partition("[")
        settled = algorithms[first].settle(dict(target.options))
        said = dict(word.split("=") for word in options.split(",")) if bracket else {}
        assert {key: str(settled[key]) for key in target.options} == said


def test_words_choose_names_kinds_and_all() -> None:
    assert chosen("") == []
    assert chosen("dps.dps coded") == ["dps.dps", *(n for n in TARGETS if n.startswith("coded."))]
    assert chosen("all") == list(TARGETS)
    with pytest.raises(UnknownName, match=r"did you mean dps\.simple"):
        chosen("dps.simpel")


def test_the_command_does_what_is_missing_or_asked_for(monkeypatch, capsys) -> None:
    done: list[str] = []
    monkeypatch.setattr(worst, "is_proved", lambda name: name != "dps.dps")
    monkeypatch.setattr(worst, "record", lambda name, **_: done.append(name) or name)
    assert main([]) == 0
    assert main(["--again", "dps.top eris.eris"]) == 0
    assert done == ["dps.dps", "dps.top", "eris.eris"]
    assert capsys.readouterr().out.split() == done
