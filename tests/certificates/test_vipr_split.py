"""Rounding cuts as splits of VIPR files: what the writer states is what the checker derives."""

from __future__ import annotations

from pathlib import Path

import pytest

from farkas.certificates.tree import TreeCertificate
from farkas.certificates.vipr_check import check_vipr
from farkas.certificates.vipr_tree import write_vipr_tree
from farkas.exact.proving import prove_form
from tests.generators.rational import program, random_integer
from tests.generators.trees import random_tree


def test_trees_with_cuts_are_accepted(tmp_path: Path) -> None:
    with_cuts = 0
    for seed in range(230, 580):
        form = random_integer(seed)
        certificate = prove_form(form).certificate
        if not isinstance(certificate, TreeCertificate) or not certificate.cuts:
            continue
        with_cuts += 1
        path = tmp_path / f"{seed}.vipr"
        write_vipr_tree(form, certificate, path)
        proof = check_vipr(path)
        assert proof.infeasible is (certificate.bound is None)
        assert " asm " in path.read_text(), "two cases"
    assert with_cuts >= 5


def test_cuts_of_random_weights_are_accepted_in_both_cases(tmp_path: Path) -> None:
    # several cuts, weakened at the ends that they are measured from and at others
    path, cuts = tmp_path / "x.vipr", 0
    for seed in range(100, 125):
        form = random_integer(seed)
        tree = random_tree(form, seed)
        assert tree is not None
        cuts += len(tree.cuts)
        write_vipr_tree(form, tree, path)
        check_vipr(path)
    assert cuts > 20


@pytest.mark.parametrize("sense", ["min", "max"])
def test_a_mixed_program_with_complemented_columns(sense: str, tmp_path: Path) -> None:
    sign = -1 if sense == "min" else 1
    form = program(
        [[7, 5, -2, 3], [-3, 4, "5/2", 6]], cost=[9 * sign, 7 * sign, -sign, 5 * sign],
        rows=[(None, "37/3"), (None, 19)], ends=[(0, 3), (1, 4), (0, None), ("-1/2", "7/3")],
        whole=[1, 1, 0, 0], sense=sense,
    )  # fmt: skip
    found = prove_form(form)
    assert isinstance(found.certificate, TreeCertificate)
    path = tmp_path / "m.vipr"
    write_vipr_tree(form, found.certificate, path)
    proof = check_vipr(path)
    assert proof.lower == proof.upper == found.value
