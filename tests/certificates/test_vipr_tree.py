"""Trees as VIPR files, which other checkers read."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from farkas.certificates.tree import TreeCertificate
from farkas.certificates.vipr_check import check_vipr
from farkas.certificates.vipr_tree import write_vipr_tree
from farkas.errors import FarkasError
from farkas.exact.proving import Proved, prove_form
from farkas.forms.rational import RationalForm
from tests.generators.rational import program, random_integer, random_linear
from tests.tools.shared import ROOT


def written(form: RationalForm, path: Path) -> Proved:
    found = prove_form(form)
    assert isinstance(found.certificate, TreeCertificate)
    write_vipr_tree(form, found.certificate, path)
    return found


def agree(form: RationalForm, path: Path) -> str:
    found = written(form, path)
    proof = check_vipr(path)
    assert proof.infeasible is (found.status == "infeasible")
    if not proof.infeasible:
        assert found.bound is not None
        assert found.value is not None
        low, high = sorted((found.bound, found.value))
        assert (proof.lower, proof.upper) == (low - form.offset, high - form.offset)
    return found.status


def test_random_programs_prove_the_same(tmp_path: Path) -> None:
    seen = [agree(random_integer(seed), tmp_path / f"{seed}.vipr") for seed in range(200, 235)]
    assert seen.count("optimal") >= 10
    assert seen.count("infeasible") >= 5


def test_linear_programs_are_trees_of_one_leaf(tmp_path: Path) -> None:
    seen = 0
    for seed in range(30):
        form = random_linear(seed)
        if prove_form(form).status != "unbounded":
            agree(form, tmp_path / f"{seed}.vipr")
            seen += 1
    assert seen > 15


def knapsack() -> RationalForm:
    """Needs a tree, cuts or both."""
    return program(
        [[6, 5, 4, 9], [3, 7, 8, 2]], cost=[-13, -11, -9, -17], rows=[(None, 23), (None, 21)],
        ends=[(0, None)] * 4, whole=[1] * 4,
    )  # fmt: skip


def test_the_file_that_stands_alone_accepts_it(tmp_path: Path) -> None:
    path = tmp_path / "k.vipr"
    assert agree(knapsack(), path) == "optimal"
    command = [sys.executable, str(ROOT / "farkas" / "standalone" / "checker.py"), str(path)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 0, ended.stderr


def test_a_spoiled_derivation_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "k.vipr"
    found = written(knapsack(), path)
    lines = path.read_text().splitlines()
    assert found.value is not None
    better = str(found.value - 1)
    head = next(k for k, line in enumerate(lines) if line.startswith("RTP range"))
    words = lines[head].split()
    lines[head] = " ".join(
        [*words[:2], *(better if w == str(found.value) else w for w in words[2:])]
    )
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(FarkasError):
        check_vipr(path)


def test_a_wrong_tree_makes_no_file_that_is_accepted(tmp_path: Path) -> None:
    form = knapsack()
    certificate = prove_form(form).certificate
    assert isinstance(certificate, TreeCertificate)
    assert certificate.bound is not None
    wrong = msgspec.structs.replace(certificate, bound=str(int(certificate.bound) + 1))
    path = tmp_path / "w.vipr"

    def written_and_checked() -> None:
        write_vipr_tree(form, wrong, path)
        check_vipr(path)

    with pytest.raises(FarkasError):
        written_and_checked()
