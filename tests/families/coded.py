"""Small instances of coded computing that make one point each."""

from __future__ import annotations

from collections.abc import Callable

from farkas.instances.coded import CodedComputing
from farkas.instances.generate import generate
from farkas.proofs.coded.chance import FULL_LOAD, reciprocal


def tiny() -> CodedComputing:
    """Two masters, three workers: small enough to enumerate the chance-constrained program."""
    return CodedComputing.build(
        name="tiny",
        description="Two masters of three and two rows, three workers, one pair forbidden.",
        success_probability=0.8,
        masters=[{"name": "left", "rows": 3}, {"name": "right", "rows": 2}],
        workers=3,
        rate=[[2.0, 1.0, 1.5], [None, 2.5, 1.0]],
        shift=[[0.5, 0.4, 1.0], [None, 0.2, 0.5]],
        plans=[
            {
                "name": "shared",
                "probability": [[1, 0, 0.5], [0, 1, 0.5]],
                "loads": [[3, 0, 2], [0, 2, 1]],
                "time": 5.0,
            }
        ],
        sca_point={
            "probability": [[1, 0.25, 0.5], [0, 0.75, 0.5]],
            "loads": [[3.0, 2.0, 2.0], [0.0, 3.0, 1.0]],
            "time": 4.0,
        },
    )


def split_worker() -> CodedComputing:
    """Two masters, three equal workers: the expected number of results is a poor surrogate.

    By P3 sharing the third worker takes 2097.46 ms against 3146.19 ms of the dedicated plan, but
    the master that is not chosen by it never finishes: recoverability is one half.
    """
    return CodedComputing.build(
        name="split_worker",
        description="Three equal workers for two masters; the shared one helps only one of them.",
        success_probability=0.9,
        masters=[{"name": "m0", "rows": 1000}, {"name": "m1", "rows": 1000}],
        workers=3,
        rate=[[1, 1, 1], [1, 1, 1]],
        shift=[[1, 1, 1], [1, 1, 1]],
        plans=[
            {
                "name": "split",
                "probability": [[1, 0, 0.5], [0, 1, 0.5]],
                "loads": [[977, 0, 977], [0, 977, 977]],
                "time": 3000.0,
            }
        ],
    )


def stuck() -> CodedComputing:
    """Every worker prefers master 0: the printed local search never leaves value 0."""
    fast, slow = [5.0] * 4, [1.0] * 4
    return CodedComputing.build(
        name="stuck",
        description="Every worker is fastest for master 0; two masters get no worker at first.",
        success_probability=0.98,
        masters=[{"name": f"m{index}", "rows": 100} for index in range(3)],
        workers=4,
        rate=[fast, slow, slow],
        shift=[[0.2] * 4, slow, slow],
    )


def forbidden_pairs() -> CodedComputing:
    """Forbidden pairs: finite quantiles of a plan whose mean time is infinite."""
    return CodedComputing.build(
        name="forbidden_pairs",
        description="Two masters, four workers, two forbidden pairs, loads of a few rows.",
        success_probability=0.75,
        masters=[{"name": "m0", "rows": 3}, {"name": "m1", "rows": 2}],
        workers=4,
        rate=[[2.0, None, 1.5, 0.8], [1.0, 2.5, None, 1.2]],
        shift=[[0.3, None, 0.6, 1.1], [0.9, 0.2, None, 0.4]],
        plans=[
            {
                "name": "partial",
                "probability": [[0.9, 0, 0.95, 0], [0.1, 1, 0, 1]],
                "loads": [[2, 0, 2, 0], [1, 1, 0, 1]],
                "time": 4.5,
            }
        ],
    )


def wrong_diagonal() -> CodedComputing:
    """Each worker serves the master it is slow for, and the loads of the others are poor.

    A convex step from here makes no progress, at three times the optimal time.
    """
    time = 50 * FULL_LOAD
    rate = [[1.0, 3.0], [3.0, 1.0]]
    full = time / (FULL_LOAD - 1)
    loads = [[full, 0.2 * 3 * full], [0.2 * 3 * full, full]]
    return reciprocal(
        "wrong_diagonal",
        "Both workers serve the wrong master; unused loads are a fifth of the best.",
        rate,
        50,
        sca_point={"probability": [[1, 0], [0, 1]], "loads": loads, "time": time * (1 + 1e-9)},
    )


def idle_pairs() -> CodedComputing:
    """Unused pairs have almost no load, as "k = 0 and thus l = 0" suggests.

    Stationary for convex steps, but no local optimum: a slack master could help the other.
    """
    time = 10 * FULL_LOAD
    full = time / (FULL_LOAD - 1)
    tiny = 1e-8 * full
    return reciprocal(
        "idle_pairs",
        "Three equal workers for two masters, two of them with one master; unused loads near 0.",
        [[1.0] * 3] * 2,
        10,
        sca_point={
            "probability": [[1, 1, 0], [0, 0, 1]],
            "loads": [[full, full, tiny], [tiny, tiny, full]],
            "time": time * (1 + 1e-9),
        },
    )


def greedy_trap() -> CodedComputing:
    """Mislead simple greedy: after the fastest pair the other master has next to nothing."""
    return reciprocal(
        "greedy_trap",
        "One worker is by far the best for either master; the second is good for one only.",
        [[10.0, 9.0, 0.001], [9.9, 0.001, 0.001]],
        100,
    )


def dominant() -> CodedComputing:
    """One worker is a hundred times faster: sharing it looks far better than it is."""
    return reciprocal(
        "dominant",
        "One fast and two slow workers, alike for two masters.",
        [[100.0, 1.0, 1.0]] * 2,
        100,
    )


def greedy_schedule() -> CodedComputing:
    """Largest first at its worst: speeds 3, 3, 2, 2, 2 for two equal masters."""
    return reciprocal(
        "greedy_schedule",
        "Workers of rates 3, 3, 2, 2, 2, alike for two masters: largest first reaches 5 of 6.",
        [[3.0, 3.0, 2.0, 2.0, 2.0]] * 2,
        100,
    )


def shared_is_slower() -> CodedComputing:
    """Draw an instance whose shared optimum of P3 finishes later than the dedicated one."""
    drawn = generate("coded", num_masters=2, num_workers=10, rows=1000, seed=5)
    assert isinstance(drawn, CodedComputing)
    description = "Two masters, ten workers, rates drawn from [1, 5] with seed 5."
    return drawn.replace(name="shared_is_slower", description=description)


def measured() -> CodedComputing:
    """Two types of workers with forty measured times each, of which one in eight is three times as
    long: no shifted exponential has such a law.
    """
    fast = [round(1 + k / 80, 4) * (3 if k % 8 == 5 else 1) for k in range(40)]
    slow = [round(2 + k / 20, 4) * (3 if k % 8 == 2 else 1) for k in range(40)]
    law = [0, 1, 0, 1, 0, 0]
    least, spread = ([f(times) for times in (fast, slow)] for f in (min, _spread))
    return CodedComputing.build(
        name="measured",
        description="Two masters, four fast and two slow workers, forty measured times of each "
        "type; shift = smallest time, rate = 1/(mean - smallest).",
        time_unit="s",
        success_probability=0.8,
        masters=[{"name": "left", "rows": 40}, {"name": "right", "rows": 30}],
        workers=6,
        rate=[[1 / spread[one] for one in law]] * 2,
        shift=[[least[one] for one in law]] * 2,
        measured={"confidence": 0.9, "times": [fast, slow], "law": [law, law]},
    )


def _spread(times: list[float]) -> float:
    return sum(times) / len(times) - min(times)


SHIPPED: dict[str, Callable[[], CodedComputing]] = {
    "tiny": tiny,
    "split_worker": split_worker,
    "stuck": stuck,
    "forbidden_pairs": forbidden_pairs,
    "wrong_diagonal": wrong_diagonal,
    "idle_pairs": idle_pairs,
    "greedy_trap": greedy_trap,
    "greedy_schedule": greedy_schedule,
    "dominant": dominant,
    "shared_is_slower": shared_is_slower,
    "measured": measured,
}
"""Library instances by name (without the kind) and what makes them."""
