"""Certificates that hold their program: drawn, changed, and held against every feasible point.

Programs have one to three columns, so that all their vertices are found in fractions.  A bound
beyond the value of any of them is false, whatever its multipliers are; a feasible point refutes
infeasibility.  Both checkers must say the same of every file.
"""

from __future__ import annotations

import itertools
import json
import math
import random
from fractions import Fraction

import numpy as np

from farkas.certificates import check, from_json
from farkas.certificates.encoding import ExactVector
from farkas.certificates.form_encoding import unpacked
from farkas.certificates.points import exact_value
from farkas.certificates.repair import exact_vector, packed_form
from farkas.errors import FarkasError
from farkas.forms import LinearForm
from farkas.forms.matrices import rows_of_dense
from farkas.standalone.checker import Rejection, check_certificate, parsed
from tests.fuzz.attack import (
    HoleError,
    Outcome,
    beyond,
    change,
    doubled_key,
    number,
    packed,
    verdict,
)
from tests.references.weak_duality import reference_bound

Vector = tuple[Fraction, ...]


def linear(rng: random.Random) -> Outcome:
    """Draw a program and a certificate, change it or not, and compare."""
    form = draw(rng)
    tree = certificate(rng, form)
    honest = json.dumps(tree)
    claims_too_much = rng.random() < 0.3 and exceed(rng, form, tree)
    changes = rng.choice([0, 0, 1, 1, 2])
    if not claims_too_much:
        for _ in range(changes):
            change(rng, tree)
    content = json.dumps(tree).encode()
    if rng.random() < 0.03:
        content = doubled_key(rng, json.loads(honest))
    found = agree(content)
    if found is None:
        return "refused"
    if claims_too_much:
        raise HoleError(f"more is accepted than is derived: {content!r}")
    refute(found, content)
    return "accepted"


def draw(rng: random.Random) -> LinearForm:
    """A program with a box, where every side may be missing and every number extreme."""
    m, n = rng.randint(0, 3), rng.randint(1, 3)
    calm = rng.random() < 0.5

    def one() -> float:
        return float(rng.randint(-4, 4)) if calm else number(rng)

    def sides(size: int, missing: float) -> tuple[list[float], list[float]]:
        low, high = [], []
        for _ in range(size):
            a, b = sorted([one(), one()])
            low.append(-math.inf if rng.random() < missing else a)
            high.append(math.inf if rng.random() < missing else a if rng.random() < 0.1 else b)
        return low, high

    matrix = np.array([[one() if rng.random() < 0.8 else 0.0 for _ in range(n)] for _ in range(m)])
    row_lower, row_upper = sides(m, 0.4)
    lower, upper = sides(n, 0.1)
    implied = sides(n, 0.5) if rng.random() < 0.3 else (None, None)
    return LinearForm(
        name="drawn",
        cost=np.array([one() for _ in range(n)]),
        matrix=rows_of_dense(matrix.reshape(m, n)),
        row_lower=np.array(row_lower),
        row_upper=np.array(row_upper),
        lower=np.array(lower),
        upper=np.array(upper),
        integer=np.array([rng.random() < 0.2 for _ in range(n)]),
        sense=rng.choice(["min", "max"]),
        offset=one(),
        implied_lower=None if implied[0] is None else np.array(implied[0]),
        implied_upper=None if implied[1] is None else np.array(implied[1]),
    )


def certificate(rng: random.Random, form: LinearForm) -> dict:
    """A certificate that claims exactly what is derived, or something if nothing is."""
    y = np.array([number(rng) if rng.random() < 0.8 else 0.0 for _ in range(form.num_rows)])
    vector = exact_vector(y)
    tree = {
        "certificate": "linear",
        "program": form.name,
        "form": form.sha256,
        "sense": form.sense,
        "data": _plain(packed_form(form)),
    }
    if rng.random() < 0.25:
        violation = derived(form, y, feasibility=True)
        tree.update(certificate="infeasible", violation=str(violation or 1), ray=_plain(vector))
        return tree
    bound = derived(form, y)
    tree.update(bound=str(0 if bound is None else bound), multipliers=_plain(vector))
    if rng.random() < 0.4:
        tree["point"] = point(rng, form)
    return tree


def _plain(part: object) -> dict:
    return {name: _listed(getattr(part, name)) for name in part.__struct_fields__}  # type: ignore


def _listed(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def derived(form: LinearForm, y: np.ndarray, feasibility: bool = False) -> Fraction | None:
    """What fractions derive, which is all that the kernel may."""
    if feasibility:
        form = form.replace(cost=np.zeros(form.num_columns), offset=0.0, sense="min")
    try:
        return reference_bound(form, y)
    except FarkasError:
        return None


def point(rng: random.Random, form: LinearForm) -> dict:
    """A point at the edge of the box or inside, perhaps off by about the tolerance."""
    tolerance = rng.choice([0.0, 1e-6, 1e-9])
    values = []
    for low, high in zip(form.lower.tolist(), form.upper.tolist(), strict=True):
        ends = [end for end in (low, high) if math.isfinite(end)] or [0.0]
        value = rng.choice([*ends, 0.0])
        shift = rng.choice([0.0, tolerance, -tolerance]) * max(abs(value), 1.0)
        nudged = value + shift if math.isfinite(value + shift) else value
        if rng.random() < 0.3:
            nudged = math.nextafter(nudged, rng.choice([-math.inf, math.inf]))
        values.append(nudged if math.isfinite(nudged) else value)
    reached = exact_value(form, np.array(values))
    return {"objective": str(reached), "tolerance": tolerance, "values": packed(values)}


def exceed(rng: random.Random, form: LinearForm, tree: dict) -> bool:
    """Claim a little more than is derived; tell whether the claim was changed."""
    empty = tree["certificate"] == "infeasible"
    stored = {
        name: _frozen(value) for name, value in tree["ray" if empty else "multipliers"].items()
    }
    y = ExactVector(**stored).floats("multipliers", form.num_rows)
    bound = derived(form, y, feasibility=empty)
    if bound is None:
        return False
    if empty:
        tree["violation"] = str(beyond(rng, max(bound, Fraction(0)), "min"))
    else:
        tree["bound"] = str(beyond(rng, bound, form.sense))
    return True


def _frozen(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


def agree(content: bytes) -> dict | None:
    """What both checkers prove; None where both refuse."""
    theirs = verdict(lambda: check(from_json(content)), content)
    try:
        mine = verdict(lambda: check_certificate(parsed(content)), content)
    except HoleError as hole:
        if not isinstance(hole.__cause__, Rejection):
            raise
        mine = None
    if (mine is None) != (theirs is None):
        raise HoleError(f"only one checker accepts: {mine or theirs}\n{content!r}")
    if mine is None or theirs is None:
        return None
    bound = (
        mine["lower" if theirs.sense == "min" else "upper"] if theirs.bound is not None else None
    )
    said = (bound, mine["infeasible"], mine["implied"], mine.get("value"))
    if said != (theirs.bound, theirs.infeasible, theirs.implied, theirs.value):
        raise HoleError(f"{said} against {theirs}\n{content!r}")
    return {**mine, "sense": theirs.sense}


def refute(found: dict, content: bytes) -> None:
    """Look for a feasible point beyond what was accepted."""
    form = unpacked(from_json(content).data, "x", found["sense"])  # type: ignore[attr-defined]
    for x in vertices(form):
        if found["infeasible"]:
            raise HoleError(f"{x} is a point of what is accepted as infeasible\n{content!r}")
        value = sum((Fraction(c) * v for c, v in zip(form.cost.tolist(), x, strict=True)),
                    Fraction(form.offset))  # fmt: skip
        wrong = found.get("lower") is not None and value < found["lower"]
        if wrong or (found.get("upper") is not None and value > found["upper"]):
            raise HoleError(f"{x} reaches {value}\n{content!r}")


def vertices(form: LinearForm) -> list[Vector]:
    """Feasible points, within the implied bounds too, where as many sides meet as columns."""
    n = form.num_columns
    box = list(zip(form.safe_lower.tolist(), form.safe_upper.tolist(), strict=True))
    lines: list[tuple[Vector, float, float]] = []
    for j, (low, high) in enumerate(box):
        lines.append((tuple(Fraction(int(j == k)) for k in range(n)), low, high))
    for i in range(form.num_rows):
        row = [Fraction(0)] * n
        for j, value in zip(*(part.tolist() for part in form.matrix.row(i)), strict=True):
            row[j] = Fraction(value)
        lines.append((tuple(row), float(form.row_lower[i]), float(form.row_upper[i])))
    sides = [
        (row, Fraction(side))
        for row, low, high in lines
        for side in {low, high}
        if math.isfinite(side)
    ]
    found = []
    for chosen in itertools.combinations(sides, n):
        x = solved([[*row, side] for row, side in chosen])
        if x is not None and all(_inside(row, x, low, high) for row, low, high in lines):
            found.append(x)
    return found


def _inside(row: Vector, x: Vector, low: float, high: float) -> bool:
    value = sum((a * b for a, b in zip(row, x, strict=True)), Fraction(0))
    # a fraction and an infinity are compared exactly, a fraction and a double are too
    return low <= value <= high


def solved(rows: list[list[Fraction]]) -> Vector | None:
    """Solution of a square system, None where it has none or many."""
    n = len(rows)
    for j in range(n):
        pivot = next((i for i in range(j, n) if rows[i][j]), None)
        if pivot is None:
            return None
        rows[j], rows[pivot] = rows[pivot], rows[j]
        rows[j] = [value / rows[j][j] for value in rows[j]]
        for i in range(n):
            if i != j and rows[i][j]:
                factor = rows[i][j]
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[j], strict=True)]
    return tuple(row[n] for row in rows)
