"""Bounds from prices of shared limits, by cases: one file type for all kinds and depths of search.

Owners (jobs, users, masters) choose at most one plan each; plans have values and use rows of
limits.  For any prices >= 0 of the rows,

    rent(prices) + Σ_i most of (value - price of what it uses) over the plans of owner i, or 0

bounds the value of all decisions, by weak duality.  A kind states rent and replies exactly in a
`PricedProgram`; everything else is here.

- *Cases.*  A split says that an owner's plan has at least a value, then that it has less or there
  is none; or that it uses at most so many of a row, then more.  All decisions lie in one of the
  leaves, so that the largest bound of a leaf bounds them.  In a leaf an owner with window
  [low, high] has plans worth at least low only, each counts as worth high at most, and an owner
  with low > 0 is served: its plans count for high more, which is taken off the sum.  Decisions of
  the leaf lose nothing, others do not count there.
- *Charges.*  Plans of an owner of at least a value use at least so much of some rows together.  So
  owners whose plans are that good have to fit into these rows as a choice of a knapsack.  Each pays
  a charge then; the sum of what is paid is at most the best choice of the knapsack, and joins the
  rent.
"""

from __future__ import annotations

import abc
import bisect
import dataclasses
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Literal

import msgspec
import numpy as np

from farkas.certificates.encoding import FilePart, Size, pack, unpack
from farkas.certificates.files import certificate_type
from farkas.certificates.prices import PriceCertificate
from farkas.certificates.sums import LONGEST_SEARCH, MOST_CELLS, affordable, total, whole
from farkas.errors import NotACertificate, NotApplicable
from farkas.numbers import Floats, Ints
from farkas.registry import Registry

MOST_NODES = 1 << 12  #: Splits and leaves of a tree.
MOST_STEPS = 1 << 36  #: Of the replies of all leaves.
CHARGE_BITS = 40  #: A knapsack counts in units of which the largest charge has so many bits.


@dataclasses.dataclass(frozen=True, slots=True)
class Window:
    """What a leaf and charges say of an owner."""

    low: float  #: Least value of its plan; above 0 it is served.
    high: float  #: Greatest value that a plan counts as.
    counts: Mapping[int, tuple[int, int]] = dataclasses.field(default_factory=dict)
    """Least and most units that its plan uses, by row."""
    charges: tuple[tuple[float, float], ...] = ()
    """Least value of the plans that pay, and the amount."""

    @property
    def raised(self) -> float:
        """What plans count for beyond their value."""
        return self.high if self.low > 0 else 0.0

    def worth(self, values: Floats) -> Floats:
        """Return what plans of some values count for, rounded up; 0 where it is less, or none."""
        found = np.minimum(values, self.high)
        with np.errstate(over="ignore"):  # refused by who reads it
            if self.low > 0:
                found = np.nextafter(found + self.high, np.inf)
            for least, amount in self.charges:
                found = np.where(values >= least, np.nextafter(found - amount, np.inf), found)
        return np.where(values >= self.low, np.maximum(found, 0.0), 0.0)


Case = Mapping[int, Window]  #: Of each owner of which a leaf or a charge says something.

#: Replies as of `PricedProgram.replies`.
Replies = Callable[[Floats, Case, Sequence[int]], Sequence[Fraction]]

#: How a kind pools limits into rows: whole numbers by name.
Layout = dict[str, tuple[tuple[Size, ...], ...]]


class PricedProgram(abc.ABC):
    """Rows and replies of a program on an instance, in exact arithmetic.

    Nothing here rests on who found the prices; every number errs to the safe side.
    """

    sense: ClassVar[Literal["min", "max"]] = "max"  #: Of the program; replies maximise anyhow.
    name: str  #: Program with variant.
    instance: Any
    owners: int  #: How many there are.
    width: int  #: Prices of a leaf.
    #: Share of what rows hold by which a replay counts more as fitting.  It joins the rent where
    #: owners are served: what plans count for is raised there, and so is what the share is worth.
    forgiven: ClassVar[Fraction] = Fraction(0)

    @property
    def layout(self) -> Layout:
        """How limits are pooled into rows, for the file."""
        return {}

    @property
    def about(self) -> str:
        """What a proof is about, in words."""
        return self.name

    @abc.abstractmethod
    def rent(self, prices: Floats) -> Fraction:
        """Bound what all rows earn at prices, shape (width,), from above."""

    @abc.abstractmethod
    def replies(self, prices: Floats, case: Case, owners: Sequence[int]) -> Sequence[Fraction]:
        """Bound the most that each of some owners earns in a case from above; 0 for no plan.

        A plan earns what its value counts for (`Window.worth`) less the price of what it uses.
        Owners ascend.
        """

    def bounds_so_far(self, prices: Floats) -> list[Fraction] | None:
        """Bound the instance that ends in each slot at prices; None where rows have no slots."""
        return None

    def values(self, owner: int) -> Floats:
        """Return the values of an owner's plans, rounded up."""
        raise NotACertificate(f"{self.name} has no charges and no splits by value")

    def most(self, owner: int) -> float:
        """Return the greatest value of an owner's plans."""
        return float(self.values(owner).max())

    def below(self, owner: int, value: float) -> float:
        """Return the greatest value below another one that an owner's plans have; 0 for none."""
        values = self.values(owner)
        return float(values[values < value].max(initial=0.0))

    def units(self, owner: int, row: int) -> int:
        """Return the most whole units of a row that an owner's plan uses."""
        raise NotACertificate(f"plans of {self.name} are not split by what they use")

    def capacity(self, rows: Ints) -> Fraction:
        """Return what rows hold together, with all that a replay counts as fitting."""
        raise NotACertificate(f"{self.name} has no charges")

    def least_use(self, owner: int, value: float, rows: Ints) -> Fraction:
        """Bound what plans of an owner of at least a value use of rows together from below."""
        raise NotACertificate(f"{self.name} has no charges")

    def steps(self) -> float:
        """Count about what the replies of all owners take."""
        return float(self.owners + self.width)

    @classmethod
    def laid_out(cls, instance: Any, name: str, layout: Layout) -> PricedProgram:
        """State a program of a name whose limits are pooled as a file says.

        Raises `NotACertificate`: the layout is none of the instance.
        """
        raise NotImplementedError

    def rounded(self, prices: Floats) -> Floats:
        """Return prices near others that a file holds in few digits; any prices >= 0 are valid."""
        return np.maximum(prices, 0.0) + 0.0


priced_programs: Registry[type[PricedProgram]] = Registry(
    "program with prices", "farkas.certificates"
)


class Split(FilePart, frozen=True, array_like=True):
    """What halves a case.

    Without a row: first plans worth ``at`` or more, then others; with one: first plans that use
    ``at`` units of it or fewer, then others.
    """

    owner: Size
    at: float
    row: Size | None = None


Tree = Sequence[Split | None]  #: Splits and leaves (None) in preorder.


def halves(program: PricedProgram, case: Case, split: Split) -> tuple[Case, Case]:
    """Return both parts of a case.

    Raises `NotACertificate`: there is no such owner, or a part is the whole case.
    """
    owner, at = split.owner, split.at
    if owner >= program.owners:
        raise NotACertificate(f"a split by owner {owner} of {program.owners}")
    window = case.get(owner) or Window(0.0, program.most(owner))
    if split.row is not None:
        if split.row >= program.width:
            raise NotACertificate(f"a split by row {split.row} of {program.width}")
        least, most = window.counts.get(split.row, (0, program.units(owner, split.row)))
        if not least <= at < most or at != int(at):
            raise NotACertificate(
                f"a split of owner {owner} at {at:g} units of row {split.row}, which are a whole"
                f" number from {least} and below {most}"
            )
        few, more = (least, int(at)), (int(at) + 1, most)
        parts = [
            dataclasses.replace(window, counts={**window.counts, split.row: part})
            for part in (few, more)
        ]
    else:
        if not window.low < at <= window.high:
            raise NotACertificate(
                f"a split of owner {owner} at value {at:.17g}, which is above {window.low:.17g}"
                f" and at most {window.high:.17g}"
            )
        less = min(window.high, program.below(owner, at))
        parts = [dataclasses.replace(window, low=at), dataclasses.replace(window, high=less)]
    return {**case, owner: parts[0]}, {**case, owner: parts[1]}


def leaves_of(program: PricedProgram, tree: Tree, root: Case | None = None) -> list[Case]:
    """Return the leaves of a tree, in order.

    Raises `NotACertificate`: it ends early, goes on after its last leaf, or has an impossible
    split.
    """
    affordable(len(tree), "splits and leaves", MOST_NODES)
    found: list[Case] = []
    waiting: list[Case] = [root or {}]
    for node in tree:
        if not waiting:
            raise NotACertificate("the tree goes on after its last leaf")
        case = waiting.pop()
        if node is None:
            found.append(case)
        else:
            waiting += reversed(halves(program, case, node))
    if waiting:
        raise NotACertificate("the tree ends before its last leaf")
    return found


class Knapsack(FilePart, frozen=True, kw_only=True):
    """Rows that hold plans as wholes, and what owners pay whose plans are good enough."""

    rows: tuple[tuple[Size, Size], ...]  #: Ranges of rows, each with its end, which is left out.
    #: In which sizes and capacity are counted, > 0.
    unit: Annotated[float, msgspec.Meta(gt=0.0)]
    owners: tuple[Size, ...]  #: Ascending.
    values: tuple[float, ...]  #: Least value of each owner's plans that pay, > 0.
    amounts: tuple[Annotated[float, msgspec.Meta(ge=0.0)], ...]  #: What they pay.

    def require(self, program: PricedProgram) -> Ints:
        """Return the rows, shape (rows,); raises `NotACertificate` where they are none."""
        ends = [0, *(x for pair in self.rows for x in pair), program.width]
        if (np.diff(ends) < 0).any() or not np.isfinite(self.unit):
            raise NotACertificate("a knapsack's rows do not ascend, or its unit is not finite")
        owners = np.array([-1, *self.owners, program.owners])
        if not (np.diff(owners) > 0).all():
            raise NotACertificate(f"a knapsack's owners do not ascend below {program.owners}")
        if not len(self.owners) == len(self.values) == len(self.amounts):
            raise NotACertificate("a knapsack has another number of values or amounts than owners")
        if not np.isfinite([*self.values, *self.amounts]).all() or min(self.values, default=1) <= 0:
            raise NotACertificate("a knapsack's value is not positive, or an amount not finite")
        none = [np.zeros(0, np.int64)]
        return np.concatenate(none + [np.arange(begin, end) for begin, end in self.rows])

    def table(self, program: PricedProgram) -> tuple[int, list[int]]:
        """Return whole units that rows hold, no more than all owners need, and what each needs."""
        rows, unit = self.require(program), Fraction(self.unit)
        each = zip(self.owners, self.values, strict=True)
        sizes = [int(program.least_use(owner, value, rows) / unit) for owner, value in each]
        return min(int(program.capacity(rows) / unit), sum(sizes)), sizes

    def best(self, program: PricedProgram) -> Fraction:
        """Bound what is paid in all; raises `NotACertificate` where that takes too long."""
        (room, sizes), amounts = self.table(program), np.array(self.amounts)
        if not amounts.any():
            return Fraction(0)
        affordable(room, "units of a knapsack", MOST_CELLS)
        affordable((room + 1) * len(sizes), "owners of a knapsack", LONGEST_SEARCH)
        affordable(len(sizes), "owners of a knapsack", 1 << 62 - CHARGE_BITS)
        shift = CHARGE_BITS - int(np.frexp(amounts.max())[1])
        # scaling by powers of two is exact but for what vanishes below 1, and that counts as 1
        raised = np.maximum(np.ceil(np.ldexp(amounts, shift)), amounts > 0)
        best = np.zeros(room + 1, np.int64)  # by units that may be used
        for size, amount in zip(sizes, whole(raised, "charges").tolist(), strict=True):
            if size <= room:
                np.maximum(best[size:], best[: room + 1 - size] + amount, out=best[size:])
        return Fraction(int(best[-1])) / Fraction(2) ** shift


def charged(program: PricedProgram, knapsacks: Sequence[Knapsack]) -> Case:
    """Return what charges say of the owners that pay some."""
    found: dict[int, Window] = {}
    for one in knapsacks:
        one.require(program)
        for owner, value, amount in zip(one.owners, one.values, one.amounts, strict=True):
            if amount > 0:
                window = found.get(owner) or Window(0.0, program.most(owner))
                charges = (*window.charges, (value, amount))
                found[owner] = dataclasses.replace(window, charges=charges)
    return found


def prove_leaves(
    program: PricedProgram,
    tree: Tree,
    prices: Floats,
    same: Sequence[int],
    knapsacks: Sequence[Knapsack] = (),
    replies: Replies | None = None,
) -> list[Fraction]:
    """Upper bounds on the value of all decisions of each leaf.

    Leaves with equal prices, by ``same`` the number of those of each, differ in the replies of the
    owners that are branched on.  Raises `NotACertificate`: tree, prices or knapsacks are none.
    ``prices``: shape (distinct, width), >= 0; ``replies`` are proved by the program by default.
    """
    replies = replies or program.replies
    if prices.ndim != 2 or prices.shape[1] != program.width:
        raise NotACertificate(f"prices have shape {prices.shape}, needed (leaves, {program.width})")
    if not (np.isfinite(prices) & (prices >= 0)).all():
        raise NotACertificate("a price is negative or not finite")
    affordable(len(tree), "splits and leaves", MOST_NODES)
    # splits ask for owners' values, before it is known of how many owners leaves ask again
    splits = len(prices) + len(tree) / max(program.owners, 1)
    affordable(splits * program.steps(), "cases", MOST_STEPS)
    root = charged(program, knapsacks)
    leaves = leaves_of(program, tree, root)
    if len(prices) > len(leaves):
        raise NotACertificate(f"{len(prices)} prices for {len(leaves)} leaves")
    if len(same) != len(leaves) or max(same, default=0) >= len(prices):
        raise NotACertificate(f"{len(leaves)} leaves name {len(same)} of {len(prices)} prices")
    owners = max(program.owners, 1)
    branched = [sorted(i for i, one in case.items() if root.get(i) != one) for case in leaves]
    shares = len(prices) + sum(map(len, branched)) / owners
    affordable(shares * program.steps(), "cases", MOST_STEPS)
    tables = [one.table(program) for one in knapsacks]
    affordable(sum((room + 1) * len(sizes) for room, sizes in tables), "knapsacks", LONGEST_SEARCH)
    paid = sum((one.best(program) for one in knapsacks), Fraction(0))
    everyone = range(program.owners)
    rents = [program.rent(row) for row in prices]
    earned = [replies(row, root, everyone) for row in prices]
    totals = [total(some) for some in earned]
    found = []
    for case, some, number in zip(leaves, branched, same, strict=True):
        new = replies(prices[number], case, some)
        changed = sum((x - earned[number][i] for i, x in zip(some, new, strict=True)), Fraction(0))
        raised = sum((Fraction(case[i].raised) for i in some), Fraction(0))
        rent = rents[number] * (1 + program.forgiven) if raised else rents[number]
        found.append(paid + rent + totals[number] + changed - raised)
    return found


@certificate_type
class PricedTree(PriceCertificate, frozen=True, kw_only=True, tag="priced_tree"):
    """Prices in the leaves of a tree of cases, which bound a program on an instance."""

    bound: str  #: A fraction.
    layout: Layout = {}  #: How the kind pools limits into rows.
    tree: tuple[Split | None, ...] = (None,)  #: Preorder: ``[owner, at]`` or ``[owner, at, row]``.
    same: tuple[Size, ...] = (0,)  #: Of each leaf, the number of its prices.
    distinct: Size = 1  #: How many prices of all rows there are.
    prices: str  #: Base64 of the deflated doubles, shape (distinct, rows).
    knapsacks: tuple[Knapsack, ...] = ()

    @classmethod
    def of(
        cls,
        program: PricedProgram,
        prices: Floats,
        *,
        tree: Tree = (None,),
        same: Sequence[int] | None = None,
        knapsacks: Sequence[Knapsack] = (),
        bound: Fraction | None = None,
        replies: Replies | None = None,
    ) -> PricedTree:
        """Certify what prices prove: ``bound``, where it is known already.

        Raises `NotACertificate`: the tree is none, or a price is not a number.  Prices have shape
        (width,), or (distinct, width), with ``same`` the number of those of each leaf; entries
        below 0 count as 0.
        """
        rows = program.rounded(np.atleast_2d(prices))
        numbers = tuple(range(len(rows)) if same is None else same)
        if bound is None:
            leaves = prove_leaves(program, tree, rows, numbers, knapsacks, replies)
            bound = conclude(program, leaves)
        return cls(
            kind=program.instance.kind,
            program=program.name,
            instance=program.instance.sha256,
            bound=str(bound),
            layout=program.layout,
            tree=tuple(tree),
            same=numbers,
            distinct=len(rows),
            prices=pack(rows),
            knapsacks=tuple(knapsacks),
        )

    @property
    def subject(self) -> str:
        """The program, if it has prices of rows."""
        of_kind = self.program.startswith(f"{self.kind}.")
        if not of_kind or self.program not in priced_programs:
            raise NotACertificate(f"{self.program} has no prices of rows")
        return self.program

    def stance(self) -> tuple[str | None, Literal["min", "max"]]:
        """Kind of the instance, and what is bounded."""
        return self.kind, priced_programs[self.subject].sense

    def stated(self, instance: Any) -> PricedProgram:
        """Return the program on an instance, with the layout of the file."""
        return priced_programs[self.subject].laid_out(instance, self.subject, self.layout)

    def says(self, instance: Any, /) -> str:
        """See `PriceCertificate.says`."""
        return self.stated(instance).about

    def read_prices(self, program: PricedProgram) -> Floats:
        """Return the prices, shape (distinct, width); raises `NotACertificate` for another size."""
        return unpack(self.prices, (self.distinct, program.width), "prices")

    def single_prices(self, instance: Any) -> Floats:
        """Return the prices, shape (width,), of a bound without cases and charges.

        Raises `NotApplicable` where there are some.
        """
        if len(self.tree) > 1 or self.knapsacks:
            raise NotApplicable(f"the bound on {self.program} has cases or charges")
        prices: Floats = self.read_prices(self.stated(instance))[0]
        return prices

    def bounds_so_far(self, instance: Any) -> list[Fraction] | None:
        """Bound by the prices of the first leaf, slot by slot more; the last one is the file's."""
        program = self.stated(instance)
        found, most = program.bounds_so_far(self.read_prices(program)[0]), Fraction(self.bound)
        if found is None:
            return None
        below = bisect.bisect_left(found, most, hi=len(found) - 1)
        return found[:below] + [most] * (len(found) - below)

    def prove_bound(self, instance: Any, /) -> Fraction:
        """Bound every leaf anew."""
        program = self.stated(instance)
        prices = self.read_prices(program)
        return conclude(
            program, prove_leaves(program, self.tree, prices, self.same, self.knapsacks)
        )


def conclude(program: PricedProgram, leaves: Sequence[Fraction]) -> Fraction:
    """Return what the leaves bound together: the largest; of a minimum its negative."""
    most = max(leaves)
    return -most if program.sense == "min" else most
