"""What is checked with its instance: runs, linear certificates, and what is written to stand alone.

Numbers of a file change, those of the instance stay: a bound beyond the optimum is false whoever
states it, and so is a value beyond it that the replay calls kept.
"""

from __future__ import annotations

import functools
import json
import random
from fractions import Fraction
from typing import Any
from unittest import mock

import farkas
from farkas.algebra import Program, programs
from farkas.api.check import check as check_run
from farkas.api.check_run import RunProof
from farkas.api.programs import origin, rebuild
from farkas.certificates import Proof, certify, check, from_json
from farkas.certificates.form_encoding import unpacked
from farkas.certificates.repair import exact_vector
from farkas.duals.multipliers import as_linear, restatements
from farkas.forms import LinearForm
from farkas.instances import Instance
from farkas.online import driver
from farkas.online import run as runs
from farkas.relaxations.integrality import relax
from farkas.solvers import solve
from tests.fuzz import kinds, linear, truth
from tests.fuzz.attack import HoleError, Outcome, beyond, change, number, verdict

RUNS = [
    ("eris/tiny", "eris.eris"),
    ("eris/integrality_gap", "eris.antman"),
    ("mlbroker/tiny", "mlbroker.fractional"),
    ("mlbroker/return_trip", "mlbroker.oasis"),
    ("dps/tiny", "dps.dps"),
    ("dps/unattained", "dps.random"),
    ("gadget/tiny", "gadget.gadget"),
    ("gadget/late_sigmoid", "gadget.fifo"),
    ("coded/tiny", "coded.iterated_greedy"),
    ("coded/forbidden_pairs", "coded.simple_greedy"),
]
"""Instance and algorithm."""

PROGRAMS = [
    ("eris/tiny", "eris.schedule_lp"),
    ("mlbroker/tiny", "mlbroker.offline"),
    ("mlbroker/return_trip", "mlbroker.relaxed[tight,strict]"),
    ("dps/tiny", "dps.offline_lp[free]"),
    ("dps/unattained", "dps.interval_lp[budget]"),
    ("gadget/tiny", "gadget.gvne"),
    ("gadget/late_sigmoid", "gadget.offline_bound"),
    ("coded/tiny", "coded.assignment_lp"),
]
"""Instance and program, whole ones too."""

LINEAR = [
    (tag, k)
    for tag in ("priced_tree", "mlbroker_run")
    for k, target in enumerate(kinds.TARGETS[tag])
    if f"{target.instance.partition('/')[0]}.{tag}" in restatements
]
"""Certificates that linear programs state: tag, and place among its targets."""


@functools.cache
def honest_run(k: int) -> tuple[Instance, bytes]:
    instance = truth.load(RUNS[k][0])
    return instance, driver.to_bytes(farkas.run(instance, RUNS[k][1]))


def run(rng: random.Random) -> Outcome:
    """Change a run: its decisions, value, ratio, bound or certificate."""
    k = rng.randrange(len(RUNS))
    instance, text = honest_run(k)
    tree = json.loads(text)
    for _ in range(rng.choice([0, 1, 1, 2, 3])):
        part = rng.choice(["decisions", "decisions", "certificate", ""])
        change(rng, tree[part] if part and tree.get(part) else tree)
    if rng.random() < 0.3 and isinstance(tree.get("certificate"), dict):
        _claim_more(rng, tree["certificate"], str(tree.get("sense")))
    if rng.random() < 0.1:
        tree["ratio"] = 1.0
    content = json.dumps(tree).encode("utf-8", "replace")
    found = verdict(lambda: check_run(runs.from_json(content, "run"), instance), content)
    if found is None:
        return "refused"
    assert isinstance(found, RunProof)
    kinds.hold(found.proof, RUNS[k][0], content)
    if found.value is not None:
        _hold_value(found, RUNS[k][0], content)
    return "accepted"


def _claim_more(rng: random.Random, bound: dict[str, Any], sense: str) -> None:
    try:
        exact = Fraction(bound["exact"])
    except (KeyError, TypeError, ValueError, ZeroDivisionError):
        return
    bound["exact"] = str(beyond(rng, exact, sense))
    if isinstance(bound.get("certificate"), dict) and rng.random() < 0.7:
        bound["certificate"]["bound"] = bound["exact"]


def _hold_value(found: RunProof, instance: str, content: bytes) -> None:
    """No decisions that keep everything are worth more than the optimum."""
    assert found.value is not None
    best = truth.reached(instance, found.proof.program)
    worth = found.value - best if found.run.sense == "max" else best - found.value
    # coefficients of a program are rounded products of the data, which the replay has exactly
    if worth > Fraction(max(1, abs(best))) / 10**12 and not found.replayed.excess:
        raise HoleError(f"{found.statement} The optimum is {float(best)!r}.\n{content!r}")
    if found.ratio is not None and found.ratio < 1 and not found.replayed.excess:
        raise HoleError(f"better than the bound: {found.ratio}\n{content!r}")


@functools.cache
def honest_program(k: int) -> tuple[Instance, bytes]:
    instance, program = PROGRAMS[k]
    chosen, about = programs.build(program), farkas.load(instance)
    form = chosen.form(about)
    duals = solve(relax(form)).row_duals  # of integer programs the bound of the relaxation
    made = certify(form, duals, embed=False, **origin(chosen, about))
    return about, json.dumps(kinds.plain(made)).encode()


@functools.cache
def form_of(k: int) -> Any:
    """The program as `farkas check --instance` rebuilds it: the same for every changed file."""
    instance, content = honest_program(k)
    return rebuild(from_json(content), instance)


def instance(rng: random.Random) -> Outcome:
    """Change multipliers and claims about a program that is rebuilt."""
    k = rng.randrange(len(PROGRAMS))
    _, content = honest_program(k)
    tree, form = json.loads(content), form_of(k)
    if rng.random() < 0.5:
        tree["data"] = None
    values = [number(rng) if rng.random() < 0.3 else 0.0 for _ in range(form.num_rows)]
    vector = exact_vector(linear.np.array(values))
    if rng.random() < 0.5:
        tree["multipliers"] = linear._plain(vector)
    more = rng.random() < 0.4 and linear.exceed(rng, form, tree)
    if not more:
        bound = linear.derived(form, linear.np.array(values))
        if rng.random() < 0.5 and bound is not None:
            tree["bound"] = str(bound)
        for _ in range(rng.choice([0, 1, 2])):
            change(rng, tree)
    content = json.dumps(tree).encode("utf-8", "replace")
    proof = verdict(lambda: _rechecked(content, k), content)
    if proof is None:
        return "refused"
    if more:
        raise HoleError(f"more is accepted than is derived: {content!r}")
    kinds.hold(proof, PROGRAMS[k][0], content)
    return "accepted"


def _rechecked(content: bytes, k: int) -> Proof:
    """Check as the command does, which rebuilds the program that the file names."""
    certificate, (about, text) = from_json(content), honest_program(k)
    names = [(one.program, one.kind, one.options) for one in (certificate, from_json(text))]
    form = form_of(k) if names[0] == names[1] else rebuild(certificate, about)
    return check(certificate, form, instance=about)


_trace = Program.form
_forms: dict[tuple[str, str], LinearForm] = {}


def kept_form(program: Program, instance: Instance) -> LinearForm:
    """As `Program.form`, traced once for an instance."""
    if not isinstance(instance, Instance):  # the certificate's own data
        return _trace(program, instance)
    key = program.full_name, instance.sha256
    if key not in _forms:
        _forms[key] = _trace(program, instance)
    return _forms[key]


def alone(rng: random.Random) -> Outcome:
    """Write changed numbers of a kind to stand alone; hold what both checkers prove of the file."""
    tag, k = rng.choice(LINEAR)
    about, tree = kinds.changed(rng, tag, k)
    content = json.dumps(tree).encode("utf-8", "replace")
    with mock.patch.object(Program, "form", kept_form):
        made = verdict(lambda: as_linear(from_json(content), about), content)
    if made is None:
        return "refused"
    written = json.dumps(kinds.plain(made)).encode()
    if linear.agree(written) is None:
        raise HoleError(f"what was written is refused: {written!r}")
    proof = check(from_json(written))
    kinds.hold(proof, kinds.TARGETS[tag][k].instance, content)
    if rng.random() < 0.5:
        _exceed_alone(rng, kinds.plain(made))
    return "accepted"


def _exceed_alone(rng: random.Random, tree: dict[str, Any]) -> None:
    """Claim more in a file that stands alone; neither checker may accept it."""
    form = unpacked(from_json(json.dumps(tree).encode()).data, "x", tree["sense"])  # type: ignore[attr-defined]
    if linear.exceed(rng, form, tree):
        content = json.dumps(tree).encode()
        if linear.agree(content) is not None:
            raise HoleError(f"more is accepted than is derived: {content!r}")
