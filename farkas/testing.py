"""What every kind must keep, also one of another distribution.

A test of a package that brings a kind::

    from farkas.testing import check_kind

    def test_the_kind():
        check_kind("ration")

Or one test for each check: ``@pytest.mark.parametrize("check", checks("ration"), ids=str)``.
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import functools
import itertools
import math
import operator
import tempfile
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from farkas.algebra import Program, programs
from farkas.api.check import check
from farkas.api.optimum import optimum
from farkas.certificates.files import from_json
from farkas.certificates.priced_tree import PricedTree, Split, Tree
from farkas.errors import FarkasError, InvalidInstance, NotACertificate, NotApplicable
from farkas.forms.feasibility import find_block, short_name
from farkas.instances import Instance, library, read, read_bytes, to_bytes, write
from farkas.instances.files import kind_class
from farkas.instances.generate import generate, presets, settings_of
from farkas.offline import searches
from farkas.online import Bound, algorithms, environments, read_run, write_run
from farkas.online.driver import plain
from farkas.online.loop import decide, drive
from farkas.online.policy import Policy, as_policy
from farkas.online.run import Run
from farkas.replay import replays
from farkas.tolerances import ROUNDING

SEED = 7
#: Entries of a form above which it is not compared with Pyomo, which builds so many in a blink.
MOST_ENTRIES = 6_000
#: Seconds for the offline optimum of the smallest instance.
SECONDS = 5.0


class Check(functools.partial[None]):
    """Something that a kind must keep; a call raises where it does not."""

    name = ""  #: Of what, and what is checked.

    def __str__(self) -> str:
        return self.name


def check_kind(kind: str) -> int:
    """Perform all checks of a kind and return their number.

    Raises AssertionError: some fail; a line each says what is missing, and where it belongs.
    """
    found, faults = list(checks(kind)), []
    for one in found:
        try:
            one()
        except Exception as error:  # the kind's code may raise anything
            what = "" if isinstance(error, AssertionError) else f"{type(error).__name__}: "
            faults.append(f"- {one.name}: {what}{error}")
    if faults:
        head = f"kind {kind}: {len(faults)} of {len(found)} checks fail"
        raise AssertionError("\n".join([head, *faults]))
    return len(found)


def checks(kind: str) -> Iterator[Check]:
    """List the checks of a kind: of instances, generator, programs, algorithms and search."""
    kind_class(kind)
    for name in library.names(kind):
        yield _check("file and hash", name, _survives_a_file, library.load(name))
    yield _check("wrong fields are refused", kind, _is_strict, kind)
    for preset in _presets(kind):
        yield _check("drawn twice alike", f"preset {preset}", _draws_again, kind, preset)
        yield _check("settings at their ends", f"preset {preset}", _draws_or_refuses, kind, preset)
    for name in programs.names(f"{kind}."):
        cls = programs[name]
        if issubclass(cls, Program):
            for program in variants(cls):
                yield _check("rules read alike by Pyomo", program.full_name, _read_alike, program)
    for name in algorithms.names(f"{kind}."):
        yield _check("replayed and bounded", name, _is_proved, name)
        yield _check("one seed gives one run", name, _repeats, name)
        yield _check("judged alike by environment and replay", name, _is_judged, name)
        yield _check("forged runs are refused", name, _refuses_forgeries, name)
    if algorithms.names(f"{kind}."):
        yield _check("other prices and cases bound runs", kind, _prices_bound, kind)
    for name in searches.names(f"{kind}."):
        yield _check("search for the optimum", name, _finds_an_optimum, name)


def _check(what: str, of: str, call: Callable[..., None], *arguments: Any) -> Check:
    found = Check(call, *arguments)
    found.name = f"{of}: {what}"
    return found


def variants(cls: type[Program]) -> list[Program]:
    """Every variant of a program that its constructor accepts, default first."""
    options, found = cls.options(), []
    for values in itertools.product(*options.values()):
        try:
            found.append(cls(**dict(zip(options, values, strict=True))))
        except FarkasError:
            continue  # a combination that the program refuses by name
    return found


@functools.cache
def instances(kind: str) -> list[Instance]:
    """List the shipped instances of a kind, ``tiny`` and ``demo`` first; else some are drawn."""
    first = [f"{kind}/tiny", f"{kind}/demo"]
    names = sorted(library.names(kind), key=lambda name: (name not in first, name != first[0]))
    found = [library.load(name) for name in names]
    found = found or [generate(kind, preset, SEED) for preset in sorted(_presets(kind))[::-1]]
    assert found, (
        f"there is no instance: put library/tiny.json into the package of {kind}, or add a module"
        " generate with Published, PRESETS and draw"
    )
    return found


def _presets(kind: str) -> list[str]:
    try:
        return [name for name in presets(kind) if name != "large"]
    except FarkasError:  # a kind without a generator
        return []


def _survives_a_file(instance: Instance) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "copy.json"
        write(instance, path)
        copy = read(path)
        assert to_bytes(copy) == path.read_bytes(), "a copy is written in other bytes"
    assert copy == instance, "a file does not give the same instance back"
    assert (copy.sha256, hash(copy)) == (instance.sha256, hash(instance)), "a copy has another hash"


def _is_strict(kind: str) -> None:
    instance = instances(kind)[0]
    fields = msgspec.json.decode(to_bytes(instance))
    for name in Instance.bookkeeping:
        fields.pop(name, None)
    for keys, value in _places(fields):
        path = "$" + "".join(f"[{key}]" if type(key) is int else f".{key}" for key in keys)
        if isinstance(value, dict):
            wrong = [_changed(fields, (*keys, "no_such_field"), [[]])]
            other = []
        else:
            wrong = [_changed(fields, keys, one) for one in (str(value), [value], True)]
            other = [
                _changed(fields, keys, one) for one in (value + 1, 2 * value or 2, value / 2 or 3)
            ]
        assert not any(map(_hash, wrong)), f"{path} takes text for a number, or an unknown field"
        assert instance.sha256 not in map(_hash, other), f"{path} changes and the hash does not"


def _places(tree: Any, keys: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Paths of objects and numbers; of a list those in its first entry."""
    if isinstance(tree, dict) or type(tree) in (int, float):
        yield keys, tree
    if not isinstance(tree, dict | list):
        return
    parts = tree.items() if isinstance(tree, dict) else enumerate(tree[:1])
    for key, value in parts:
        yield from _places(value, (*keys, key))


def _changed(tree: Any, keys: tuple[Any, ...], value: Any) -> Any:
    tree = copy.deepcopy(tree)
    functools.reduce(operator.getitem, keys[:-1], tree)[keys[-1]] = value
    return tree


def _hash(fields: Any) -> str | None:
    """Hash of an instance that is read, None where it is refused; other errors are raised."""
    try:
        return read_bytes(msgspec.json.encode({"farkas": 1, **fields})).sha256
    except InvalidInstance:
        return None


def _draws_again(kind: str, preset: str) -> None:
    first = generate(kind, preset, SEED)
    assert generate(kind, preset, SEED) == first, "one seed gives two instances: draw with rng only"
    other = generate(kind, preset, SEED + 1).replace(seed=SEED)
    assert other.sha256 != first.sha256, "two seeds give the same data"
    assert first.seed == SEED, "the instance does not say its seed"
    _survives_a_file(first)


def _draws_or_refuses(kind: str, preset: str) -> None:
    settings = settings_of(kind, preset)
    values: tuple[Any, ...] = 0, 1, -1, "x"
    for name in settings.__struct_fields__:
        for value in values:
            try:
                generate(kind, preset, SEED, **{name: value})
            except FarkasError:
                continue
            except Exception as error:
                raise AssertionError(
                    f"{name}={value!r} ends as {type(error).__name__}: {error}; give the setting a"
                    " type such as Count, or raise InvalidOption"
                ) from error


def _read_alike(program: Program) -> None:
    for family in program.families():
        assert family.label, f"{family.name} has no equation label"
        assert family.doc.endswith("."), f"{family.name} has no sentence"
    compared = 0
    for instance in instances(program.kind):
        try:
            form = program.form(instance)
        except NotApplicable:
            continue
        if form.num_entries <= MOST_ENTRIES:
            found = differences(program, instance)
            assert not found, f"on {instance.name}: {'; '.join(found[:3])}"
            compared += form.num_entries > 0
    assert compared, f"no instance of kind {program.kind} that ships is small enough, and not empty"


def differences(program: Program, instance: Instance) -> list[str]:
    """Say where the traced form and Pyomo's own execution of the rules differ at one point."""
    import pyomo.environ as pyo

    form, model = program.form(instance), program.to_pyomo(instance)
    names = [short_name(find_block(form.columns, j), j) for j in range(form.num_columns)]
    rows = {short_name(find_block(form.rows, i), i): i for i in range(form.num_rows)}
    theirs = {one.name: one for one in model.component_data_objects(pyo.Var)}
    if theirs.keys() != set(names):
        return [f"columns of one reading only: {sorted(theirs.keys() ^ set(names))[:5]}"]
    point = np.random.default_rng(SEED).uniform(1.0, 2.0, form.num_columns)
    found = []
    for j, (name, x) in enumerate(zip(names, point.tolist(), strict=True)):
        one = theirs[name]
        ends = (-math.inf if one.lb is None else one.lb, math.inf if one.ub is None else one.ub)
        whole = one.is_integer() or one.is_binary()
        if (*ends, whole) != (form.lower[j], form.upper[j], form.integer[j]):
            found.append(f"bounds or type of {name}")
        one.set_value(x, skip_validation=True)
    (goal,) = model.component_data_objects(pyo.Objective, active=True)
    ours = form.offset + math.fsum(form.cost * point)
    if not _near(ours, pyo.value(goal), ours) or (goal.sense == pyo.minimize) != (
        form.sense == "min"
    ):
        found.append(f"the objective: traced {ours:.12g}, by Pyomo {pyo.value(goal):.12g}")
    for row in model.component_data_objects(pyo.Constraint, active=True):
        i, body = rows.pop(row.name, None), pyo.value(row.body)
        slack = sorted(body - x for x in (row.lb, row.ub) if x is not None)
        if i is None:
            if row.body.is_potentially_variable():
                found.append(f"row {row.name} is not traced")
            continue
        columns, factors = form.matrix.row(i)
        terms = np.asarray(factors, float) * point[columns]
        traced = [math.fsum([*terms, -x]) for x in (form.row_lower[i], form.row_upper[i])
                  if math.isfinite(x)]  # fmt: skip
        # Pyomo may keep a >= b as b - a <= 0
        size = math.fsum(abs(terms)) + abs(body)
        same = any(_alike(slack, sorted(s * x for x in traced), size) for s in (1.0, -1.0))
        if not same:
            found.append(f"row {row.name}: traced {traced}, by Pyomo {slack}")
    left = [name for name, i in rows.items() if len(form.matrix.row(i)[0])]
    return found + [f"row {name} is missing in Pyomo's model" for name in left]


def _near(one: float, other: float, size: float) -> bool:
    return abs(one - other) <= ROUNDING * abs(size)


def _alike(ones: list[float], others: list[float], size: float) -> bool:
    return len(ones) == len(others) and all(
        _near(x, y, size + abs(x)) for x, y in zip(ones, others, strict=True)
    )


@functools.cache
def runs(name: str) -> list[tuple[Instance, Run]]:
    """Run an algorithm on the first two instances that it accepts."""
    kind, found = algorithms[name].kind, []
    assert kind in environments, f"there is no environment: register one, @environment({kind!r})"
    for instance in instances(kind):
        try:
            found.append((instance, algorithms[name].run(instance, SEED)))
        except NotApplicable:
            continue
        if len(found) == 2:
            break
    assert found, f"no instance of kind {kind} that ships exercises it"
    return found


def _is_proved(name: str) -> None:
    for instance, run in runs(name):
        arrivals = len(environments[instance.kind].arrivals(instance))
        assert len(run.decisions) == arrivals, f"{len(run.decisions)} decisions of {arrivals}"
        assert math.isfinite(run.value) or run.violations, "no value, and nothing that is broken"
        assert instance.kind in replays, (
            f"no replay, so that the value is the run's word: @replays.register({instance.kind!r})"
        )
        assert run.certificate is not None, (
            "no bound, so that there is no ratio: the environment's `bound` or the policy's"
            " `certify` returns one, and run_bounds lists its program"
        )
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "run.json"
            write_run(run, path)
            assert read_run(path) == run, "a file does not give the same run back"
            proof = check(path, instance)
        assert proof.replayed is not None, "the replay knows nothing of such runs"  # type: ignore[union-attr]
        assert proof.ratio == run.ratio, f"ratio {run.ratio}, proved again {proof.ratio}"  # type: ignore[union-attr]


def _is_judged(name: str) -> None:
    """Let environment and replay judge decisions in another order, and one decision for all."""
    for instance, _ in runs(name):
        policy, options = as_policy(algorithms[name].policy()), plain(algorithms[name].settle({}))
        made = list(decide(policy, environments[instance.kind], instance, SEED).decisions)
        for others in (made[::-1], *([one] * len(made) for one in made[:3])):
            try:
                drive(_Decider(policy, others), instance, name=name, options=options)
            except NotACertificate as error:
                raise AssertionError(f"environment and replay disagree: {error}") from error
            except FarkasError:
                continue  # no decisions of the kind


@dataclasses.dataclass
class _Decider(Policy):
    """A policy that has decided, whose decisions are worth what another says."""

    policy: Policy
    decisions: list[Any]
    foreign = True  # what is raised of its decisions is an error with a type

    def decide(self, instance: Any, seed: int) -> list[Any]:
        return self.decisions

    def evaluate(self, instance: Any, decisions: Any) -> Any:
        return self.policy.evaluate(instance, decisions)


def _repeats(name: str) -> None:
    for instance, run in runs(name):
        assert algorithms[name].run(instance, SEED) == run, f"two runs differ on {instance.name}"


def _refuses_forgeries(name: str) -> None:
    for instance, run in runs(name):
        assert run.certificate is not None, "there is no bound"
        sign = 1 if run.sense == "min" else -1
        bound = run.certificate.fraction
        better = str(bound + sign * (abs(bound) / 1000 + 1))
        forged = msgspec.structs.replace(run.certificate, exact=better)
        _refuse(run, instance, "a better bound", certificate=forged)
        if not run.violations:
            value = run.value - sign * (abs(run.value) / 1000 + 1)
            _refuse(run, instance, "a better value", value=value, value_exact=None, ratio=None)
        count = len(run.decisions)
        lists: list[list[Any]] = [["?"] * count, [{"?": []}] * count, [1e300] * count]
        for wrong in [[*run.decisions, None], *(lists if count else [])]:
            _refuse(run, instance, f"decisions {wrong[:1]}", decisions=wrong)


def _refuse(run: Run, instance: Instance, what: str, **changes: Any) -> None:
    """Raise AssertionError unless a check refuses a run with changes."""
    try:
        check(msgspec.structs.replace(run, **changes), instance)
    except NotACertificate:
        return
    raise AssertionError(f"{what} is accepted on {instance.name}: the replay has to refuse it")


def _prices_bound(kind: str) -> None:
    """Bound runs by other prices than the environment's, and by cases, where it has prices."""
    for instance in instances(kind)[:2]:
        bound = environments[kind].bound(instance)
        if bound is None or bound.certificate is None:
            continue
        found = from_json(msgspec.json.encode(bound.certificate), "certificate")
        if not isinstance(found, PricedTree):
            continue
        program = found.stated(instance)
        rng, prices = np.random.default_rng(SEED), found.read_prices(program)[0]
        tree, same = _split(program)
        noise = rng.uniform(0, 2, len(prices))
        for row in (prices, 0 * prices, prices * noise, (prices.max(initial=0.0) or 1.0) * noise):
            made = []
            with contextlib.suppress(NotACertificate):  # of a limit that has no price
                made.append(PricedTree.of(program, row))
                made.append(PricedTree.of(program, row, tree=tree, same=same))
            for one in made:
                _bounds_runs(kind, instance, one)


def _split(program: Any) -> tuple[Tree, list[int]]:
    """Split three owners by their greatest values; all leaves have the same prices."""
    owners = [owner for owner in range(program.owners) if program.most(owner) > 0][:3]
    for owner in owners:
        below = program.below(owner, program.most(owner))
        assert 0 <= below < program.most(owner), f"below({owner}, most) is {below}"
    tree: list[Split | None] = [None]
    for owner in owners:
        tree = [Split(owner, program.most(owner)), *tree, *tree]
    return tree, [0] * (2 ** len(owners))


def _bounds_runs(kind: str, instance: Instance, found: PricedTree) -> None:
    bound = Bound.of(Fraction(found.bound), "other prices", msgspec.to_builtins(found))
    sign = 1 if environments[kind].sense == "min" else -1
    for name in algorithms.names(f"{kind}."):
        for of, run in runs(name):
            if of is not instance or run.value_exact is None:
                continue
            if bound.holds_for(kind, run.options, name, run.decisions):
                room = Fraction(ROUNDING) * abs(bound.fraction)
                assert sign * (Fraction(run.value_exact) - bound.fraction) >= -room, (
                    f"on {instance.name} prices prove {float(bound.fraction):.9g}, {name} is worth"
                    f" {run.value:.9g}: rent and replies of the priced program are too small"
                )


def _finds_an_optimum(name: str) -> None:
    search = searches[name]
    instance = instances(search.kind)[0]
    found = optimum(instance, problem=search.problem or None, time_limit=SECONDS)
    proof = check(found.run, instance)
    assert proof.value == found.value, "the value is not proved again"  # type: ignore[union-attr]
