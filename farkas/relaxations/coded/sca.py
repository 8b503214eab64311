"""Program coded.sca: one convex step from a point of P3.

The products k l and k y, y the rows lost to stragglers, are written as differences of convex
functions whose concave part is linearised at the point z = (k̂, l̂, t̂).  Everything is stated in
differences from z: written out as printed, terms of size L² cancel.  Units: l in t₀/φ, t in t₀.
With the scale β of a pair, and Δ for differences::

    −k l  <=  −k̂ l̂ − l̂ Δk − k̂ Δl + ½ (√β Δk)² + ½ (Δl/√β)²
     k y  <=   k̂ ŷ + ŷ Δk + (k̂ + ŷ/β) Δy − (ŷ/β) ∇y·(Δl, Δt) + ½ (√β Δk + Δy/√β)²
    −k r  <=  −k̂ r̂ − r̂ Δk − k̂ Δr + ¼ (√β Δk − Δr/√β)²

The printed split (20)-(24) is the first two with β = φ/t₀ and β = e^c φ/t₀, the pair's own units.
"""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import numpy as np

from farkas.algebra import ConvexModel, ConvexProgram, option
from farkas.errors import NotApplicable
from farkas.instances.coded import CodedComputing
from farkas.models.coded.kernel import Pairs, reference_time
from farkas.numbers import Floats, Ints
from farkas.solvers import Conclusion
from farkas.solvers.convex import solve_problem
from farkas.tolerances import SOLVER_GAP

SMALL_SHARE = 1e-3
WIDEST_SCALE = 1e3
LARGEST_WORK = 600.0  #: c beyond which e^c of the printed split leaves no room in double precision.
#: Share of the rows below which no load falls, so that the next step can divide by it.
LEAST_LOAD = 1e-12
#: Units of the differences, in the order in which they are tried; in the first Clarabel is surest.
UNITS = (8.0, 1e-2, 1.0, 1e-1, 1e-3)
SLACK = 1e-4  #: Start this much later than necessary: strictly feasible, as conic solvers like it.


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class SharedPoint:
    """A point of P3: shares and real loads, shape (masters, workers), and a time; z."""

    share: Floats
    loads: Floats
    time: float

    @classmethod
    def uniform(cls, data: CodedComputing) -> SharedPoint:
        """Equal shares, and the best loads of every pair, a little later than necessary."""
        time = reference_time(data) * (1.0 + SLACK)
        share = np.where(data.allowed, 1.0 / data.num_masters, 0.0)
        return cls(share, Pairs.of(data).loads(time), time)

    @classmethod
    def given(cls, data: CodedComputing) -> SharedPoint:
        """Point named by the instance, or the uniform one."""
        point = data.sca_point
        if point is None:
            return cls.uniform(data)
        return cls(np.array(point.probability), np.array(point.loads), point.time)

    def toward(self, other: SharedPoint, step: float) -> SharedPoint:
        """Convex combination: this point for step 0, the other for step 1."""
        return SharedPoint(
            self.share + step * (other.share - self.share),
            self.loads + step * (other.loads - self.loads),
            self.time + step * (other.time - self.time),
        )


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class At:
    """A point in the units of the program, one entry a pair that may be used."""

    #: master, worker: indices of the pair.
    master: Ints
    worker: Ints
    #: work, patience: c and h.
    work: Floats
    patience: Floats
    size: Floats  #: Rows of a unit load as a share of what the master needs; t₀/(φ L).
    rows: Floats  #: Rows of a unit load; t₀/φ.
    #: share, load: k̂ and l̂, the latter in units of t₀/φ.
    share: Floats
    load: Floats
    time: float  #: t̂ in units of t₀.
    unit: float  #: t₀.

    @classmethod
    def of(cls, data: CodedComputing, point: SharedPoint) -> At:
        """Bring a point into units."""
        pairs = Pairs.of(data)
        unit = reference_time(data)
        at = np.nonzero(data.allowed)
        rows = unit / pairs.time_per_row[at]
        return cls(
            master=at[0],
            worker=at[1],
            work=data.rates[at] * data.shifts[at],
            patience=pairs.patience[at],
            size=rows / data.rows[at[0]],
            rows=rows,
            share=point.share[at],
            load=point.loads[at] / rows,
            time=point.time / unit,
            unit=unit,
        )

    @property
    def lost(self) -> Floats:
        """ŷ = l̂ exp(c − h t̂/l̂)."""
        return np.asarray(self.load * self._ratio)

    @property
    def _ratio(self) -> Floats:
        return np.exp(self.work - self.patience * self.time / self.load)

    def lost_slopes(self) -> tuple[Floats, Floats]:
        """Return the derivatives of the lost rows by load and by time."""
        ratio = self._ratio
        return ratio * (1.0 + self.patience * self.time / self.load), -self.patience * ratio


def coefficients(at: At, split: str) -> dict[str, Any]:
    """Values of the program's parameters at a point.

    ``split``: ``product``, ``scaled`` or ``printed``.

    Returns
    -------
    ``constant`` and the linear coefficients ``by_share``, ``by_load``, ``by_extra``, ``by_time``,
    shape (pairs,); of the squares ``square_share``, ``square_load``, ``square_extra``, shape
    (squares, pairs); and the point itself.  The extra variable is y, or r for ``product``.
    """
    lost = at.lost
    zero = np.zeros_like(lost)
    if split == "product":
        extra = at.load - lost
        scale = np.clip(extra / np.maximum(at.share, SMALL_SHARE), 1 / WIDEST_SCALE, WIDEST_SCALE)
        root = np.sqrt(scale)
        linear = (-at.share * extra, -extra, zero, -at.share, zero)
        squares = [(root, zero, -1.0 / root)]
        weight = 0.25
    else:
        extra = lost
        if split == "printed":
            if at.work.max() > LARGEST_WORK:
                raise NotApplicable("split printed: rate * shift is too large for its own units")
            scale, other = 1.0 / at.rows, np.exp(at.work) / at.rows
        else:
            scale = at.load / np.maximum(at.share, SMALL_SHARE)
            other = scale
        root, second = np.sqrt(scale), np.sqrt(other)
        by_load, by_time = at.lost_slopes()
        linear = (
            at.share * (lost - at.load),
            lost - at.load,
            -at.share - lost / other * by_load,
            at.share + lost / other,
            -lost / other * by_time,
        )
        squares = [(root, zero, zero), (zero, 1.0 / root, zero), (second, zero, 1.0 / second)]
        weight = 0.5
    names = ("constant", "by_share", "by_load", "by_extra", "by_time")
    values: dict[str, Any] = {n: at.size * v for n, v in zip(names, linear, strict=True)}
    outer = np.sqrt(weight * at.size)
    for place, name in enumerate(("square_share", "square_load", "square_extra")):
        values[name] = np.array([outer * square[place] for square in squares])
    values |= {"share_at": at.share, "load_at": at.load, "extra_at": extra, "time_at": at.time}
    return values


class Sca(ConvexProgram):
    """Convex inner approximation of P3 at a point.  Coded (26), (27), P(z).

    ``split`` says how products are split: "printed" in the units of the data, whose gap grows with
    the rows; "scaled" with shares and loads balanced; "product" only k times the rows kept, and
    with half the gap.  All three are tight at the point and feasible for P3 wherever feasible.
    Takes a pair (instance, `SharedPoint`), or an instance with its own point or equal shares.
    Variables are differences from the point in multiples of `unit`; parameters make re-solves
    cheap, see `move`.
    """

    name = "coded.sca"
    kind = "coded"
    sense = "min"
    split: str = option("product", "printed", "scaled")
    unit: float = UNITS[0]  #: Of the differences.

    def declare(self, m: ConvexModel, data: CodedComputing | tuple[CodedComputing, Any]) -> None:
        """Build the program with a second-order and an exponential cone a pair.

        Both are measured by the root of the pair's share of its master's rows: pairs that hardly
        count leave the conic solver unsure otherwise.
        """
        import cvxpy as cp

        instance, point = data if isinstance(data, tuple) else (data, SharedPoint.given(data))
        at = At.of(instance, point)
        values = coefficients(at, self.split)
        p = {name: m.parameter(name, value) for name, value in values.items()}
        pairs = len(at.master)
        share, load, extra = (m.variable(name, (pairs,)) for name in ("share", "load", "extra"))
        time = m.variable("time")
        if self.unit != 1.0:
            share, load, extra, time = (self.unit * x for x in (share, load, extra, time))
        linear = (
            p["constant"]
            + cp.multiply(p["by_share"], share)
            + cp.multiply(p["by_load"], load)
            + cp.multiply(p["by_extra"], extra)
            + p["by_time"] * time
        )
        squares = [
            cp.multiply(p["square_share"][j], share)
            + cp.multiply(p["square_load"][j], load)
            + cp.multiply(p["square_extra"][j], extra)
            for j in range(len(values["square_share"]))
        ]
        gap, root = m.variable("gap", (pairs,)), np.sqrt(at.size)
        # |squares|² <= size · gap of every pair
        sides = cp.vstack([*(cp.multiply(2.0 / root, square) for square in squares), gap - 1])
        m.constrain("27b", "squares_of_a_pair", cp.constraints.SOC(gap + 1, sides, axis=0))
        for i in range(instance.num_masters):
            mine = np.flatnonzero(at.master == i)
            enough = cp.sum(linear[mine]) + at.size[mine] @ gap[mine] + 1 <= 0
            m.constrain("27b", f"master_{i}_expects_its_rows", enough)
        new_load, new_time = p["load_at"] + load, p["time_at"] + time
        new_extra = p["extra_at"] + extra
        lost = new_load - new_extra if self.split == "product" else new_extra
        late = cp.multiply(at.work, new_load) - at.patience * new_time
        cone = [cp.multiply(root, side) for side in (late, new_load, lost)]
        m.constrain("24", "rows_lost_to_stragglers", cp.constraints.ExpCone(*cone))
        m.constrain("3c", "shares_are_probabilities", p["share_at"] + share >= 0)
        sums = np.zeros((instance.workers, pairs))
        sums[at.worker, np.arange(pairs)] = 1.0
        m.constrain("3c", "one_master_per_worker", sums @ (p["share_at"] + share) <= 1)
        m.optimise(p["time_at"] + time)

    def move(self, model: ConvexModel, data: CodedComputing, point: SharedPoint) -> None:
        """Linearise at another point; the compiled problem stays."""
        for name, value in coefficients(At.of(data, point), self.split).items():
            model.parameters[name].value = value


class SurrogateSolution(NamedTuple):
    """What a solver says of P(z)."""

    point: SharedPoint  #: A minimiser.
    value: float  #: Its time in units of t₀, the objective.
    dual: float  #: Value of the solver's dual point, in the same units.


def solve_step(
    data: CodedComputing,
    split: str = "product",
    point: SharedPoint | None = None,
    models: dict[float, ConvexModel] | None = None,
) -> SurrogateSolution:
    """Solve P(z).

    Raises `NoAnswer` when the solver reaches no optimum, in no units.

    Parameters
    ----------
    split
        See `Sca`.
    point
        z; by default the instance's, or the uniform one.
    models
        Models of earlier calls with the same instance and split, by unit: they are moved, and new
        ones added.
    """
    program = Sca(split=split)
    z = SharedPoint.given(data) if point is None else point
    models = {} if models is None else models
    less_sure: list[float] = []
    for unit in UNITS:
        program.unit = unit
        if unit in models:
            program.move(models[unit], data, z)
        else:
            models[unit] = program.model((data, z))
        answer = solve_problem(models[unit].problem)
        if answer.claim is Conclusion.OPTIMAL:
            break
        if answer.claim is Conclusion.FEASIBLE:
            # feasible, and found a second time in other units: good enough for a step
            if any(abs(answer.objective / value - 1.0) <= SOLVER_GAP for value in less_sure):
                break
            less_sure.append(answer.objective)
    else:
        answer.require_optimal()
    found = read_point(data, models[unit], z, unit)
    return SurrogateSolution(found, answer.objective, answer.bound)


def read_point(
    data: CodedComputing, model: ConvexModel, point: SharedPoint, unit: float
) -> SharedPoint:
    """Point of P3 that a solved model of a step from ``point`` stands for."""
    at = At.of(data, point)
    found = {name: unit * value for name, value in model.point().items()}
    share, loads = np.zeros_like(data.rates), Pairs.of(data).loads(point.time)
    share[at.master, at.worker] = np.maximum(at.share + found["share"], 0.0)
    loads[at.master, at.worker] = at.rows * np.maximum(at.load + found["load"], LEAST_LOAD)
    share /= np.maximum(1.0, share.sum(axis=0))
    return SharedPoint(share, loads, at.unit * (at.time + float(found["time"])))
