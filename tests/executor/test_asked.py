"""Tasks and answers survive the way there and back."""

from __future__ import annotations

import pickle

import pytest

from farkas.executor import AskedTask, Shared, TaskEnd
from tests.executor.works import Doubled


def test_what_is_shared_is_told_apart_by_what_it_holds():
    assert Shared.of([1, 2]) == Shared.of([1, 2])
    assert Shared.of([1, 2]).key != Shared.of([2, 1]).key
    assert pickle.loads(Shared.of("text").data) == "text"


def test_a_work_is_named_by_its_module():
    asked = AskedTask.of(Doubled, 3)
    assert asked.work == "tests.executor.works:Doubled"
    assert pickle.loads(asked.task) == 3
    assert asked.shared is None


def test_an_answer_is_returned_or_raised():
    assert TaskEnd("done", pickle.dumps(4)).value() == 4
    with pytest.raises(ValueError, match="no"):
        TaskEnd("raised", pickle.dumps(ValueError("no"))).value()
