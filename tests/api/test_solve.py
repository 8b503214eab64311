"""Solving one program: claims re-checked, bounds proved, infeasibility proved."""

from __future__ import annotations

import signal
from fractions import Fraction
from typing import Any

import msgspec
import numpy as np
import pytest

import farkas
from farkas.algebra import programs
from farkas.api.check import check as check_file
from farkas.api.explain import Explanation, Finding
from farkas.api.optimum import search_of
from farkas.api.programs import origin, rebuild
from farkas.api.prove import prove
from farkas.api.solve import RELAXATION, SEARCH, solve, solve_form
from farkas.certificates import LinearCertificate, certify, check
from farkas.certificates.tree import TreeCertificate
from farkas.errors import InvalidOption, NoAnswer, NotACertificate
from farkas.exact.certificate import ProofTree
from farkas.exact.tree import TreeSearch
from farkas.forms import LinearForm, SparseRows
from farkas.instances import library
from farkas.instances.library import load
from farkas.relaxations.integrality import relax as without_integrality
from farkas.solvers import Answer, Conclusion, Reason


def form(
    rows: list[list[float]], low: list[float], high: list[float], **changes: object
) -> LinearForm:
    """Min of the sum of the columns in [0, 10] subject to ``low <= rows x <= high``."""
    dense = np.array(rows, dtype=float)
    m, n = dense.shape
    where = np.nonzero(dense)
    matrix = SparseRows(
        np.concatenate([[0], np.cumsum((dense != 0).sum(axis=1))]).astype(np.int64),
        where[1].astype(np.int32),
        dense[where],
        n,
    )
    base = LinearForm(
        name="test",
        cost=np.ones(n),
        matrix=matrix,
        row_lower=np.array(low, dtype=float),
        row_upper=np.array(high, dtype=float),
        lower=np.zeros(n),
        upper=np.full(n, 10.0),
        integer=np.zeros(n, dtype=bool),
    )
    assert m == len(low) == len(high)
    return base.replace(**changes)


INF = float("inf")


def test_the_bound_of_a_linear_program_meets_its_value() -> None:
    # min x + y, 2x + y >= 7, x <= 10: x = 7/2
    solution = solve_form(form([[2, 1]], [7], [INF]), certify=True)
    assert solution.bound == Fraction(7, 2)
    assert solution.gap == 0
    assert solution.report
    assert solution.to_builtins()["feasible"] is True


def test_the_bound_of_an_integer_program_is_that_of_its_relaxation() -> None:
    # the same with integers: 4, relaxation 7/2
    whole = form([[2, 1]], [7], [INF], integer=np.array([True, True]))
    solution = solve_form(whole, certify=True)
    assert solution.answer.objective == pytest.approx(4)
    assert solution.bound == Fraction(7, 2)
    assert solution.gap == pytest.approx(0.5)


def test_a_search_closes_what_the_relaxation_leaves() -> None:
    whole = form([[2, 1]], [7], [INF], integer=np.array([True, True]))
    solution = solve_form(whole, certify=True, search=True, about={"embed": True})
    assert (solution.bound, solution.gap) == (4, 0)
    assert isinstance(solution.certificate, TreeCertificate)
    assert check_file(solution.certificate).bound == 4
    # a gap that the relaxation keeps needs no search
    near = solve_form(whole, certify=True, search=True, gap=0.125)
    assert near.bound == Fraction(7, 2)
    assert isinstance(near.certificate, LinearCertificate)
    assert solve_form(whole, certify=True, search=True, gap=0.124).bound == 4


def test_ctrl_c_ends_the_search_and_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = form([[2, 1]], [7], [INF], integer=np.array([True, True]))
    assert not solve_form(whole, certify=True, search=True).interrupted
    begun = TreeSearch.run

    def pressed(self: TreeSearch) -> ProofTree:
        signal.raise_signal(signal.SIGINT)
        return begun(self)

    monkeypatch.setattr(TreeSearch, "run", pressed)
    monkeypatch.setattr("farkas.exact.tree.root_cuts", lambda *_: [])
    solution = solve_form(whole, certify=True, search=True)
    assert solution.interrupted
    assert solution.bound == Fraction(7, 2)


def test_certify_of_an_integer_program_proves_its_optimum() -> None:
    program = programs.build("mlbroker.offline").form(load("mlbroker/tiny"))
    relaxed = solve_form(program, certify=True)
    searched = solve_form(program, certify=True, search=True)
    solution = solve("mlbroker/tiny", "mlbroker.offline", certify=True)
    assert relaxed.bound is not None
    assert solution.bound is not None
    assert searched.bound == prove("mlbroker/tiny", "mlbroker.offline").value
    assert relaxed.bound < solution.bound == searched.bound
    assert (relaxed.proved_by, solution.proved_by) == (RELAXATION, SEARCH)
    assert check_file(solution.certificate, "mlbroker/tiny").bound == solution.bound


def test_infeasibility_by_integrality_alone_is_proved_by_a_search() -> None:
    # 2x >= 1 and 2x <= 1
    whole = form([[2], [2]], [1, -INF], [INF, 1], integer=np.array([True]))
    with pytest.raises(NotACertificate, match="claims infeasible; if it is, only because"):
        solve_form(whole, certify=True)
    assert solve_form(whole).answer.claim is Conclusion.INFEASIBLE
    solution = solve_form(whole, certify=True, search=True, about={"embed": True})
    assert (solution.infeasible, solution.bound, solution.proved_by) == (
        0,
        None,
        "branch and bound",
    )
    assert check_file(solution.certificate).infeasible
    assert "proved infeasible" in repr(solution)
    with pytest.raises(NotACertificate, match=r"did not prove in 0 seconds; allow more"):
        solve_form(whole, certify=True, search=True, time_limit=0.0)


def test_a_wrong_claim_of_infeasibility_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = form([[2]], [2], [2], integer=np.array([True]))
    wrong = Answer(solver="s", reason=Reason.FINISHED, claim=Conclusion.INFEASIBLE)
    unseen = Explanation(whole, Finding.INTEGRALITY, np.zeros(1), "")
    monkeypatch.setattr("farkas.api.solve.ask", lambda *_, **__: wrong)
    monkeypatch.setattr("farkas.api.solve.explain", lambda *_, **__: unseen)
    with pytest.raises(
        NotACertificate, match="which is wrong: as doubles it has a point of value 1"
    ):
        solve_form(whole, certify=True, search=True)


def test_an_unbounded_program_has_no_bound_to_prove() -> None:
    loose = form([[1, -1]], [0], [INF], upper=np.full(2, INF), sense="max")
    assert solve_form(loose).answer.claim is Conclusion.UNBOUNDED
    with pytest.raises(NotACertificate, match="unbounded"):
        solve_form(loose, certify=True)


def test_a_limit_without_multipliers_leaves_what_no_multipliers_prove() -> None:
    program = programs.build("mlbroker.relaxed").form(load("mlbroker/demo"))
    solution = solve_form(program, certify=True, time_limit=0.0)
    assert solution.bound == 0
    loose = form([[1, 1]], [1], [INF], cost=np.array([1.0, -1.0]), upper=np.full(2, INF))
    with pytest.raises(NoAnswer, match="nothing to prove a bound with"):
        solve_form(loose, certify=True, time_limit=0.0)


@pytest.mark.parametrize("relax", [False, True])
def test_a_certificate_is_checked_against_the_rebuilt_program(relax: bool) -> None:
    instance = load("mlbroker/tiny")
    program = programs.build("mlbroker.offline[strict]")
    about = origin(program, instance) | {"embed": False}
    solution = solve_form(program.form(instance), relax=relax, certify=True, about=about)
    assert solution.certificate is not None
    proof = check(solution.certificate, rebuild(solution.certificate, instance), instance=instance)
    assert proof.bound == solution.bound


def test_what_no_doubles_prove_is_proved_by_fractions() -> None:
    # min 0.3 x, 0.1 x >= 1, x free: no double y has 0.1 y = 0.3 in the doubles' exact values
    odd = form(
        [[0.1]], [1], [INF], cost=np.array([0.3]), lower=np.array([-INF]), upper=np.array([INF])
    )
    solution = solve_form(odd, certify=True)
    assert solution.bound == Fraction(0.3) / Fraction(0.1)


@pytest.mark.parametrize("name", ["relax", "certify", "embed"])
@pytest.mark.parametrize("value", ["no", 1, None])
def test_switches_are_truth_values_only(name: str, value: Any) -> None:
    with pytest.raises(InvalidOption, match=f"^{name} cannot be .*: give bool"):
        solve("mlbroker/tiny", "mlbroker.relaxed", **{name: value})


@pytest.mark.parametrize("variant", [3, "tight", {"relax": 3}, {3: "tight"}])
def test_a_variant_is_text_by_name(variant: Any) -> None:
    with pytest.raises(InvalidOption, match="cannot be"):
        solve("mlbroker/tiny", "mlbroker.relaxed", variant=variant)


def test_an_optimum_of_a_program_that_has_no_point_as_doubles_is_told() -> None:
    # two equations that a solver forgives, and no double y has 0.1 y = 0.3
    odd = form(
        [[0.1], [0.1]], [1.0, 1.0000000000000002], [1.0, 1.0000000000000002],
        cost=np.array([0.3]), lower=np.array([-INF]), upper=np.array([INF]),
    )  # fmt: skip
    assert solve_form(odd).answer.claim is Conclusion.OPTIMAL
    with pytest.raises(NotACertificate, match="claims optimal, but as doubles it is proved infeas"):
        solve_form(odd, certify=True)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"gap": -0.1}, "gap = -0.1; give a share"),
        ({"gap": 1}, "gap = 1; give a share"),
        ({"gap": "x"}, "gap"),
        ({"time_limit": 0}, "time_limit = 0; give seconds above 0"),
        ({"time_limit": float("nan")}, "time_limit"),
        ({"problem": 3}, "problem"),
        ({"problem": "coded.chanse"}, "did you mean .*coded.chance"),
        ({"progress": 3}, "progress"),
        ({"workers": 0}, "workers = 0; give at least 1"),
        ({"workers": 1.5}, "workers"),
        ({"scheduler": 3}, "scheduler"),
    ],
)
def test_impossible_options_are_refused_in_one_line(options, words):
    with pytest.raises(InvalidOption, match=words) as refused:
        farkas.optimum("coded/demo", **options)
    assert "\n" not in str(refused.value)


def test_problems_have_ladders_of_their_own():
    assert search_of("coded").name == "coded.optimum"
    assert search_of("coded", "coded.chance").name == "coded.chance_optimum"


def test_a_file_and_its_instance_give_the_same(tmp_path):
    market = farkas.load("dps/demo")
    path = tmp_path / "market.json"
    farkas.save(market, path)
    # ended by a gap, since a clock would end the trees of the two at different nodes
    assert farkas.optimum(path, gap=0.1).run == farkas.optimum(market, gap=0.1).run


TINY = library.load("mlbroker/tiny")


def certificate(name: str, *, relax: bool = False):
    """Certificate of the program itself, or of its relaxation, by multipliers of no row."""
    program = programs.build(name)
    form = program.form(TINY)
    if relax:
        form = without_integrality(form)
    return certify(form, np.zeros(form.num_rows), embed=False, **origin(program, TINY))


def test_a_form_says_where_it_comes_from() -> None:
    program = programs.build("mlbroker.relaxed[tight]")
    assert origin(program, TINY) == {
        "kind": "mlbroker", "options": dict(program.variant), "instance": TINY.sha256,
    }  # fmt: skip


def test_a_form_is_rebuilt_with_the_integrality_that_was_proved_about() -> None:
    whole = programs.build("mlbroker.offline").form(TINY)
    assert whole.is_mip
    found = rebuild(certificate("mlbroker.offline"), TINY)
    assert found is not None
    assert found.sha256 == whole.sha256
    relaxed = rebuild(certificate("mlbroker.offline", relax=True), TINY)
    assert relaxed is not None
    assert not relaxed.is_mip


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"kind": "dps"}, "says kind 'dps'"),
        ({"options": {"relax": "tight"}}, "says relax 'tight'"),
        ({"options": {"relax": None}}, "says relax None"),
        ({"options": {"nonsense": 7}}, "the unknown option 'nonsense'"),
    ],
)
def test_a_certificate_that_contradicts_its_name_is_refused(
    change: dict[str, object], words: str
) -> None:
    said = certificate("mlbroker.relaxed[printed]")
    told = msgspec.structs.replace(said, **change)
    with pytest.raises(NotACertificate, match=words):
        rebuild(told, TINY)


def test_the_first_unknown_option_by_name_is_told() -> None:
    said = certificate("mlbroker.relaxed[printed]")
    unknown = {f"option {letter}": 1 for letter in "qwertyuiopasdfghjklzxcvbnm"}
    with pytest.raises(NotACertificate, match="the unknown option 'option a'"):
        rebuild(msgspec.structs.replace(said, options=said.options | unknown), TINY)


@pytest.mark.parametrize("name", ["mlbroker.relaxed[tight,strict]", "mlbroker.offline[two,split]"])
def test_options_that_spell_the_name_are_taken_as_they_stand(name: str) -> None:
    said = certificate(programs.build(name).full_name)
    wanted = programs.build(name).form(TINY).sha256
    found = rebuild(said, TINY)
    assert found is not None
    assert found.sha256 == wanted
    without = rebuild(msgspec.structs.replace(said, options={}), TINY)
    assert without is not None
    assert without.sha256 == wanted  # the brackets say the same


def test_brackets_count_where_options_say_something_else_or_in_another_order() -> None:
    said = certificate("mlbroker.relaxed[tight,printed]")
    turned = dict(reversed(said.options.items()))
    found = rebuild(msgspec.structs.replace(said, options=turned), TINY)
    assert found is not None
    assert found.sha256 == said.form
    other = said.options | {"relax": "printed"}
    with pytest.raises(NotACertificate, match="says relax 'printed'"):
        rebuild(msgspec.structs.replace(said, options=other), TINY)


def test_values_that_no_option_has_are_refused_though_they_spell_the_name() -> None:
    said = certificate("mlbroker.relaxed[tight,printed]")
    wrong = {
        "program": "mlbroker.relaxed[tigt,printed]",
        "options": said.options | {"relax": "tigt"},
    }
    with pytest.raises(InvalidOption, match="relax cannot be 'tigt'; did you mean tight"):
        rebuild(msgspec.structs.replace(said, **wrong), TINY)
