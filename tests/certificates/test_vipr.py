"""VIPR files: what we write, what our own checker believes."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np
import pytest

from farkas.certificates import exact_bound
from farkas.certificates.vipr import write_vipr, write_vipr_infeasible
from farkas.certificates.vipr_check import check_vipr
from farkas.errors import FileProblem, NotACertificate
from tests.certificates.test_bound import magnitudes
from tests.certificates.test_files import feasible_form
from tests.generators.forms import INF, random_form, small


def diet():
    """min x + 2y + 1/2 with x + y >= 3, x - y <= 1, 0 <= x <= 5, y >= 0; optimum (2, 1)."""
    return small(
        [[1, 1], [1, -1]],
        cost=[1, 2],
        row_lower=[3, -INF],
        row_upper=[INF, 1],
        upper=[5, INF],
        offset=0.5,
    )


GOLDEN = """\
VER 1.0
VAR 2
column(0)
column(1)
INT 0

OBJ min
2 0 1 1 2
CON 5 3
bound:column(0).lower G 0 1 0 1
bound:column(0).upper L 5 1 0 1
bound:column(1).lower G 0 1 1 1
row(0).lower G 3 2 0 1 1 1
row(1).upper L 1 2 0 1 1 -1
RTP range 4 4
SOL 1
point 2 0 2 1 1
DER 1
bound G 4 OBJ { lin 2 3 3/2 4 -1/2 } -1
"""


def test_a_file_reads_like_the_problem_and_its_proof(tmp_path):
    path = tmp_path / "diet.vipr"
    bound = write_vipr(diet(), np.array([1.5, -0.5]), path, point=np.array([2.0, 1.0]))
    comments, text = path.read_text().split("VER", 1)
    assert "VER" + text == GOLDEN
    assert "% add 1/2 to every objective value" in comments
    assert bound == F(9, 2)
    proof = check_vipr(path)
    assert (proof.sense, proof.lower, proof.upper) == ("min", 4, 4)
    assert "add 1/2 to every objective value" in proof.comments


def write(tmp_path, text):
    path = tmp_path / "file.vipr"
    path.write_text(text)
    return path


# min x + y, 4x + y >= 1, 4x - y <= 2, integers: two roundings prove 1, where the relaxation has 1/4
ROUNDING = """\
% an integer program
VER 1.0
VAR 2 x y
INT 2 0 1
OBJ min 2 0 1 1 1
CON 2 0
C1 G 1 2 0 4 1 1
C2 L 2 2 0 4 1 -1
RTP range 1 1
SOL 2
feas 2 0 1 1 2
opt 1 1 1
DER 4
C3 G -1/2 1 1 1 { lin 2 0 1/2 1 -1/2 } 3
C4 G 0 1 1 1 { rnd 1 2 1 } 4
C5 G 1/4 OBJ { lin 2 0 1/4 3 3/4 } 5
C6 G 1 OBJ { rnd 1 4 1 } 0
"""

# 2x + 3y >= 1, 3x - 4y <= 2, -x + 6y <= 3 has fractional points only
BRANCHING = """\
VER 1.0
VAR 2 x y
INT 2 0 1
OBJ min 0
CON 3 0
C1 G 1 2 0 2 1 3
C2 L 2 2 0 3 1 -4
C3 L 3 2 0 -1 1 6
RTP infeas
SOL 0
DER 11
left L 0 1 0 1 { asm } -1
right G 1 1 0 1 { asm } -1
down L 0 1 1 1 { asm } -1
D1 G 1 0 { lin 3 0 1 3 -2 5 -3 } -1
up G 1 1 1 1 { asm } -1
D2 G 1 0 { lin 3 2 -1/3 3 -1/3 7 2 } -1
D3 G 1/4 1 1 1 { lin 2 1 -1/4 4 3/4 } -1
D4 G 1 1 1 1 { rnd 1 9 1 } -1
D5 G 1 0 { lin 3 1 -1/3 2 -1 10 14/3 } -1
D6 G 1 0 { uns 6 5 8 7 } -1
D7 G 1 0 { uns 11 4 12 3 } -1
"""

CUTOFF = """\
VER 1.0
VAR 1 x
INT 0
OBJ min 1 0 1
CON 1 1
low G 2 1 0 1
RTP range 2 5
SOL 1
five 1 0 5
DER 2
cut L 5 OBJ { sol } -1
low2 G 2 OBJ { lin 1 0 1 } -1
"""


@pytest.mark.parametrize("text", [ROUNDING, BRANCHING, CUTOFF])
def test_every_kind_of_reason_is_understood(text, tmp_path):
    proof = check_vipr(write(tmp_path, text))
    assert proof.infeasible == ("infeas" in text)
    assert proof.num_derivations == text.count("{")


@pytest.mark.parametrize(
    ("text", "old", "new", "words"),
    [
        (ROUNDING, "RTP range 1 1", "RTP range 2 inf", "does not prove '2'"),
        (ROUNDING, "RTP range 1 1", "RTP range 1 1/2", "is empty"),
        (ROUNDING, "RTP range 1 1", "RTP range 0 1/2", "no solution reaches"),
        (ROUNDING, "opt 1 1 1", "opt 1 0 1", "solution 'opt' violates constraint 1"),
        (ROUNDING, "opt 1 1 1", "opt 1 1 3/2", "integer variable 1 is 3/2"),
        (ROUNDING, "INT 2 0 1", "INT 1 0", "cannot be rounded"),
        (ROUNDING, "1 -1/2 } 3", "1 1/2 } 3", "opposite directions"),
        (ROUNDING, "0 1/2 1 -1/2 } 3", "0 1/2 1 -1/3 } 3", "does not follow from its lin"),
        (ROUNDING, "{ lin 2 0 1/4 3 3/4 }", "{ lin 2 0 1/4 5 3/4 }", "no integer from 0 to 3"),
        (ROUNDING, "{ rnd 1 2 1 } 4", "{ rnd 1 2 1 } 3", "after its last use"),
        (ROUNDING, "DER 4", "DER 3", "text after"),
        (ROUNDING, "DER 4", "DER 5", "ends after line"),
        (ROUNDING, "VER 1.0", "VER 1.1", "instead of 1.0"),
        (ROUNDING, "OBJ min", "OBJ best", "instead of min or max"),
        (ROUNDING, "C1 G 1 ", "C1 G 1e9999999999 ", "no fraction"),
        (ROUNDING, "C1 G 1 ", "C1 G 1/0 ", "no fraction"),
        (ROUNDING, "C1 G 1 ", "C1 G nan ", "no fraction"),
        (ROUNDING, "C1 G 1 2 0 4 1 1", "C1 G 1 2 0 4 0 1", "occurs twice"),
        (ROUNDING, "VAR 2 x y", "VAR 2 x x", "same name"),
        (ROUNDING, "VAR 2 x y", "VAR -2 x y", "no integer from"),
        (ROUNDING, "VAR 2 x y", "VAR 99999999 x y", "ends after line|INT|same name"),
        (BRANCHING, "uns 11 4 12 3", "uns 11 4 12 5", "no integer disjunction"),
        (BRANCHING, "INT 2 0 1", "INT 1 1", "no integer disjunction"),
        (BRANCHING, "uns 6 5 8 7", "uns 6 7 8 5", "no absurdity"),
        (BRANCHING, "RTP infeas", "RTP range 7 inf", None),
        (BRANCHING, "SOL 0", "SOL 1 s 2 0 2/3 1 0", "integer variable 0"),
        (CUTOFF, "cut L 5 OBJ", "cut L 4 OBJ", "cuts off more"),
        (CUTOFF, "SOL 1\nfive 1 0 5", "SOL 0", "rests on a solution"),
        (CUTOFF, "{ sol }", "{ asm }", None),
        (CUTOFF, "low2 G 2 OBJ { lin 1 0 1 }", "low2 G 2 OBJ { asm }", "does not prove"),
    ],
)
def test_a_wrong_step_is_refused_by_name(text, old, new, words, tmp_path):
    assert old in text
    path = write(tmp_path, text.replace(old, new))
    if words is None:  # a harmless change: what remains is still proved
        check_vipr(path)
        return
    with pytest.raises((NotACertificate, FileProblem), match=words):
        check_vipr(path)


@pytest.mark.parametrize("name", ["missing.vipr", "."])
def test_files_that_cannot_be_read_are_one_clear_error(name, tmp_path):
    with pytest.raises(FileProblem, match="cannot be read"):
        check_vipr(tmp_path / name)


def test_bytes_that_are_no_text_are_one_clear_error(tmp_path):
    (tmp_path / "x.vipr").write_bytes(b"VER 1.0 \xff\xfe")
    with pytest.raises(FileProblem, match="not ASCII"):
        check_vipr(tmp_path / "x.vipr")


@pytest.mark.parametrize("exponent", [None, 2, 300])
def test_written_files_are_believed_for_every_shape(exponent, tmp_path):
    rng = np.random.default_rng(31)
    number = None if exponent is None else magnitudes(rng, exponent)
    path = tmp_path / "form.vipr"
    written = 0
    for _ in range(250):
        form = random_form(rng, number=number)
        form = form.replace(integer=rng.random(form.num_columns) < 0.3)
        if rng.random() < 0.2:
            form = form.replace(implied_upper=np.full(form.num_columns, 7.0))
        y = number(form.num_rows) if number else rng.integers(-9, 9, form.num_rows) / 4
        try:
            bound = exact_bound(form, y)
        except NotACertificate:
            continue
        written += 1
        assert write_vipr(form, y, path) == bound
        proof = check_vipr(path)
        proved = proof.lower if form.sense == "min" else proof.upper
        assert proved + F(form.offset) == bound
    assert written > 40


def test_infeasibility_is_written_and_believed(tmp_path):
    form = small([[1.0], [1.0]], cost=[5.0], row_lower=[3.0, -INF], row_upper=[INF, 1.0])
    path = tmp_path / "empty.vipr"
    for one in (form, form.replace(sense="max", offset=3.0)):
        assert write_vipr_infeasible(one, np.array([1.0, -1.0]), path) == 2
        assert check_vipr(path).infeasible


def test_nothing_is_written_without_a_proof(tmp_path):
    for write_file, y in ((write_vipr, [1.5, 0.5]), (write_vipr_infeasible, [1.0, 0.0])):
        form = diet().replace(upper=np.array([INF, INF]), cost=np.array([1.0, -1.0]))
        with pytest.raises(NotACertificate):
            write_file(form, np.array(y), tmp_path / "none.vipr")
    with pytest.raises(NotACertificate, match=r"row\[i=0\]"):
        write_vipr(diet(), np.array([1.5, -0.5]), tmp_path / "none.vipr", point=np.zeros(2))
    assert not list(tmp_path.iterdir())


def test_no_mutated_proof_claims_more_than_is_true(tmp_path):
    """2,000 files with one changed word in the claim, the solution or the derivation."""
    rng = np.random.default_rng(9)
    path = tmp_path / "mutant.vipr"
    accepted = 0
    for _ in range(40):
        form, point = feasible_form(rng)
        write_vipr(form, rng.integers(-16, 17, form.num_rows) / 8, path, point=point)
        head, tail = path.read_text().split("RTP", 1)
        words = ["RTP", *tail.split()]
        value = form.exact_objective(point) - F(form.offset)
        for _ in range(50):
            k = int(rng.integers(len(words)))
            mutant = list(words)
            choices = ["0", "1", "-1", "2", "1/2", "inf", "-inf", "G", "L", "E", "OBJ", "asm", "{"]
            mutant[k] = choices[int(rng.integers(len(choices)))]
            path.write_text(head + " ".join(mutant) + "\n")
            try:
                proof = check_vipr(path)
            except (NotACertificate, FileProblem):
                continue
            accepted += 1
            assert not proof.infeasible
            if form.sense == "min":
                assert proof.lower is None or proof.lower <= value
            else:
                assert proof.upper is None or proof.upper >= value
    assert 100 < accepted < 1500
