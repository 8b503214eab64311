"""Integer programs whose whole columns lack ends: what is proved, against arguments of others.

No solver is asked: HiGHS may search such a program for ever.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from farkas.certificates import check
from farkas.certificates.tree import TreeCertificate
from farkas.certificates.vipr_check import check_vipr
from farkas.certificates.vipr_tree import write_vipr_tree
from farkas.exact.proving import prove_form
from farkas.forms.rational import RationalForm
from farkas.solvers import Answer
from farkas.standalone.checker import check_file
from tests.generators.without_ends import Drawn, Found, ranges, rays

SLOW = pytest.mark.slow


def agree(form: RationalForm, truth: Found, path: Path) -> str:
    """Hold a proof against the truth, and its certificate against three checkers."""
    found = prove_form(form, answer=Answer(solver="nobody"))
    if found.status == "bound":
        return "bound"
    known: Found = None if found.status == "infeasible" else found.status
    assert (found.value if known == "optimal" else known) == truth
    assert found.certificate is not None
    proof = check(found.certificate)
    assert (proof.infeasible, proof.unbounded) == (truth is None, truth == "unbounded")
    if isinstance(found.certificate, TreeCertificate):
        write_vipr_tree(form, found.certificate, path)
        alone, own = check_file(str(path)), check_vipr(path)
        for said in (alone["infeasible"], own.infeasible):
            assert said is (truth is None)
        assert alone["lower"] == own.lower == proof.bound == truth
    return found.status


@pytest.mark.parametrize(("draw", "seeds"), [
    (ranges, range(100)), pytest.param(ranges, range(100, 400), marks=SLOW),
    (rays, range(100)), pytest.param(rays, range(100, 400), marks=SLOW),
])  # fmt: skip
def test_random_programs_are_decided_rightly(
    draw: Callable[[int], Drawn], seeds: range, tmp_path: Path
) -> None:
    seen = [agree(*draw(seed), tmp_path / "x.vipr") for seed in seeds]
    assert min(seen.count(status) for status in ("optimal", "infeasible")) > len(seeds) // 5
    assert seen.count("unbounded") > (len(seeds) // 5 if draw is ranges else -1)
    assert seen.count("bound") <= len(seeds) // 100
