"""Programs by name, and the form that a certificate is about."""

from __future__ import annotations

import numpy as np
import pytest

from farkas.certificates import certify
from farkas.errors import InvalidOption, UnknownName
from farkas.instances import library
from farkas.relaxations.integrality import relax as without_integrality
from farkas.verbs.programs import find_program, origin, trace

TINY = library.load("mlbroker/tiny")


def certificate(name: str, *, relax: bool = False):
    """Certificate of the program itself, or of its relaxation, by multipliers of no row."""
    program = find_program(name)
    form = trace(program, TINY)
    if relax:
        form = without_integrality(form)
    return certify(form, np.zeros(form.num_rows), **origin(program, TINY, embed=False))


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
