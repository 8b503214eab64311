from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from farkas import instances
from farkas.errors import FileProblem, InvalidInstance
from farkas.instances import library
from tests.tools.shared import case_files

TINY = json.loads(instances.to_bytes(library.load("mlbroker/tiny")))


def text(**changes):
    return json.dumps({**TINY, **changes})


def read(content):
    return instances.read_bytes(content if isinstance(content, bytes) else content.encode())


@pytest.mark.parametrize(
    "path", [path for kind in instances.kinds() for path in case_files(kind)], ids=lambda p: p.stem
)
def test_case_files_load_or_are_refused_as_expected(path):
    expected = json.loads(path.read_bytes())["expected"]
    if expected.keys() == {"error"}:
        with pytest.raises(InvalidInstance, match=path.name):
            instances.read(path)
    else:
        instance = instances.read(path)
        assert instances.read_bytes(instances.to_bytes(instance)) == instance


@pytest.mark.ids(99)
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (text(epsilon="1"), r"Expected a number, got text - at `\$\.epsilon`"),
        (text(epsilon=True), r"Expected a number, got a truth value - at `\$\.epsilon`"),
        (
            text(num_sites=2.0),
            r"Expected a whole number, got a number with a point - at `\$\.num_sites`",
        ),
        (text(num_sites=0), r"Expected a whole number >= 1 - at `\$\.num_sites`"),
        (text(num_sites=10**30), r"Expected a whole number <= 10000000 - at `\$\.num_sites`"),
        (text(epsilon=None), r"Expected a number, got null - at `\$\.epsilon`"),
        (text(epsilom=1), r"unknown field `epsilom`"),
        (text(farkas=2), r"unknown value 2 - at `\$\.farkas`"),
        (text(farkas=True), r"Expected a whole number, got a truth value - at `\$\.farkas`"),
        (text(kind="mlbrokr"), r"unknown kind 'mlbrokr'; did you mean mlbroker\?"),
        (text(kind=None), r"Expected text, got null - at `\$\.kind`"),
        (text().replace('"epsilon": 1.0', '"epsilon": 1e400'), r"out of range - at `\$\.epsilon`"),
        (text().replace('"epsilon": 1.0, ', ""), "missing required field `epsilon`"),
        ('{"kind": "mlbroker"}', "missing required field `farkas`"),
        ("[]", "Expected an object of names and values, got a list"),
        ("3", "Expected an object of names and values, got a whole number"),
    ],
)
def test_a_wrong_field_is_named_with_its_path(content, message):
    with pytest.raises(InvalidInstance, match=message) as caught:
        read(content)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        text() + "x",
        text().replace('"epsilon": 1.0', '"epsilon": NaN'),
        text().replace('"epsilon": 1.0', '"epsilon": Infinity'),
        b"\xff\xfe{}",
        text().encode("utf-16"),
        text(name="?").encode().replace(b"?", b"\xff"),
    ],
)
def test_what_is_not_json_is_a_file_problem(content):
    with pytest.raises(FileProblem, match="instance: is not JSON") as caught:
        read(content)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_deep_nesting_is_refused_not_crashed_upon(opening):
    closing = "]" if opening == "[" else "}"
    deep = opening * 100_000 + "1" + closing * 100_000
    with pytest.raises((FileProblem, InvalidInstance)):
        read(text(expected=1).replace('"expected": 1', f'"expected": {{"a": {deep}}}'))


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ('"epsilon": 1.0', '"epsilon": 1.0, "epsilon": 2.0', "key 'epsilon' stands twice"),
        ('"arrival": 1', '"arrival": 0, "arrival": 1', "key 'arrival' stands twice"),
    ],
)
def test_a_repeated_key_is_refused_with_its_path(before, after, message):
    with pytest.raises(InvalidInstance, match=message):
        read(text().replace(before, after))


def test_integers_stand_for_floats_and_both_have_one_hash():
    whole, real = read(text(epsilon=1)), read(text(epsilon=1.0))
    assert whole == real
    assert whole.sha256 == real.sha256
    assert type(whole.epsilon) is float


def test_the_hash_is_the_same_in_every_process_and_version():
    # Certificates are bound to this number; a change here breaks all that were written.
    expected = "d7fdee67"
    assert library.load("mlbroker/tiny").sha256.startswith(expected)
    code = "from farkas.instances import library; print(library.load('mlbroker/tiny').sha256)"
    for seed in ("0", "1"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        run = subprocess.run(
            [sys.executable, "-c", code],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        assert run.stdout.startswith(expected)
