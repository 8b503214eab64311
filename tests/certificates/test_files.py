"""Certificate files: what they hold, what they refuse, and that mutants prove nothing more."""

from __future__ import annotations

import base64
import contextlib
import copy
import json
import subprocess
import sys
import zlib
from fractions import Fraction as F
from pathlib import Path

import msgspec
import numpy as np
import pytest

import farkas
from farkas.certificates import (
    certify,
    certify_infeasible,
    check,
    exact_bound,
    from_json,
    read,
    reference_bound,
    reference_violation,
    to_json,
    write,
)
from farkas.certificates.packed import PackedForm, deflate
from farkas.certificates.packed_form import unpacked
from farkas.certificates.points import exact_value
from farkas.errors import FarkasError, FileProblem, InvalidOption, NotACertificate
from farkas.tolerances import FEASIBLE
from tests.generators.certificates import form, good
from tests.generators.forms import INF, random_form, small
from tests.tools.samples import samples


def test_a_certificate_is_proved_from_the_file_alone(tmp_path):
    write(good(point=np.array([2.0, 1.0])), tmp_path / "c.json")
    proof = check(read(tmp_path / "c.json"))
    assert (proof.bound, proof.value, proof.ratio) == (F(9, 2), F(9, 2), 1)
    assert proof.provenance == "file"
    assert proof.statement == (
        'The optimal value of the program that the file calls "small" is at least 4.5.  A point'
        " that is feasible exactly reaches 4.5.  Its numbers are those inside the file; they were"
        " not compared with an instance."
    )


def test_a_key_that_stands_twice_is_refused():
    text = to_json(good())
    for key in (b"bound", b"sense", b"certificate", b"rows"):
        twice = text.replace(b'"%s":' % key, b'"%s":0,"%s":' % (key, key), 1)
        with pytest.raises(FileProblem, match=f"key '{key.decode()}' stands twice"):
            from_json(twice)


def test_a_point_is_not_claimed_within_more_than_a_millionth():
    point = np.array([2.0, 1.0])
    assert check(good(point=point, tolerance=FEASIBLE)).tolerance == FEASIBLE == 1e-6
    with pytest.raises(InvalidOption, match="claimed within 1e-06"):
        good(point=point, tolerance=2e-6)


def test_an_infeasible_point_is_not_certified():
    with pytest.raises(NotACertificate, match=r"row\[i=0\]"):
        good(point=np.array([1.0, 1.0]))


def changed(**fields):
    """The good certificate with parts replaced; ``a__b`` reaches into part a."""
    plain = json.loads(to_json(good(point=np.array([2.0, 1.0]))))
    for path, value in fields.items():
        *parents, last = path.split("__")
        target = plain
        for name in parents:
            target = target[name]
        target[last] = value
    return json.dumps(plain).encode()


BOMB = base64.b64encode(zlib.compress(b"\0" * 10_000_000)).decode()
MALFORMED = {
    "not JSON": b"x",
    "not UTF-8": b"\xff\xfe",
    "deep nesting": b"[" * 100_000,
    "an unknown tag": changed(certificate="magic"),
    "an unknown field": changed(extra=1),
    "another format version": changed(farkas=2),
    "a hash of wrong length": changed(form="abc"),
    "a foreign sense": changed(sense="best"),
    "a bound in floating point": changed(bound=4.5),
    "a decimal bound": changed(bound="4.5"),
    "a bound with an exponent": changed(bound="1e1000000000"),
    "a bound over zero": changed(bound="1/0"),
    "a bound of a million digits": changed(bound="1" * 1_000_000),
    "a NaN bound": changed(bound="nan"),
    "a huge exponent": changed(multipliers__exponent=10**10),
    "a negative exponent of doom": changed(multipliers__exponent=-(10**10)),
    "a number that is no double": changed(multipliers__numbers=[2**53 + 1, -1]),
    "a number beyond doubles": changed(multipliers__numbers=[2**1500, -1]),
    "a stored zero": changed(multipliers__numbers=[0, -1]),
    "too few numbers": changed(multipliers__numbers=[3]),
    "positions out of order": changed(multipliers__positions=[1, 0]),
    "a position out of range": changed(multipliers__positions=[0, 2]),
    "a negative position": changed(multipliers__positions=[-1, 0]),
    "a wrong size": changed(multipliers__size=3),
    "a gigantic size": changed(multipliers__size=2**31 - 1),
    "a negative size of data": changed(data__rows=-1),
    "gigantic data": changed(data__rows=2**31 - 1, data__entries=2**31 - 1),
    "data that are not base64": changed(data__data="%%%"),
    "data that are not deflated": changed(data__data="AAAA"),
    "data of a wrong length": changed(data__columns=3),
    "a decompression bomb": changed(data__data=BOMB),
    "a bomb of the promised size": changed(data__rows=1_200_000, data__data=BOMB),
    "an infinite offset": changed(data__offset=1e308).replace(b"1e+308", b"1e999"),
    "a point of a wrong length": changed(point__values=deflate(b"\0" * 8)),
    "a point of NaN": changed(point__values=deflate(np.full(2, np.nan).tobytes())),
    "a point of another value": changed(point__objective="4"),
    "a negative tolerance": changed(point__tolerance=-1.0),
    "a generous tolerance": changed(point__tolerance=1e6),
    "a tolerance above that of points": changed(point__tolerance=1.001e-6),
}


@pytest.mark.parametrize("content", MALFORMED.values(), ids=MALFORMED)
def test_malformed_files_are_one_clear_error(content):
    with pytest.raises((FileProblem, NotACertificate)) as caught:
        check(from_json(content))
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize(
    "spoil",
    [
        lambda f: {"values": np.array([1, np.nan, 1, -1.0])},
        lambda f: {"columns": np.array([0, 7, 0, 1], np.int32)},
        lambda f: {"columns": np.array([1, 0, 0, 1], np.int32)},
        lambda f: {"columns": np.array([0, 0, 0, 1], np.int32)},
        lambda f: {"starts": np.array([0, 5, 4], np.int64)},
        lambda f: {"starts": np.array([1, 2, 4], np.int64)},
    ],
)
def test_data_that_are_no_matrix_are_refused(spoil):
    one = form()
    parts = {
        "starts": one.matrix.starts,
        "columns": one.matrix.columns,
        "values": one.matrix.values,
    }
    parts |= spoil(one)
    tail = (one.cost, one.row_lower, one.row_upper, one.lower, one.upper)
    raw = b"".join(p.tobytes() for p in (*parts.values(), *tail)) + b"\0"
    with pytest.raises(NotACertificate, match="data"):
        check(from_json(changed(data__data=deflate(raw))))


@pytest.mark.parametrize(("name", "words"), [("missing.json", "no such"), (".", "directory")])
def test_files_that_cannot_be_read_are_one_clear_error(name, words, tmp_path):
    with pytest.raises(FileProblem, match=words):
        read(tmp_path / name)


def test_the_kernel_loads_no_solver_and_no_scipy(tmp_path):
    write(good(point=np.array([2.0, 1.0])), tmp_path / "c.json")
    code = (
        "import sys; from farkas.certificates import check, read;"
        f"print(check(read({str(tmp_path / 'c.json')!r})).bound);"
        "print(sorted({m.split('.')[0] for m in sys.modules} & {'scipy', 'highspy', 'pyomo',"
        " 'cvxpy', 'gurobipy', 'clarabel', 'mosek', 'pyscipopt', 'sympy'}))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.split("\n")[:2] == ["9/2", "[]"]


# --- mutants --------------------------------------------------------------------------------------


class Mutants:
    """Random changes of one certificate file."""

    def __init__(self, plain, rng):
        self.plain, self.rng = plain, rng
        self.kinds = [
            self.claim,
            self.number,
            self.exponent,
            self.position,
            self.fingerprint,
            self.sense,
            self.entry,
            self.entry_with_its_hash,
            self.text,
            self.truncated,
        ]

    def one(self):
        kind = self.kinds[int(self.rng.integers(len(self.kinds)))]
        plain = copy.deepcopy(self.plain)
        return kind(plain)

    def pick(self, items):
        return items[int(self.rng.integers(len(items)))]

    def vector(self, plain):
        return plain["multipliers" if "multipliers" in plain else "ray"]

    def claim(self, plain):
        names = ["bound" if "bound" in plain else "violation"]
        old = F(plain[names[0]])
        step = F(int(self.rng.integers(-9, 10))) / 10 ** int(self.rng.integers(0, 30))
        plain[names[0]] = str(self.pick([old + step, -old, old * 2, old + 10**9, old / 2]))
        return plain

    def number(self, plain):
        numbers = self.vector(plain)["numbers"]
        if numbers:
            k = int(self.rng.integers(len(numbers)))
            numbers[k] = self.pick([-numbers[k], numbers[k] + 1, numbers[k] * 2, numbers[k] ^ 5, 0])
        return plain

    def exponent(self, plain):
        self.vector(plain)["exponent"] += int(self.rng.integers(-3, 4))
        return plain

    def position(self, plain):
        positions = self.vector(plain)["positions"]
        if positions:
            k = int(self.rng.integers(len(positions)))
            positions[k] += int(self.rng.integers(-1, 2))
        return plain

    def fingerprint(self, plain):
        k = int(self.rng.integers(64))
        digit = self.pick("0123456789abcdef")
        plain["form"] = plain["form"][:k] + digit + plain["form"][k + 1 :]
        return plain

    def sense(self, plain):
        plain["sense"] = "max" if plain["sense"] == "min" else "min"
        return plain

    def entry(self, plain):
        raw = bytearray(zlib.decompress(base64.b64decode(plain["data"]["data"])))
        k = int(self.rng.integers(len(raw)))
        raw[k] ^= 1 << int(self.rng.integers(8))
        plain["data"]["data"] = deflate(bytes(raw))
        return plain

    def entry_with_its_hash(self, plain):
        plain = self.entry(plain)
        packed = msgspec.convert(plain["data"], PackedForm)
        with contextlib.suppress(NotACertificate):
            plain["form"] = unpacked(packed, "forged", plain["sense"]).sha256
        return plain

    def text(self, plain):
        content = bytearray(json.dumps(plain).encode())
        k = int(self.rng.integers(len(content)))
        content[k] = self.pick([content[k] ^ (1 << int(self.rng.integers(7))), 48, 34, 44])
        return bytes(content)

    def truncated(self, plain):
        content = json.dumps(plain).encode()
        return content[: int(self.rng.integers(len(content)))]


def feasible_form(rng):
    """A random form with a point of small integers, so that every value is known exactly."""
    one = random_form(rng, most_rows=4, most_columns=4)
    point = rng.integers(-3, 4, one.num_columns).astype(float)
    point = np.clip(point, one.lower, one.upper)
    activity = np.zeros(one.num_rows)
    for i in range(one.num_rows):
        where, values = one.matrix.row(i)
        activity[i] = values @ point[where]
    one = one.replace(
        row_lower=np.minimum(one.row_lower, activity), row_upper=np.maximum(one.row_upper, activity)
    )
    return one.replace(lower=np.maximum(one.lower, -9), upper=np.minimum(one.upper, 9)), point


def originals(rng):
    """Bound certificates with and without a point, and infeasibility ones."""
    for turn in range(18):
        one, point = feasible_form(rng)
        y = rng.integers(-16, 17, one.num_rows) / 8
        yield one, point, certify(one, y, point=point if turn % 2 else None)
    for _ in range(6):
        n = int(rng.integers(1, 4))
        row = rng.integers(1, 5, n).astype(float)
        one = small([row, row], cost=row, row_lower=[3.0, -INF], row_upper=[INF, 1.0])
        yield one, None, certify_infeasible(one, np.array([1.0, -1.0]))


def exact_multipliers(content, name, size):
    vector = json.loads(content)[name]
    y = [F(0)] * size
    for position, number in zip(vector["positions"], vector["numbers"], strict=True):
        y[position] = F(number) / F(2) ** vector["exponent"]
    return y


def judge(proof, content, one, point):
    """Plain fractions on the form itself: is it true what was accepted?"""
    if proof.infeasible:
        ray = exact_multipliers(content, "ray", one.num_rows)
        assert 0 < F(json.loads(content)["violation"]) <= reference_violation(one, ray)
        return
    y = exact_multipliers(content, "multipliers", one.num_rows)
    proved = reference_bound(one, y)
    value = exact_value(one, point)
    if one.sense == "min":
        assert proof.bound <= proved <= value
    else:
        assert proof.bound >= proved >= value
    assert proof.value in (None, value)


@pytest.mark.ids(1)
@samples(100, 500)
def test_no_mutant_proves_more_than_is_true(samples):
    """So many mutants of each of 24 certificates, checked against their form and on their own."""
    rng = np.random.default_rng(20260802)
    accepted = refused = foreign = 0
    for one, point, certificate in originals(rng):
        mutants = Mutants(json.loads(to_json(certificate)), rng)
        for _ in range(samples):
            mutant = mutants.one()
            content = mutant if isinstance(mutant, bytes) else json.dumps(mutant).encode()
            for given in (one, None):
                try:
                    proof = check(from_json(content), given)
                except (NotACertificate, FileProblem):
                    refused += 1
                    continue
                if proof.form != one.sha256:
                    # a consistent certificate of another form: never accepted for this one
                    assert given is None
                    assert proof.provenance == "file"
                    foreign += 1
                    continue
                accepted += 1
                judge(proof, content, one, point)
    assert accepted + refused + foreign == 24 * 2 * samples
    assert accepted > 2 * samples
    assert foreign > samples // 5
    assert refused > 20 * samples


def test_errors_of_the_kernel_are_all_of_one_family():
    assert issubclass(NotACertificate, FarkasError)
    assert exact_bound(form(), [1.5, -0.5]) == F(9, 2)


FURTHER = """
from fractions import Fraction
from farkas.certificates import Certificate, Proof, certificate_type, check, from_json, to_json

@certificate_type
class Toy(Certificate, frozen=True, kw_only=True, tag="toy"):
    bound: str

    def prove(self, form, instance):
        return Proof(program=self.program, sense="min", bound=Fraction(self.bound),
                     infeasible=False, value=None, tolerance=0.0, implied=0, form="",
                     instance=None, provenance="file")

print(check(from_json(to_json(Toy(program="toys", bound="7/2")))).statement)
"""


def test_a_further_kind_of_certificate_is_one_registered_class():
    out = subprocess.run(
        [sys.executable, "-c", FURTHER], capture_output=True, text=True, check=True
    )
    assert out.stdout.startswith('The optimal value of the program that the file calls "toys" is')


@pytest.mark.parametrize("name", ["small\n accepted", "small\x1b[2K", "s" * 201])
def test_a_name_cannot_forge_a_line_of_the_statement(name):
    plain = json.loads(to_json(good()))
    with pytest.raises(FileProblem, match="program"):
        from_json(json.dumps(plain | {"program": name}).encode())


def test_a_certificate_that_was_read_verifies_itself(tmp_path: Path) -> None:
    solution = farkas.solve("mlbroker/tiny", "mlbroker.relaxed", certify=True)
    solution.save(tmp_path / "bound.json")
    found = farkas.load(tmp_path / "bound.json")
    assert found.verify("mlbroker/tiny").bound == solution.bound
    assert "verify" not in found.__struct_fields__
