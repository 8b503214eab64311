"""Certificates of kinds as linear ones: multipliers of job rows, and what has no linear program."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np
import pytest

from farkas.certificates import certificate_types, check, exact_bound
from farkas.certificates.files import from_json
from farkas.duals.multipliers import as_linear, best_replies, restatements
from farkas.errors import UnsupportedForm
from farkas.standalone.checker import check_certificate
from tests.fuzz import kinds
from tests.generators.forms import INF, named, small
from tests.tools.shared import ROOT


def test_a_job_row_takes_the_largest_reduced_cost_and_never_less():
    # two jobs with two columns each; a price of 2 on the capacity that both of the first use
    form = small(
        [[1, 1, 0, 0], [0, 0, 1, 1], [3, 1, 0, 1]],
        cost=[7, 4, 0.1, 0.1], sense="max", row_upper=[1, 1, 5],
    )  # fmt: skip
    form = form.replace(rows=(named("jobs", 0, 2), named("capacity", 2, 1)))
    found = best_replies(form, np.array([9.0, 9.0, 2.0]), "jobs")
    assert found == pytest.approx([2, 0.1, 2])
    # no column of the jobs has a bound, so that anything less would prove nothing
    assert (form.upper == INF).all()
    assert float(exact_bound(form, found)) == pytest.approx(2 + 0.1 + 10)
    # and what earns nothing pays nothing
    assert best_replies(form, np.array([0.0, 0.0, 50.0]), "jobs")[0] == 0.0


@pytest.mark.parametrize("k", [0, 1])
@pytest.mark.parametrize(
    ("tag", "kind", "program"),
    [
        ("priced_tree", "dps", "dps.interval_lp[capped,cliques]"),
        ("priced_tree", "eris", "eris.schedule_lp"),
        ("mlbroker_run", "mlbroker", "mlbroker.relaxed[tight,printed]"),
    ],
)
def test_the_linear_certificate_proves_as_much(tag, kind, program, k):
    first = [target.instance.startswith(kind) for target in kinds.TARGETS[tag]].index(True)
    instance, content = kinds.honest(tag, first + k)
    own = check(from_json(content), instance=instance)
    linear = as_linear(from_json(content), instance)
    proof = check(linear)
    assert (linear.program, linear.instance) == (program, instance.sha256)
    assert float(proof.bound) == pytest.approx(float(own.bound), rel=1e-9)
    found = check_certificate(kinds.plain(linear))
    assert found["lower" if proof.sense == "min" else "upper"] == proof.bound


def test_what_no_linear_program_states_is_said_in_one_line():
    instance, content = kinds.honest("coded_prices", 0)
    with pytest.raises(UnsupportedForm, match="not restated as multipliers") as refusal:
        as_linear(from_json(content), instance)
    assert "\n" not in str(refusal.value)


def test_the_page_on_trust_says_of_every_type_what_is_written():
    page = (ROOT / "docs" / "trust.md").read_text()
    table = page.partition("| certificate | what is written |")[2].partition("\n\n")[0]
    rows = [line.split("|")[1:3] for line in table.splitlines()[2:]]
    said = [(tag, words) for tags, words in rows for tag in re.findall(r"`([\w.]+)`", tags)]
    assert {tag for tag, _ in said} == set(certificate_types.names())
    written = {tag for tag, words in said if not words.startswith(" refused")}
    stated = {name.partition(".")[2] for name in restatements}
    assert written == {"linear", "infeasible", "tree"} | stated


@pytest.mark.parametrize("worth", [1e-9, 1.0, 1e9])
def test_job_rows_pay_what_rounding_misses_and_hardly_more(worth):
    # capacities are without bounds in the other columns: a reduced cost left over proves nothing
    rng = np.random.default_rng(0)
    jobs, each, rents = 40, 5, 6
    used = rng.random((rents, jobs * each))
    form = small(
        np.concatenate([np.kron(np.eye(jobs), np.ones(each)), used]),
        cost=worth * rng.random(jobs * each), sense="max",
        row_upper=[1.0] * jobs + [3.0] * rents,
    )  # fmt: skip
    form = form.replace(rows=(named("jobs", 0, jobs), named("capacity", jobs, rents)))
    prices = worth * rng.random(rents) / rents
    found = best_replies(form, np.concatenate([np.zeros(jobs), prices]), "jobs")
    bound = exact_bound(form, found)
    exact = sum(
        max(
            [Fraction(0)]
            + [
                Fraction(form.cost[j]) - sum(Fraction(u) * Fraction(p) for u, p in zip(
                    used[:, j].tolist(), prices.tolist(), strict=True))
                for j in range(i * each, (i + 1) * each)
            ]
        )
        for i in range(jobs)
    ) + 3 * sum(map(Fraction, prices.tolist()))  # fmt: skip
    assert exact <= bound <= exact * (1 + Fraction(1, 10**10))
