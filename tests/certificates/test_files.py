"""Certificate files: what they hold, what they refuse, and that mutants prove nothing more."""

from __future__ import annotations

import base64
import json
import math
import subprocess
import sys
import zlib
from fractions import Fraction as F
from pathlib import Path

import numpy as np
import pytest

import farkas
from farkas.certificates import (
    check,
    from_json,
    read,
    to_json,
    write,
)
from farkas.certificates.doubles import Work
from farkas.certificates.proof import Proof
from farkas.certificates.sums import MOST_CELLS, affordable, finite, inside, whole
from farkas.errors import FileProblem, InvalidOption, NotACertificate
from farkas.tolerances import FEASIBLE
from tests.generators.certificates import good


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
    "a bound in floating point": changed(bound=4.5),
    "a decimal bound": changed(bound="4.5"),
    "a bound with an exponent": changed(bound="1e1000000000"),
    "a bound of a million digits": changed(bound="1" * 1_000_000),
    "a huge exponent": changed(multipliers__exponent=10**10),
    "a negative exponent of doom": changed(multipliers__exponent=-(10**10)),
    "gigantic data": changed(data__rows=2**31 - 1, data__entries=2**31 - 1),
    "a decompression bomb": changed(data__data=BOMB),
    "a bomb of the promised size": changed(data__rows=1_200_000, data__data=BOMB),
    "an infinite offset": changed(data__offset=1e308).replace(b"1e+308", b"1e999"),
}


@pytest.mark.ids(99)
@pytest.mark.parametrize("content", MALFORMED.values(), ids=MALFORMED)
def test_malformed_files_are_one_clear_error(content):
    with pytest.raises((FileProblem, NotACertificate)) as caught:
        check(from_json(content))
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


FURTHER = """
from fractions import Fraction
from farkas.certificates import Certificate, Proof, certificate_type, check, from_json, to_json

@certificate_type
class Toy(Certificate, frozen=True, kw_only=True, tag="toy"):
    bound: str

    def prove(self, form, instance):
        bound = Fraction(self.bound)
        return Proof(program=self.program, sense="min", bound=bound, provenance="file")

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


INF, NAN = float("inf"), float("nan")


@pytest.mark.parametrize("value", [INF, -INF, NAN])
def test_what_is_not_finite_is_refused(value):
    with pytest.raises(NotACertificate, match=r"costs: .* is not a finite number"):
        finite(np.array([[1.0, value]]), "costs")


def test_integers_become_doubles_only_where_that_is_exact():
    assert finite(np.array([-(2**53), 2**53]), "costs").tolist() == [-(2.0**53), 2.0**53]
    assert finite(np.array([True]), "costs").tolist() == [1.0]
    for value in (2**53 + 1, -(2**53) - 1):
        with pytest.raises(NotACertificate, match="too large for a double"):
            finite(np.array([value]), "costs")
    for kind in (np.float32, np.longdouble, np.complex128, object):
        with pytest.raises(NotACertificate, match="instead of doubles"):
            finite(np.array([1], dtype=kind), "costs")


def test_indices_stay_inside():
    inside(np.array([0, 2]), 3, "rows")
    inside(np.array([], dtype=int), 0, "rows")
    for index in (-1, 3):
        with pytest.raises(NotACertificate, match=r"rows: an index lies outside 0\.\.2"):
            inside(np.array([index]), 3, "rows")


def test_one_integer_too_far_below_zero_is_refused_beside_others():
    with pytest.raises(NotACertificate, match="too large for a double"):
        finite(np.array([0, -(2**53) - 1]), "costs")
    with pytest.raises(NotACertificate, match="too large for a double"):
        finite(np.array([0, 2**53 + 1]), "costs")


def proof(**changes):
    given = {
        "program": "p", "sense": "min", "bound": F(1, 3), "value": F(2, 3), "provenance": "form",
    }  # fmt: skip
    return Proof(**{**given, **changes})


def test_numbers_are_the_nearest_doubles_that_claim_no_more():
    found = proof().to_builtins()
    assert F(found["bound"]) < F(1, 3) < F(2, 3) < F(found["value"])
    assert (found["ratio"], found["tolerance"], found["sense"]) == (2.0, 0.0, "min")
    assert found["statement"] == proof().statement
    assert found["statement"]
    most = proof(sense="max", bound=F(2, 3), value=F(1, 3)).to_builtins()
    assert F(most["value"]) < F(1, 3) < F(2, 3) < F(most["bound"])


def test_a_ratio_is_rounded_up():
    found = proof(bound=F(3), value=F(4)).to_builtins()["ratio"]
    assert F(4, 3) < F(found)
    assert F(math.nextafter(found, 0.0)) < F(4, 3)


@pytest.mark.parametrize(
    "changes",
    [{"value": None}, {"bound": None, "unbounded": True}, {"implied": 1, "provenance": "file"}],
)
def test_without_a_point_a_bound_or_the_program_there_is_no_ratio(changes):
    assert proof(**changes).ratio is None
    assert proof(**changes).to_builtins()["ratio"] is None
    assert proof().ratio == proof().ratio == 2


def charged(terms: int, *numbers: F | int) -> int:
    work = Work()
    work.charge(terms, *numbers)
    return work.done


def test_short_numbers_cost_their_terms_and_long_ones_the_square_of_their_length() -> None:
    assert charged(0) == 1
    assert charged(5, F(1, 3), 7) == 6
    # 255 bits and the one of the denominator are one piece; 63 pieces have 63 * 63 / 64 pairs
    assert charged(0, 2**253) == 1
    assert charged(0, 2**254) == 2
    assert charged(0, 2 ** (256 * 63)) == 1 + 63 + 62
    assert charged(0, 2 ** (256 * 32), F(1, 2 ** (256 * 32))) == 1 + 64 + 64
    assert charged(0, 2 ** (256 * 640)) == 1 + 640 + 6400


def test_sums_and_what_is_read_are_counted() -> None:
    work = Work()
    assert work.plus(F(1, 2), 3, F(1, 4)) == F(5, 4)
    assert work.done == 1
    assert work.read("-7/2", "number") == F(-7, 2)
    assert work.done == 2
    work.plus(2 ** (256 * 8), 2 ** (256 * 8), 2 ** (256 * 8))
    assert work.done == 2 + 1 + 24 + 9


def test_one_step_too_many_is_refused_before_it_is_made() -> None:
    work = Work(4)
    work.charge(3)
    with pytest.raises(NotACertificate, match="takes more than 4 steps to check; --most-work"):
        work.plus(0, 1, 1)


@pytest.mark.parametrize("value", [INF, -INF, NAN])
def test_what_is_not_finite_is_not_cast(value):
    with pytest.raises(NotACertificate, match=r"costs: .* is not a finite number"):
        whole(np.array([[1.0, value]]), "costs")


def test_whole_numbers_are_cast_below_their_limit_only():
    assert whole(np.array([-(2.0**61), 0.0, 3.0]), "costs").tolist() == [-(2**61), 0, 3]
    assert whole(np.array([7.0]), "costs", bits=3).tolist() == [7]
    for value, bits in ((2.0**62, 62), (2.0**62, 70), (-1e308, 62), (8.0, 3)):
        with pytest.raises(NotACertificate, match=r"costs: .* is out of range"):
            whole(np.array([0.0, value]), "costs", bits=bits)
    with pytest.raises(NotACertificate, match="costs: a number is not whole"):
        whole(np.array([0.5]), "costs")


def test_a_table_is_filled_up_to_its_limit_and_not_beyond():
    affordable(MOST_CELLS, "chunks")
    affordable(2.0, "chunks", 2)
    for size, most in ((MOST_CELLS + 1, MOST_CELLS), (1e300, MOST_CELLS), (10**400, 2), (3, 2)):
        with pytest.raises(NotACertificate, match=r"chunks: .* steps; .* are the most"):
            affordable(size, "chunks", most)


@pytest.mark.parametrize("tag", ["eris_price", "dps_pricess", "coded_runs", "gadget.slots"])
def test_a_tag_that_no_version_had_is_not_said_to_be_of_an_old_one(tag):
    with pytest.raises(FileProblem, match="unknown certificate") as caught:
        from_json(b'{"certificate": "%s"}' % tag.encode(), "file")
    assert "0.2.0" not in str(caught.value)
