"""Rounding cuts as splits of VIPR files: what the writer states is what the checker derives."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from farkas.certificates.tree import TreeCertificate
from farkas.certificates.vipr_check import check_vipr
from farkas.certificates.vipr_tree import write_vipr_tree
from farkas.errors import NotACertificate
from farkas.exact.proving import prove_form
from farkas.standalone.checker import Refused, check_file
from tests.generators.rational import program, random_integer
from tests.generators.trees import random_tree


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


def test_a_cut_of_columns_without_ends_is_two_cases_of_their_sum(tmp_path: Path) -> None:
    # 3x + 6y = 7: x + 2y is at most 2 or at least 3, and 7/3
    form = program([[3, 6]], cost=[1, 0], rows=[(7, 7)], ends=[(None, None)] * 2, whole=[1, 1])
    certificate = prove_form(form).certificate
    assert isinstance(certificate, TreeCertificate)
    path = tmp_path / "x.vipr"
    write_vipr_tree(form, certificate, path)
    assert check_vipr(path).infeasible
    assert check_file(str(path))["infeasible"]
    text = path.read_text()
    assert "r0 E 7/3 2 0 1 1 2" in text
    for honest, forged in [
        ("L 2 2 0 1 1 2 { uns", "L 1 2 0 1 1 2 { uns"),  # a side shifted by one
        ("G 3 2 0 1 1 2 { asm }", "G 4 2 0 1 1 2 { asm }"),  # 3 is left out
        ("INT 2\n0 1", "INT 1\n0"),  # y is not whole
    ]:
        assert honest in text
        path.write_text(text.replace(honest, forged))
        with pytest.raises(NotACertificate):
            check_vipr(path)
        with pytest.raises(Refused):
            check_file(str(path))
    cut = certificate.cuts[0]
    for changes in ({"side": "1"}, {"divisor": "2"}):
        other = msgspec.structs.replace(cut, **changes)
        with pytest.raises(NotACertificate):
            write_vipr_tree(form, msgspec.structs.replace(certificate, cuts=(other,)), path)
