"""One claim proved for all values, one that holds in so many runs, one refuted."""

from __future__ import annotations

from farkas.algebra import programs
from farkas.instances import library
from farkas.proofs.claim import Trials, claim, require_zero
from farkas.proofs.verdict import Relation, Verdict, proved, refuted
from farkas.solvers import solve

BROKERS = ("tiny", "return_trip", "surplus_worker")
ROUNDING = 1e-6  #: Relative; two optima are equal when they differ by less.


@claim("mlbroker.example_chord", source="not in the paper; an example")
def the_chord_of_a_discount_is_below_it() -> Verdict:
    """The chord of min(a h, b h + e) over [0, H] lies below it.  Assumes 0 <= b <= a, e >= 0."""
    import sympy as sp

    a, b, e, cap, share = sp.symbols("a b e H s", nonnegative=True)  # h = s H with 0 <= s <= 1
    # F(H) is at most either branch at H, so s F(H) is at most s times it: compare that with F(s H).
    list_price = share * a * cap - share * (a * cap)
    reduced = (b * share * cap + e) - share * (b * cap + e)  # e (1 - s)
    require_zero(list_price=list_price, reduced=reduced - e * (1 - share))
    return proved("the difference is 0 or e (1 - s)")


@claim("mlbroker.example_strict_costs_more", source="not in the paper; an example")
def strict_semantics_never_costs_less() -> Verdict:
    """The strict optimum is at least the printed one."""
    trials = Trials()
    for name in BROKERS:
        printed, strict = optima(name)
        trials.add(f"mlbroker/{name}", Relation(strict, ">=", printed, ROUNDING))
    return trials.verdict()


@claim("mlbroker.example_same_cost", source="not in the paper; an example")
def both_semantics_cost_the_same() -> Verdict:
    """The strict optimum equals the printed one."""
    printed, strict = optima("surplus_worker")
    return refuted(
        "mlbroker/surplus_worker",
        Relation(strict, "==", printed, ROUNDING),
        "an idle worker pays no traffic",
        printed=printed,
        strict=strict,
    )


def optima(name: str) -> tuple[float, float]:
    """Optimal costs of a shipped broker, printed and strict."""
    broker = library.load(f"mlbroker/{name}")
    printed, strict = (
        solve(programs.build("mlbroker.offline", semantics=semantics).form(broker))
        .require_optimal()
        .objective
        for semantics in ("printed", "strict")
    )
    return printed, strict
