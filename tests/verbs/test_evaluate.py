"""Quantities of one instance, by one name, by several or by none."""

from __future__ import annotations

from typing import Any

import pytest

from farkas.errors import InvalidOption, UnknownName
from farkas.instances import library
from farkas.verbs.evaluate import evaluate


def test_one_name_is_not_read_letter_by_letter() -> None:
    # the sheet of the kind gives 16.8
    assert evaluate("mlbroker/tiny", "mlbroker.offline[strict]") == {
        "mlbroker.offline[strict]": pytest.approx(16.8)
    }


def test_what_is_not_defined_is_absent_and_what_is_unknown_refused() -> None:
    found = evaluate("mlbroker/tiny", ["mlbroker.big_m_smallest", "mlbroker.oasis"])
    assert list(found) == ["mlbroker.big_m_smallest"]
    assert evaluate("mlbroker/tiny", []) == {}
    with pytest.raises(UnknownName):
        evaluate("mlbroker/tiny", "mlbroker.bigm")


def test_without_names_those_of_the_file_are_computed() -> None:
    asking = library.load("gadget/tiny").replace(expected={"gadget.fifo": {"value": 77, "tol": 0}})
    assert list(evaluate(asking)) == ["gadget.fifo"]


@pytest.mark.parametrize("keys", [3, [3], ["mlbroker.offline", None]])
def test_keys_of_a_wrong_type_are_refused_in_one_line(keys: Any) -> None:
    with pytest.raises(InvalidOption, match=r"cannot be (3|None): give str"):
        evaluate("mlbroker/tiny", keys)
