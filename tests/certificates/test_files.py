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

import msgspec
import numpy as np
import pytest

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
from farkas.errors import FarkasError, FileProblem, InvalidOption, NotACertificate
from farkas.tolerances import FEASIBLE
from tests.generators.forms import INF, random_form, small
from tests.tools.samples import samples


def form():
    """min x + 2y + 1/2 with x + y >= 3, x - y <= 1, 0 <= x <= 5, y >= 0; optimum (2, 1): 4.5."""
    return small(
        [[1, 1], [1, -1]],
        cost=[1, 2],
        row_lower=[3, -INF],
        row_upper=[INF, 1],
        upper=[5, INF],
        offset=0.5,
    )


def good(**more):
    # y = (3/2, -1/2): 3 * 3/2 - 1/2 + 1/2 = 4.5
    return certify(form(), np.array([1.5, -0.5]), **more)


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


def test_a_certificate_without_data_needs_the_rebuilt_form():
    certificate = from_json(to_json(good(embed=False)))
    with pytest.raises(NotACertificate, match="with its instance"):
        check(certificate)
    assert check(certificate, form()).provenance == "form"


def test_a_certificate_of_another_form_is_refused():
    other = form().replace(cost=np.array([1.0, 3.0]))
    with pytest.raises(NotACertificate, match="the rebuilt small hash to"):
        check(good(), other)


def test_infeasibility_is_certified():
    empty = small([[1.0], [1.0]], cost=[5.0], row_lower=[3.0, -INF], row_upper=[INF, 1.0])
    proof = check(from_json(to_json(certify_infeasible(empty, np.array([1.0, -1.0])))))
    assert proof.infeasible
    assert proof.statement.startswith('Proved infeasible: the program that the file calls "small".')


def test_a_proof_says_that_it_rests_on_implied_bounds():
    implied = small(np.zeros((0, 1)), cost=[-1.0], implied_upper=np.array([4.0]))
    proof = check(from_json(to_json(certify(implied, np.zeros(0)))))
    assert (proof.bound, proof.implied) == (-4, 1)
    said = (
        'calls "small" among points within the file\'s implied bounds of 1 variable is at least -4'
    )
    assert said in proof.statement
    assert proof.within_implied_bounds
    rebuilt = check(certify(implied, np.zeros(0)), implied)
    assert "small is at least -4.  Uses the implied bounds of 1 variables." in rebuilt.statement
    assert not rebuilt.within_implied_bounds


def test_infeasibility_within_implied_bounds_is_said_to_be_that():
    # x >= 5 contradicts the implied bound 4 only
    implied = small([[1.0]], cost=[0.0], row_lower=[5.0], implied_upper=np.array([4.0]))
    proof = check(from_json(to_json(certify_infeasible(implied, np.ones(1)))))
    said = 'calls "small" has no point within the file\'s implied bounds of 1 variable.'
    assert f"Proved: the program that the file {said}" in proof.statement
    stated = small([[1.0]], cost=[0.0], row_lower=[5.0], upper=[4.0])
    proof = check(from_json(to_json(certify_infeasible(stated, np.ones(1)))))
    assert proof.statement.startswith('Proved infeasible: the program that the file calls "small".')


def test_the_ratio_of_a_point_says_nothing_about_bounds_that_are_the_file_s_word():
    implied = small([[1.0]], cost=[1.0], row_lower=[2.0], implied_lower=np.array([3.0]))
    claim = certify(implied, np.zeros(1), point=np.array([3.0]))
    assert check(claim).ratio is None
    assert check(claim, implied).ratio == 1


def test_a_key_that_stands_twice_is_refused():
    text = to_json(good())
    for key in (b"bound", b"sense", b"certificate", b"rows"):
        twice = text.replace(b'"%s":' % key, b'"%s":0,"%s":' % (key, key), 1)
        with pytest.raises(FileProblem, match=f"key '{key.decode()}' stands twice"):
            from_json(twice)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"kind": "gadget"}, "says kind gadget"),
        ({"kind": "small"}, "says kind small"),
        ({"options": {"relax": "tight"}}, "gives the options"),
        ({"options": {"nonsense": 7}}, "gives the options"),
    ],
)
def test_a_kind_or_options_that_the_program_does_not_have_are_refused(words, said):
    with pytest.raises(NotACertificate, match=said):
        check(msgspec.structs.replace(good(), **words))


def test_kind_and_options_that_the_name_confirms_are_accepted():
    named = form().replace(name="toy.small[tight,strict]")
    about = {"kind": "toy", "options": {"relax": "tight", "semantics": "strict"}}
    check(certify(named, np.zeros(named.num_rows), **about))
    with pytest.raises(NotACertificate, match="gives the options"):
        check(certify(named, np.zeros(named.num_rows), options={"relax": "tight"}))


def test_a_point_is_not_claimed_within_more_than_a_millionth():
    point = np.array([2.0, 1.0])
    assert check(good(point=point, tolerance=FEASIBLE)).tolerance == FEASIBLE == 1e-6
    with pytest.raises(InvalidOption, match="claimed within 1e-06"):
        good(point=point, tolerance=2e-6)


def test_an_infeasible_point_is_not_certified():
    with pytest.raises(NotACertificate, match=r"row\[i=0\]"):
        good(point=np.array([1.0, 1.0]))


def test_a_weaker_claim_is_proved_and_a_stronger_one_is_not():
    plain = json.loads(to_json(good()))
    assert check(from_json(json.dumps(plain | {"bound": "4"}).encode())).bound == 4
    stronger = from_json(json.dumps(plain | {"bound": "9000000001/2000000000"}).encode())
    with pytest.raises(NotACertificate, match=r"claims the bound 4.500000001, .* prove 4.5 only"):
        check(stronger)


# --- malformed files ------------------------------------------------------------------------------


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
            plain["form"] = packed.form("forged", plain["sense"]).sha256
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
    value = one.exact_objective(point)
    if one.sense == "min":
        assert proof.bound <= proved <= value
    else:
        assert proof.bound >= proved >= value
    assert proof.value in (None, value)


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


def test_a_proof_of_infeasibility_counts_the_implied_bounds_it_needs():
    # x + y >= 3 with y <= 1 stated and x <= 1 only implied: 3 - 2 = 1
    wide = small([[1.0, 1.0]], cost=[0, 0], row_lower=[3.0], upper=[INF, 1.0])
    narrow = wide.replace(implied_upper=np.array([1.0, 1.0]))
    proof = check(from_json(to_json(certify_infeasible(narrow, np.array([1.0])))))
    assert (proof.infeasible, proof.implied) == (True, 1)


@pytest.mark.parametrize(
    ("sense", "weaker", "stronger"), [("min", "8/2", "10/2"), ("max", "-8/2", "-10/2")]
)
def test_a_claim_as_strong_as_its_proof_is_accepted_and_a_stronger_one_is_not(
    sense, weaker, stronger
):
    sign = 1.0 if sense == "min" else -1.0
    one = form().replace(sense=sense, cost=sign * form().cost, offset=sign * 0.5)
    made = certify(one, sign * np.array([1.5, -0.5]))
    assert F(made.bound) == sign * F(9, 2)
    for bound in (made.bound, weaker):
        proof = check(msgspec.structs.replace(made, bound=bound))
        assert (proof.bound, proof.infeasible, proof.tolerance) == (F(bound), False, 0.0)
    with pytest.raises(NotACertificate, match="prove"):
        check(msgspec.structs.replace(made, bound=stronger))


@pytest.mark.parametrize(("claim", "fine"), [("2", True), ("1/9", True), ("0", False),
                                             ("-1", False), ("201/100", False)])  # fmt: skip
def test_a_violation_is_above_zero_and_at_most_what_the_ray_proves(claim, fine):
    empty = small([[1.0], [1.0]], cost=[5.0], row_lower=[3.0, -INF], row_upper=[INF, 1.0])
    made = msgspec.structs.replace(
        certify_infeasible(empty, np.array([1.0, -1.0])), violation=claim
    )
    if fine:
        proof = check(made)
        assert (proof.infeasible, proof.bound, proof.value) == (True, None, None)
        assert (proof.tolerance, proof.implied) == (0.0, 0)
    else:
        with pytest.raises(NotACertificate, match="claims the violation"):
            check(made)


def test_implied_bounds_that_a_ray_does_not_need_are_not_counted():
    # x >= 3 and x <= 1 miss each other wherever x may lie
    empty = small([[1.0], [1.0]], cost=[0.0], row_lower=[3.0, -INF], row_upper=[INF, 1.0],
                  implied_upper=np.array([7.0]))  # fmt: skip
    assert check(certify_infeasible(empty, np.array([1.0, -1.0]))).implied == 0


def test_the_claimed_tolerance_is_part_of_the_proof():
    point = np.array([2.0 - 2.0**-21, 1.0])
    proof = check(good(point=point, tolerance=2.0**-20))
    assert proof.tolerance == 2.0**-20
    assert proof.value == F(9, 2) - F(1, 2**21)
    assert check(good(point=np.array([2.0, 1.0]))).tolerance == 0.0


def test_a_certificate_of_another_sense_than_its_form_is_refused():
    made = msgspec.structs.replace(good(embed=False), sense="max")
    with pytest.raises(NotACertificate):
        check(made, form())


def test_a_file_ends_with_a_line_break():
    assert to_json(good()).endswith(b"}\n")


@pytest.mark.parametrize("digit", ["0", "f"])
def test_a_hash_that_is_another_is_refused_whichever_is_larger(digit):
    other = msgspec.structs.replace(good(), form=digit * 64)
    with pytest.raises(NotACertificate, match="its own data hash to"):
        check(other)
    with pytest.raises(NotACertificate, match="the rebuilt small hash to"):
        check(other, form())


@pytest.mark.parametrize("tolerance", [-1e-300, -0.5, 2 * FEASIBLE])
def test_points_are_claimed_within_a_share_that_is_one(tolerance):
    with pytest.raises(InvalidOption, match="points are claimed within"):
        good(point=np.array([2.0, 1.0]), tolerance=tolerance)


def test_options_need_not_be_given_beside_a_name_that_spells_them():
    named = form().replace(name="toy.small[strict]")
    made = certify(named, np.array([1.5, -0.5]), kind="toy")
    assert check(made).bound == F(9, 2)
    assert check(msgspec.structs.replace(made, options={"semantics": "strict"})).bound == F(9, 2)
    with pytest.raises(NotACertificate, match="gives the options"):
        check(msgspec.structs.replace(made, options={"semantics": "printed"}))
