"""The command that ships statements: it goes on, keeps the worse one, and believes neither."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from farkas.adversary.gap import from_json, prove_gap
from farkas.adversary.shipped import FOUND, read_searches, statements_of
from tests.recorded.worst import is_proved, record

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
