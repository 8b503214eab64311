"""Programs by name, and the form that a certificate is about."""

from __future__ import annotations

import pytest

import farkas
from farkas.errors import InvalidOption, UnknownName
from farkas.instances import library
from farkas.verbs.programs import find_program, origin

TINY = library.load("mlbroker/tiny")


def certificate(name: str, **options: object):
    solution = farkas.solve(TINY, name, certify=True, **options)
    assert solution.certificate is not None
    return solution.certificate


def test_a_variant_stands_in_brackets_or_beside_the_name() -> None:
    assert find_program("mlbroker.relaxed[tight]").full_name == "mlbroker.relaxed[tight,printed]"
    named = find_program("mlbroker.relaxed", relax="tight")
    assert named.full_name == "mlbroker.relaxed[tight,printed]"


@pytest.mark.parametrize(
    ("name", "error"), [("mlbroker.relaxt", UnknownName), ("mlbroker.relaxed[x]", InvalidOption)]
)
def test_a_program_or_variant_that_does_not_exist_is_refused(name: str, error: type) -> None:
    with pytest.raises(error):
        find_program(name)


def test_a_form_says_where_it_comes_from() -> None:
    program = find_program("mlbroker.relaxed[tight]")
    assert origin(program, TINY, embed=True) == {
        "kind": "mlbroker", "options": dict(program.variant), "instance": TINY.sha256,
        "embed": True,
    }  # fmt: skip
