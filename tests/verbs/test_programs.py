"""Programs by name, and the form that a certificate is about."""

from __future__ import annotations

import msgspec
import pytest

import farkas
from farkas.errors import InvalidOption, NotACertificate, UnknownName
from farkas.instances import library
from farkas.verbs.programs import find_program, origin, rebuild, trace

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


def test_a_form_is_rebuilt_with_the_integrality_that_was_proved_about() -> None:
    whole = trace(find_program("mlbroker.offline"), TINY)
    assert whole.is_mip
    found = rebuild(certificate("mlbroker.offline"), TINY)
    assert found is not None
    assert found.sha256 == whole.sha256
    relaxed = rebuild(certificate("mlbroker.offline", relax=True), TINY)
    assert relaxed is not None
    assert not relaxed.is_mip


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"kind": "dps"}, "says kind 'dps'"),
        ({"options": {"relax": "tight"}}, "says relax 'tight'"),
        ({"options": {"relax": None}}, "says relax None"),
        ({"options": {"nonsense": 7}}, "the unknown option 'nonsense'"),
    ],
)
def test_a_certificate_that_contradicts_its_name_is_refused(
    change: dict[str, object], words: str
) -> None:
    said = certificate("mlbroker.relaxed[printed]")
    told = msgspec.structs.replace(said, **change)
    with pytest.raises(NotACertificate, match=words):
        rebuild(told, TINY)


def test_a_certificate_of_a_run_names_no_program() -> None:
    from farkas.verbs.check import check

    run = farkas.run(TINY, "mlbroker.fractional")
    proof = check(run, TINY)
    assert proof.ratio == run.ratio
