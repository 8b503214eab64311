"""The checker of VIPR 1.0 that shares nothing with farkas: its rules, and what both accept."""

from __future__ import annotations

import contextlib
import random
from types import SimpleNamespace

import pytest

from farkas.certificates.vipr_check import check_vipr
from farkas.errors import FarkasError
from tests.certificates.test_vipr_check import BRANCHING, CUTOFF, ROUNDING
from tests.fuzz.vipr import change_word
from tests.references.vipr import Certificate, NoProof
from tests.tools.second_reading import compare, read_again

# max 2x + y, x + y <= 5/2, 0 <= x <= 1, whole: 3 at (1, 1), by x + y <= 2 and x <= 1
LARGEST = """\
VER 1.0
VAR 2 x y
INT 2 0 1
OBJ max 2 0 2 1 1
CON 3 2
zero G 0 1 0 1
one L 1 1 0 1
sum L 5/2 2 0 1 1 1
RTP range 3 3
SOL 1
best 2 0 1 1 1
DER 2
whole L 2 2 0 1 1 1 { rnd 1 2 1 } 4
goal L 3 OBJ { lin 2 1 1 3 1 } -1
"""


@pytest.mark.parametrize(
    ("text", "ends"),
    [(ROUNDING, (1, 1)), (CUTOFF, (2, 5)), (BRANCHING, (None, None)), (LARGEST, (3, 3))],
)
def test_every_kind_of_reason_is_understood(text, ends):
    found = Certificate(text)
    assert (found.lower, found.upper) == ends
    assert found.infeasible is (text is BRANCHING)


@pytest.mark.parametrize("first", range(0, 1200, 400))
def test_both_checkers_agree_on_changed_files(first, tmp_path):
    accepted = 0
    for seed in range(first, first + 400):
        rng = random.Random(seed)
        lines = rng.choice([ROUNDING, BRANCHING, CUTOFF, LARGEST]).splitlines()
        for _ in range(rng.choice([1, 1, 2])):
            change_word(rng, lines)
        path = tmp_path / "changed.vipr"
        path.write_bytes(("\n".join(lines) + "\n").encode("ascii", "replace"))
        try:
            theirs: Certificate | None = Certificate(path.read_text())
        except NoProof as refusal:
            theirs = None
            if "a bound of two" in str(refusal):
                continue  # which rows are bounds matters to nobody's proof
        try:
            ours = check_vipr(path)
        except FarkasError:
            # farkas is the stricter one: it says no more of what it accepts
            continue
        assert theirs is not None, f"{seed}: only farkas accepts\n{path.read_text()}"
        assert (ours.infeasible, ours.lower, ours.upper) == (
            theirs.infeasible, theirs.lower, theirs.upper
        )  # fmt: skip
        accepted += 1
    assert accepted > 40


def test_a_file_that_one_checker_alone_accepts_is_found(tmp_path, monkeypatch):
    path = tmp_path / "x.vipr"
    path.write_text(CUTOFF)
    compare(path)
    path.write_text(CUTOFF.replace("cut L 5", "cut L 4"))
    compare(path)  # both refuse
    seen = []

    @contextlib.contextmanager
    def replacing(target):
        with open(target, "wb") as stream:
            yield stream
        seen.append(target)

    monkeypatch.setattr("tests.tools.second_reading.check_vipr", lambda _: SimpleNamespace())
    wrong = CUTOFF.replace("cut L 5", "cut L 4").encode()
    refused = pytest.raises(AssertionError, match="accepted by farkas alone: no cutoff")
    with refused, read_again(replacing)(path) as stream:
        stream.write(wrong)
    assert seen == [path]
