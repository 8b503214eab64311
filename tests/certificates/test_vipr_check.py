"""What the checker of VIPR files believes, and what it refuses."""

from __future__ import annotations

from fractions import Fraction

import pytest

from farkas.certificates.vipr_check import check_vipr
from farkas.errors import FileProblem, NotACertificate
from farkas.standalone.checker import Vipr


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


@pytest.mark.ids(99)
@pytest.mark.parametrize(
    ("text", "old", "new", "words"),
    [
        (ROUNDING, "RTP range 1 1", "RTP range 2 inf", "last row does not prove"),
        (ROUNDING, "{ lin 2 0 1/4 3 3/4 }", "{ lin 2 0 1/4 5 3/4 }", "5|4"),
        (ROUNDING, "VER 1.0", "VER 1.1", "line 2: unexpected: '1.1'"),
        (ROUNDING, "DER 4", "DER 5", "the end of the file"),
        (BRANCHING, "uns 11 4 12 3", "uns 11 4 12 5", "no two cases"),
        (CUTOFF, "SOL 1\nfive 1 0 5", "SOL 0", "rests on a solution"),
    ],
)
def test_a_wrong_step_is_refused_by_name(text, old, new, words, tmp_path):
    assert old in text
    path = write(tmp_path, text.replace(old, new))
    with pytest.raises((NotACertificate, FileProblem), match=words):
        check_vipr(path)


@pytest.mark.parametrize("number", ["9" * 2000, "-" + "9" * 2000, "1/" + "9" * 2000])
def test_long_numbers_are_said_in_short_messages(tmp_path, number):
    for old, new in (
        ("RTP range 1 1", f"RTP range {number} -1"),
        ("0 1/4 3 3/4", f"0 {number} 3 3/4"),
    ):
        with pytest.raises((FileProblem, NotACertificate)) as caught:
            check_vipr(write(tmp_path, ROUNDING.replace(old, new)))
        assert len(str(caught.value)) < 300


def test_bytes_that_are_no_text_are_one_clear_error(tmp_path):
    (tmp_path / "x.vipr").write_bytes(b"VER 1.0 \xff\xfe")
    with pytest.raises(FileProblem, match="not ASCII"):
        check_vipr(tmp_path / "x.vipr")


# max x, 2x <= 5, x integer: 2
LARGEST = """\
VER 1.0
VAR 1 x
INT 1 0
OBJ max 1 0 1
CON 2 1
C1 L 5 1 0 2
C2 G -3 1 0 1
RTP range 2 2
SOL 2
two 1 0 2
one 1 0 1
DER 3
low G -4 1 0 1 { lin 1 1 1 } -1
half L 5/2 OBJ { lin 2 0 1/2 1 0 } 4
whole L 2 OBJ { rnd 1 3 1 } -1
"""

# 2x = 3 with an integer x: x <= 1 or x >= 2, and both contradict
HALVES = """\
VER 1.0
VAR 1 x
INT 1 0
OBJ min 0
CON 1 0
C1 E 3 1 0 2
RTP infeas
SOL 0
DER 5
low L 1 1 0 1 { asm } 5
up G 2 1 0 1 { asm } 5
A1 G 1 0 { lin 2 0 1 1 -2 } 5
A2 G 1 0 { lin 2 0 -1 2 2 } 5
no G 1 0 { uns 3 1 4 2 } -1
"""


def test_a_proof_tells_its_sense_and_both_ends(tmp_path):
    proof = check_vipr(write(tmp_path, LARGEST))
    assert (proof.sense, proof.infeasible, proof.lower, proof.upper) == ("max", False, 2, 2)
    assert (proof.num_derivations, proof.comments) == (3, ())
    open_ended = check_vipr(write(tmp_path, LARGEST.replace("range 2 2", "range -inf 5/2")))
    assert (open_ended.lower, open_ended.upper) == (None, Fraction(5, 2))
    none = check_vipr(write(tmp_path, HALVES))
    assert (none.sense, none.infeasible, none.lower, none.upper) == ("min", True, None, None)
    assert check_vipr(write(tmp_path, ROUNDING)).comments == ("an integer program",)


def hostile(kind, size):
    """A file of about ``size`` words that asks for ``size`` squared steps."""
    names = " ".join(f"x{j}" for j in range(size))
    ones = " ".join(f"{j} 1" for j in range(size))
    rows, solutions, steps = [f"long G 0 {size} {ones}"], [], []
    if kind == "rows":
        steps = [f"d G 0 {size} {ones} {{ lin 1 0 1 }} -1"] * 2
        steps += ["d G 0 0 { lin 1 0 0 } -1"] * size
    elif kind == "solutions":
        rows, solutions = ["short G 0 0"] * size, ["point 0"] * size
    elif kind == "long numbers":
        # co-prime denominators, which sums multiply
        rows = [f"r{k} G 1/{3**90 + 2 * k} 0" for k in range(size)]
        pairs = " ".join(f"{k} 1/{11**90 + 2 * k}" for k in range(20))
        steps = [f"d G 0 0 {{ lin 20 {pairs} }} -1"] * size
    elif kind == "cases":
        steps = [f"low L 0 {size} {ones} {{ asm }} -1", f"high G 1 {size} {ones} {{ asm }} -1"]
        steps += ["u G 0 OBJ { uns 0 1 0 2 } -1"] * size
    elif kind == "assumptions":
        steps = ["a G 0 0 { asm } -1"] * size
        pairs = " ".join(f"{k} 1" for k in range(1, size + 1))
        steps += [f"all G 0 0 {{ lin {size} {pairs} }} -1"]
        steps += [f"d G 0 0 {{ lin 1 {size + 1} 1 }} -1"] * size
    head = [f"VER 1.0 VAR {size} {names} INT {size}", *map(str, range(size)),
            f"OBJ min {size} {ones} CON {len(rows)} 0", *rows, "RTP range -inf inf",
            f"SOL {len(solutions)}", *solutions, f"DER {len(steps)}", *steps]  # fmt: skip
    return "\n".join(head) + "\n"


def work(text, path):
    """Steps that are counted; with one fewer a file is given up."""
    path.write_text(text)
    counted = Vipr(text.encode())
    counted.check()
    check_vipr(path, counted.work)
    with pytest.raises(
        NotACertificate, match=f"line [0-9]+: .* more than {counted.work - 1} steps"
    ):
        check_vipr(path, counted.work - 1)
    return counted.work


@pytest.mark.parametrize("kind", ["rows", "solutions", "long numbers", "cases", "assumptions"])
def test_what_grows_faster_than_the_file_is_counted(kind, tmp_path):
    path = tmp_path / "file.vipr"
    if kind == "long numbers":
        # a step more for every 256 bits
        assert work(hostile(kind, 20), path) > 5 * 20 * 20
        return
    small, large = (work(hostile(kind, size), path) for size in (30, 60))
    assert large > 3 * small
