"""New claims: one proved for all values, one that held in so many runs, one refuted.

The file would stand in ``farkas/proofs/mlbroker/``; then ``farkas claims`` lists them, and
``make ledger`` writes their verdicts down.
"""

from farkas.algebra import programs
from farkas.instances import library
from farkas.proofs import Standing, Verdict, claim, claims, held, proved, refuted
from farkas.solvers import solve


@claim("mlbroker.example_chord", source="none; an example")
def the_chord_of_a_discount_is_below_it() -> Verdict:
    """The chord of min(a h, b h + e) over [0, H] lies below it.  Assumes 0 <= b <= a, e >= 0."""
    import sympy as sp

    a, b, e, cap, share = sp.symbols("a b e H s", nonnegative=True)  # h = s H with 0 <= s <= 1
    # F(H) is at most either branch at H, so s F(H) is at most s times it: compare that with F(s H).
    list_price = share * a * cap - share * (a * cap)
    reduced = (b * share * cap + e) - share * (b * cap + e)  # e (1 - s)
    holds = sp.simplify(list_price) == 0 and sp.simplify(reduced - e * (1 - share)) == 0
    return proved("the difference is 0 or e (1 - s)") if holds else refuted({"difference": reduced})


@claim("mlbroker.example_strict_costs_more", source="none; an example")
def strict_semantics_never_costs_less() -> Verdict:
    """The strict optimum is at least the printed one."""
    slack = [
        optimum(name, "strict") - optimum(name, "printed")
        for name in ("tiny", "return_trip", "surplus_worker")
    ]
    if min(slack) < -1e-6:
        return refuted("mlbroker/tiny", slack=min(slack))
    return held(len(slack), max(0.0, min(slack)))


@claim("mlbroker.example_same_cost", source="none; an example")
def both_semantics_cost_the_same() -> Verdict:
    """The strict optimum equals the printed one."""
    numbers = {s: optimum("surplus_worker", s) for s in ("printed", "strict")}
    return refuted("mlbroker/surplus_worker", "an idle worker pays no traffic", **numbers)


def optimum(name: str, semantics: str) -> float:
    """Optimal cost of a shipped broker."""
    program = programs.build("mlbroker.offline", semantics=semantics)
    return solve(program.form(library.load(f"mlbroker/{name}"))).require_optimal().objective


def test_each_verdict_is_what_it_should_be():
    standing = {
        name.removeprefix("mlbroker.example_"): claims[name].run().standing
        for name in claims.names("mlbroker.example_")
    }
    assert standing == {
        "chord": Standing.PROVED,
        "strict_costs_more": Standing.HELD,
        "same_cost": Standing.REFUTED,
    }


def test_the_refutation_shows_both_sides():
    numbers = claims["mlbroker.example_same_cost"].run().numbers
    assert abs(numbers["printed"] - 1.3) < 1e-6
    assert abs(numbers["strict"] - 5.7) < 1e-6


if __name__ == "__main__":
    test_each_verdict_is_what_it_should_be()
    test_the_refutation_shows_both_sides()
    for name in claims.names("mlbroker.example_"):
        print(f"{name}: {claims[name].run()}")
