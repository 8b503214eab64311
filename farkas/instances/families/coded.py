"""Small instances of coded computing that make one point each."""

from __future__ import annotations

from collections.abc import Callable

from farkas.instances.coded import CodedComputing


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


SHIPPED: dict[str, Callable[[], CodedComputing]] = {
    "tiny": tiny,
    "split_worker": split_worker,
    "stuck": stuck,
    "forbidden_pairs": forbidden_pairs,
}
"""Library instances by name (without the kind) and what makes them."""
