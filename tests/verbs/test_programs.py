"""Programs by name, and the form that a certificate is about."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from farkas.algebra import programs
from farkas.certificates import certify
from farkas.errors import InvalidOption, NotACertificate
from farkas.instances import library
from farkas.relaxations.integrality import relax as without_integrality
from farkas.verbs.programs import origin, rebuild

TINY = library.load("mlbroker/tiny")


def certificate(name: str, *, relax: bool = False):
    """Certificate of the program itself, or of its relaxation, by multipliers of no row."""
    program = programs.build(name)
    form = program.form(TINY)
    if relax:
        form = without_integrality(form)
    return certify(form, np.zeros(form.num_rows), **origin(program, TINY, embed=False))


def test_a_form_says_where_it_comes_from() -> None:
    program = programs.build("mlbroker.relaxed[tight]")
    assert origin(program, TINY, embed=True) == {
        "kind": "mlbroker", "options": dict(program.variant), "instance": TINY.sha256,
        "embed": True,
    }  # fmt: skip


def test_a_form_is_rebuilt_with_the_integrality_that_was_proved_about() -> None:
    whole = programs.build("mlbroker.offline").form(TINY)
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


def test_the_first_unknown_option_by_name_is_told() -> None:
    said = certificate("mlbroker.relaxed[printed]")
    unknown = {f"option {letter}": 1 for letter in "qwertyuiopasdfghjklzxcvbnm"}
    with pytest.raises(NotACertificate, match="the unknown option 'option a'"):
        rebuild(msgspec.structs.replace(said, options=said.options | unknown), TINY)


@pytest.mark.parametrize(
    "name", ["mlbroker.relaxed[tight,strict]", "mlbroker.offline[choice,split]"]
)
def test_options_that_spell_the_name_are_taken_as_they_stand(name: str) -> None:
    said = certificate(programs.build(name).full_name)
    wanted = programs.build(name).form(TINY).sha256
    found = rebuild(said, TINY)
    assert found is not None
    assert found.sha256 == wanted
    without = rebuild(msgspec.structs.replace(said, options={}), TINY)
    assert without is not None
    assert without.sha256 == wanted  # the brackets say the same


def test_brackets_count_where_options_say_something_else_or_in_another_order() -> None:
    said = certificate("mlbroker.relaxed[tight,printed]")
    turned = dict(reversed(said.options.items()))
    found = rebuild(msgspec.structs.replace(said, options=turned), TINY)
    assert found is not None
    assert found.sha256 == said.form
    other = said.options | {"relax": "printed"}
    with pytest.raises(NotACertificate, match="says relax 'printed'"):
        rebuild(msgspec.structs.replace(said, options=other), TINY)


def test_values_that_no_option_has_are_refused_though_they_spell_the_name() -> None:
    said = certificate("mlbroker.relaxed[tight,printed]")
    wrong = {
        "program": "mlbroker.relaxed[tigt,printed]",
        "options": said.options | {"relax": "tigt"},
    }
    with pytest.raises(InvalidOption, match="relax cannot be 'tigt'; did you mean tight"):
        rebuild(msgspec.structs.replace(said, **wrong), TINY)
