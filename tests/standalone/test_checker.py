"""The stand-alone checker: alone, of 500 lines, and of the same mind as `farkas check`."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import types
from pathlib import Path

import numpy as np
import pytest

import farkas
from farkas.certificates import certify, check_vipr, from_json, to_json
from farkas.certificates.files import check
from farkas.errors import FarkasError
from farkas.standalone import checker
from farkas.standalone.checker import Rejection, check_certificate, check_file, parsed, sentence
from tests.generators.forms import random_form, small
from tests.tools.shared import ROOT

SOURCE = Path(checker.__file__)


def two_columns(**changes):
    return small(
        [[1, 2], [3, 1]], cost=[1, 1], row_lower=[2, 3], lower=[0, 0], upper=[9, 9], **changes
    )


def tree(certificate):
    return json.loads(to_json(certificate))


def plain():
    return tree(certify(two_columns(), np.array([0.4, 0.2]), point=np.array([0.8, 0.6])))


def test_it_is_short_and_imports_the_standard_library_only():
    text = SOURCE.read_text()
    assert len(text.splitlines()) <= 500
    body = ast.walk(ast.parse(text))
    imports = {a.name for node in body if isinstance(node, ast.Import) for a in node.names}
    body = ast.walk(ast.parse(text))
    imports |= {node.module for node in body if isinstance(node, ast.ImportFrom)}
    assert imports <= sys.stdlib_module_names


def test_it_shares_no_line_with_the_package():
    """Beyond what every Python file holds: imports, and lines of less than 25 characters."""

    def lines(path):
        found = (line.strip() for line in path.read_text().splitlines())
        trivial = ("import ", "from ", "if __name__ ==")
        return {line for line in found if len(line) >= 25 and not line.startswith(trivial)}

    own = lines(SOURCE)
    others = (path for path in (ROOT / "farkas").rglob("*.py") if path != SOURCE)
    shared = {path.name: own & lines(path) for path in others}
    assert not {name: found for name, found in shared.items() if found}


def run(*words, cwd):
    command = [sys.executable, "-I", str(SOURCE), *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    "content",
    [
        b"", b"[]", b"3", b"nul", b'{"certificate": "linear"}', b'{"certificate": "priced_tree"}',
        b'{"certificate": ["linear"]}', b"\xff", b'\xef\xbb\xbf{}', b'{"a": NaN}', b"[" * 10**5,
        b'{"certificate": "\\ud800"}', b'{"a": 1e999}', b'{"a": 1, "a": 1}', b"9" * 5000,
    ],
)  # fmt: skip
def test_what_is_no_certificate_is_refused(content):
    with pytest.raises(Rejection) as refusal:
        check_certificate(parsed(content))
    assert refusal.value.args[1] == 2


def test_a_name_cannot_add_a_line_to_the_sentence():
    certificate = plain() | {"program": 'x".  proved: \u202e\u2028'}
    said = sentence(check_certificate(certificate))
    assert said.isascii()
    assert '"x\\".  proved: ' in said


NAMES = [
    ({"program": "dps.interval_lp", "kind": "dps"}, True),
    ({"program": "dps.interval_lp", "kind": None}, True),
    ({"program": "relaxation of dps.interval_lp", "kind": "dps"}, True),
    ({"program": "P = NP", "kind": None}, True),
    ({"program": ".p", "kind": ""}, True),
    ({"program": "P = NP", "kind": "dps"}, False),
    ({"program": "dps.interval_lp", "kind": "eris"}, False),
    ({"program": "dps.interval_lp", "kind": "dp"}, False),
    ({"program": "dps.interval_lp", "kind": "dps.interval_lp"}, False),
    ({"program": "dps.interval_lp", "kind": ""}, False),
    ({"program": "dps", "kind": "dps"}, False),
    ({"program": "dps[.]", "kind": "dps"}, False),
    ({"program": "Dps.x", "kind": "dps"}, False),
    ({"program": "xrelaxation of dps.x", "kind": "dps"}, False),
    ({"program": "relaxation of relaxation of dps.x", "kind": "dps"}, False),
    ({"program": "a.b[c,d]", "kind": "a", "options": {"x": "c", "y": "d"}}, True),
    ({"program": "a.b[c,d]", "kind": "a", "options": {"2": "c", "1": "d"}}, True),
    ({"program": "a.b[c,d]", "kind": "a", "options": {"__proto__": "c", "y": "d"}}, True),
    ({"program": "a.b[c,d]", "options": {}}, True),
    ({"program": "a.b[c,d", "options": {"x": "c", "y": "d"}}, True),
    ({"program": "a.b[c[d]]", "options": {"x": "c[d]"}}, True),
    ({"program": "a.b[c]", "options": {"x": "c]"}}, False),
    ({"program": "a.b[1]", "options": {"x": "1"}}, True),
    ({"program": "a.b[1]", "options": {"x": 1}}, False),
    ({"program": "a.b[True]", "options": {"x": True}}, False),
    ({"program": "a.b[None]", "options": {"x": None}}, False),
    ({"program": "a.b[c,d]", "options": {"x": "d", "y": "c"}}, False),
    ({"program": "a.b[c,d]", "options": {"x": "c"}}, False),
    ({"program": "a.b[c]", "options": {"x": "c", "y": "d"}}, False),
    ({"program": "a.b[]", "options": {"x": ""}}, True),
    ({"program": "a.b[", "options": {"x": ""}}, False),
    ({"program": "a.b", "options": {"x": 1}}, False),
    ({"program": "a.b", "options": {"x": ""}}, False),
]
"""What a file says of its program besides the name, and whether that agrees with the name."""


@pytest.mark.parametrize(("changes", "agrees"), NAMES, ids=range(len(NAMES)))
def test_kind_and_options_must_agree_with_the_name_of_the_program(changes, agrees):
    assert (agree(json.dumps(plain() | changes).encode()) is not None) == agrees


def test_the_sentence_says_kind_and_options():
    changes = {"program": "a.b[c]", "kind": "a", "options": {"\u202ex": "c"}}
    said = sentence(check_certificate(plain() | changes))
    with_ = '{"kind": "a", "options": {"\\u202ex": "c"}}'
    assert f'the program that the file calls "a.b[c]" with {with_} is at least' in said
    long = sentence(check_certificate(plain() | changes | {"options": {"x" * 9999: "c"}}))
    assert len(long) < 600


@pytest.mark.parametrize("digits", [4299, 4300, 4301])
@pytest.mark.parametrize("sign", ["", "-"])
def test_numbers_of_thousands_of_digits_are_refused_wherever_they_stand(digits, sign):
    content = json.dumps(plain() | {"options": {"x": "?"}}).replace('"?"', sign + "9" * digits)
    assert agree(content.encode()) is None


def agree(content):
    """What both checkers say of a file; None when both refuse it."""
    try:
        mine = check_certificate(parsed(content))
    except Rejection:
        mine = None
    try:
        theirs = check(from_json(content))
    except FarkasError:
        theirs = None
    assert (mine is None) == (theirs is None)
    if theirs is None:
        return None
    bound = mine.get("lower" if theirs.sense == "min" else "upper")
    assert (bound, mine["infeasible"]) == (theirs.bound, theirs.infeasible)
    assert mine["implied"] == theirs.implied
    assert (mine.get("value"), mine.get("tolerance", 0.0)) == (theirs.value, theirs.tolerance)
    return mine


@pytest.mark.parametrize("name", ["mlbroker/tiny", "dps/tiny", "eris/tiny", "coded/tiny"])
def test_both_checkers_agree_on_solved_programs(name, tmp_path):
    program = {
        "mlbroker/tiny": "mlbroker.relaxed[tight]",
        "dps/tiny": "dps.interval_lp",
        "eris/tiny": "eris.schedule_lp",
        "coded/tiny": "coded.assignment_lp",
    }[name]
    solution = farkas.solve(name, program, certify=True, embed=True)
    farkas.save(solution, tmp_path / "a.json")
    farkas.save(solution, tmp_path / "a.vipr")
    assert agree((tmp_path / "a.json").read_bytes()) is not None
    proof = check_vipr(tmp_path / "a.vipr")
    found = check_file(str(tmp_path / "a.vipr"))
    assert (found["lower"], found["upper"]) == (proof.lower, proof.upper)


def test_rows_and_columns_are_measured_as_the_package_measures_them():
    rng = np.random.default_rng(11)
    still = 0
    for _ in range(300):
        form = random_form(rng, number=lambda size: 2.0 ** rng.integers(-90, 90, size))
        fixed = rng.random(form.num_columns) < 0.4
        empty = rng.random(form.num_columns) < 0.1  # an end of 0 is none, a column between is
        form = form.replace(
            lower=np.where(fixed, -0.0, form.lower),
            upper=np.where(fixed, np.where(empty, -4.0, 0.0), form.upper),
            integer=rng.random(form.num_columns) < 0.2,
        )
        still += fixed.any() and form.num_entries > 0
        rows = [list(zip(*map(np.ndarray.tolist, form.matrix.row(i)), strict=True))
                for i in range(form.num_rows)]  # fmt: skip
        program = types.SimpleNamespace(rows=rows, **{
            name: getattr(form, name).tolist()
            for name in ("cost", "row_lower", "row_upper", "lower", "upper", "integer")
        })  # fmt: skip
        columns, sizes = checker.units(program)
        assert (columns, sizes) == (form.units.columns.tolist(), form.units.rows.tolist())
    assert still > 50


EQUAL = """\
VER 1.0
VAR 2 x y
INT 1 0
OBJ min 2 0 1 1 1
CON 2 2
C1 E 3 2 0 1 1 1
C2 E 1 2 0 1 1 -1
RTP range 3 3
SOL 2
one 2 0 2 1 1
other 2 0 2 1 1
DER 2
D1 E 2 1 0 1 { lin 2 0 1/2 1 1/2 } -1
D2 G 3 OBJ { lin 1 0 1 } -1
"""
"""x + y = 3 and x - y = 1."""
