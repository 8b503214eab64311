"""A search goes on from its file, and believes nothing of it that can be scored again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

import farkas
from farkas.errors import FileProblem, InvalidOption
from farkas.verbs.worst import WorstCase, worst

MORE: dict[str, Any] = {"size": {"jobs": 2, "slots": 3}, "seed": 3}


def attacked(store: Path | None, evaluations: int, **changes: Any) -> WorstCase:
    asked = {"algorithm": "mlbroker.central", **MORE, **changes}
    return worst(store=store, evaluations=evaluations, **asked)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a search of 70 instances stood: after a whole round of 60."""
    path = tmp_path_factory.mktemp("store") / "search.json"
    attacked(path, 70)
    return path


def forged(file: Path, folder: Path, change: Callable[[dict[str, Any]], None]) -> Path:
    plain = msgspec.json.decode(file.read_bytes())
    change(plain)
    found = folder / "forged.json"
    found.write_bytes(msgspec.json.encode(plain))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("workers", [None, 2])
def test_it_ends_as_if_it_had_never_been_interrupted(
    file: Path, tmp_path: Path, workers: int | None
) -> None:
    path = tmp_path / "store.json"
    path.write_bytes(file.read_bytes())
    whole, resumed = attacked(None, 150), attacked(path, 150, workers=workers)
    assert resumed.gap.to_json() == whole.gap.to_json()
    assert resumed.evaluations == whole.evaluations == 150
    assert resumed.bound == whole.bound
    again = attacked(path, 150)  # whose last round was too short to be kept
    assert again.gap.to_json() == whole.gap.to_json()
    with pytest.raises(InvalidOption, match="holds 120 evaluations already"):
        attacked(path, 100)


def test_no_file_holds_a_score(file: Path) -> None:
    def names(value: Any) -> set[str]:
        if isinstance(value, dict):
            return set(value).union(*map(names, value.values()))
        return set().union(*map(names, value)) if isinstance(value, list) else set()

    assert not names(msgspec.json.decode(file.read_bytes())) & {"ratio", "value", "height", "other"}


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"seed": 4}, "its seed is 3"),
        ({"algorithm": "mlbroker.local"}, "about mlbroker.central"),
        ({"size": {"jobs": 3, "slots": 3}}, "box is another"),
        ({"ranges": {"deploy_cost": (1, 2)}}, "box is another"),
        ({"algorithm": "mlbroker.central", "instance": "mlbroker/tiny", "size": None}, "box is"),
    ],
)
def test_another_search_is_refused(file: Path, changes: dict[str, Any], what: str) -> None:
    with pytest.raises(FileProblem, match=what) as refused:
        attacked(file, 120, **changes)
    assert "\n" not in str(refused.value)


def _other_options(plain: dict[str, Any]) -> None:
    plain["search"]["options"] = {"x": 1}


def _other_version(plain: dict[str, Any]) -> None:
    plain["search"]["versions"]["farkas"] = "0.0"


def _unknown_field(plain: dict[str, Any]) -> None:
    plain["chains"][0]["ratio"] = 1e9


def _no_instance(plain: dict[str, Any]) -> None:
    plain["chains"][0]["kept"][0]["data"] = {"jobs": 3}


def _beyond_the_range(plain: dict[str, Any]) -> None:
    plain["chains"][0]["kept"][0]["data"]["jobs"][0]["deploy_cost"] = 1e6


def _too_many_jobs(plain: dict[str, Any]) -> None:
    jobs = plain["chains"][0]["kept"][0]["data"]["jobs"]
    jobs += jobs + jobs


def _fewer_workers(plain: dict[str, Any]) -> None:
    for slot in plain["chains"][0]["kept"][0]["witness"]["decisions"]:
        slot["workers"] = [[0 for _ in row] for row in slot["workers"]]


def _relaxed_witness(plain: dict[str, Any]) -> None:
    plain["chains"][0]["kept"][0]["witness"]["algorithm"] = "mlbroker.fractional"


def _wrong_counts(plain: dict[str, Any]) -> None:
    plain["chains"][2]["start"] = 99


def _wrong_state(plain: dict[str, Any]) -> None:
    plain["chains"][2]["state"] = "-1"


def _one_chain(plain: dict[str, Any]) -> None:
    del plain["chains"][1:]


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (_other_options, "other options"),
        (_other_version, "other versions"),
        (_unknown_field, "unknown field `ratio`"),
        (_no_instance, "not of the box"),
        (_beyond_the_range, "not of the box"),
        (_too_many_jobs, "not of the box"),
        (_fewer_workers, "break requirements"),
        (_relaxed_witness, "decides no solutions"),
        (_wrong_counts, "do not fit together"),
        (_wrong_state, "no store of a search"),
        (_one_chain, "length >= 4"),
    ],
)
def test_forged_files_are_refused(
    file: Path, tmp_path: Path, change: Callable[[dict[str, Any]], None], what: str
) -> None:
    with pytest.raises(FileProblem, match=what) as refused:
        attacked(forged(file, tmp_path, change), 120)
    assert "\n" not in str(refused.value)


@pytest.mark.slow
def test_a_forged_witness_counts_for_what_it_is_worth(file: Path, tmp_path: Path) -> None:
    def worse(plain: dict[str, Any]) -> None:
        """Put a worker more wherever there are some."""
        for chain in plain["chains"]:
            for kept in chain["kept"]:
                for slot in kept["witness"]["decisions"]:
                    slot["workers"] = [[one + (one > 0) for one in row] for row in slot["workers"]]

    honest = attacked(None, 60)
    found = attacked(forged(file, tmp_path, worse), 60)
    assert farkas.check(found.gap).ratio == found.ratio
    assert found.ratio is not None
    assert honest.ratio is not None
    assert found.ratio <= honest.ratio


def test_other_files_are_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "notes.json"
    path.write_text('{"mine": 1}')
    with pytest.raises(FileProblem, match="no store of a search"):
        attacked(path, 60)
    assert path.read_text() == '{"mine": 1}'
    with pytest.raises(FileProblem, match="no directory"):
        attacked(tmp_path / "nowhere" / "store.json", 60)
