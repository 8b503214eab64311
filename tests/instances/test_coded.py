from __future__ import annotations

import msgspec
import numpy as np
import pytest

import farkas
from farkas.errors import InvalidInstance
from farkas.instances import library
from farkas.instances.generate import generate

SPLIT = library.load("coded/split_worker")
FORBIDDEN = library.load("coded/forbidden_pairs")


def plan(**changes):
    given = {
        "name": "p",
        "probability": [[1, 0, 0.5], [0, 1, 0.5]],
        "loads": [[977, 0, 977], [0, 977, 977]],
        "time": 3000.0,
    }
    return {"plans": [{**given, **changes}]}


def point(**changes):
    given = {
        "probability": [[1, 0, 0.5], [0, 1, 0.5]],
        "loads": [[1000.0] * 3] * 2,
        "time": 4000.0,
    }
    return {"sca_point": {**given, **changes}}


@pytest.mark.ids(99)
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"masters": []}, r"length >= 1 - at `\$\.masters`"),
        (
            {"masters": [{"name": "a", "rows": 0}]},
            r"number >= 1 - at `\$\.masters\[0\]\.rows`",
        ),
        ({"workers": 0}, r"a whole number >= 1 - at `\$\.workers`"),
        ({"workers": 4}, r"4 entries \(one per worker\), got 3 - at `\$\.rate\[0\]`"),
        ({"success_probability": 1.0}, r"a number < 1.0 - at `\$\.success_probability`"),
        ({"success_probability": 0.0}, r"a number > 0.0 - at `\$\.success_probability`"),
        ({"rate": [[1, 1, 1]]}, r"2 entries \(one per master\), got 1 - at `\$\.rate`"),
        ({"rate": [[1, 1, 0], [1, 1, 1]]}, r"> 0.0 - at `\$\.rate\[0\]\[2\]`"),
        ({"shift": [[1, 1, 0], [1, 1, 1]]}, r"> 0.0 - at `\$\.shift\[0\]\[2\]`"),
        ({"shift": [[1, 1, None], [1, 1, 1]]}, r"null in both .* at `\$\.rate\[0\]\[2\]`"),
        (plan(probability=[[1, 0, 0.6], [0, 1, 0.5]]), "worker 2 has probability 1.1 > 1"),
        (plan(probability=[[1, 0, -0.5], [0, 1, 0.5]]), r">= 0.0 - at `\$\.plans\[0\]"),
        (plan(probability=[[2, 0, 0], [0, 1, 0.5]]), r"<= 1.0 - at `\$\.plans\[0\]"),
        (plan(probability=[[1, 0, 0.5]]), r"got 1 - at `\$\.plans\[0\]\.probability`"),
        (plan(loads=[[977, 0, 977], [0, 977, -1]]), r">= 0 - at `\$\.plans\[0\]\.loads\[1\]\[2\]`"),
        (
            plan(loads=[[977, 0, 0.5], [0, 977, 1]]),
            r"number with a point - at `\$\.plans\[0\]\.loads",
        ),
        (plan(loads=[[977, 0, 977], [0, 977]]), r"got 2 - at `\$\.plans\[0\]\.loads\[1\]`"),
        (plan(time=-1), r">= 0.0 - at `\$\.plans\[0\]\.time`"),
        ({"plans": plan()["plans"] * 2}, r"plan 'p' stands twice - at `\$\.plans\[1\]`"),
        (
            point(loads=[[1000.0] * 3, [1000.0, 1000.0, 0.0]]),
            r"> 0.0 on an allowed pair - at `\$\.sca_point\.loads\[1\]\[2\]`",
        ),
        (
            {"rate": [[1, 1, 1e-200], [1, 1, 1]], "shift": [[1, 1, 1e-200], [1, 1, 1]]},
            r"rate \* shift within \[1e-300, 1e\+300\] - at `\$\.rate\[0\]\[2\]`",
        ),
        (point(time=1000.0), r"Expected a point of P3: master 0 gets 0 of 1000 results"),
    ],
)
def test_every_rule_of_the_kind_is_checked_with_its_path(changes, message):
    with pytest.raises(InvalidInstance, match=message):
        SPLIT.replace(**changes)


def test_a_plan_may_not_load_a_forbidden_pair_but_may_name_it_without_effect():
    # Master 0 may not use worker 1.
    loads, share = [[2, 1, 2, 0], [1, 1, 0, 1]], [[0.9, 0.2, 0.95, 0], [0.1, 0.8, 0, 1]]
    used = [{"name": "x", "probability": share, "loads": loads, "time": 1.0}]
    with pytest.raises(
        InvalidInstance, match=r"forbidden pair - at `\$\.plans\[0\]\.loads\[0\]\[1\]`"
    ):
        FORBIDDEN.replace(plans=used)
    unused = [{**used[0], "loads": [[2, 0, 2, 0], [1, 1, 0, 1]]}]
    assert FORBIDDEN.replace(plans=unused).plans[0].loads[0][1] == 0


def test_a_point_of_p3_is_accepted():
    # Worker 0: 1000 rows by 4000 ms at u = a = 1: P = 1 - exp(-(4 - 1)) = 0.95; worker 2 half of
    # that: 1425 >= 1000 results.
    assert SPLIT.replace(**point()).sca_point.time == 4000.0


def test_forbidden_pairs_never_return_anything():
    assert FORBIDDEN.allowed.tolist() == [[True, False, True, True], [True, True, False, True]]
    assert FORBIDDEN.rates[0, 1] == 0.0
    assert FORBIDDEN.shifts[0, 1] == np.inf
    assert FORBIDDEN.rates[1, 1] == 2.5


def test_blocks_are_contiguous_and_the_first_masters_have_one_worker_more():
    data = generate("coded", num_masters=4, num_workers=50)
    assert [len(block) for block in data.blocks] == [13, 13, 12, 12]
    assert np.concatenate(data.blocks).tolist() == list(range(50))


def test_fewer_workers_than_masters_leave_empty_blocks():
    data = generate("coded", num_masters=3, num_workers=2)
    assert [block.tolist() for block in data.blocks] == [[0], [1], []]


def test_the_null_of_former_files_changes_no_hash_and_nothing_else_is_read(tmp_path) -> None:
    path, data = tmp_path / "former.json", msgspec.to_builtins(FORBIDDEN) | {"measured": None}
    path.write_bytes(msgspec.json.encode(data))
    assert farkas.load(path).sha256 == FORBIDDEN.sha256
    path.write_bytes(msgspec.json.encode(data | {"measured": {"confidence": 0.9}}))
    with pytest.raises(InvalidInstance, match="measured"):
        farkas.load(path)
