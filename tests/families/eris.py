"""Small auctions that make one point each."""

from __future__ import annotations

from collections.abc import Callable

from farkas.instances.eris import Auction


def one_chunk_twice() -> Auction:
    """Let the printed recursion train one site's chunk twice: it forgets what is done.

    Site 1 is nearly full, so its chunk looks dear; the true best payoff is 0.
    """
    return Auction.build(
        name="one_chunk_twice",
        description="A stateless scheduler trains the cheap site's chunk in both slots.",
        slots=2,
        sites=2,
        resource_names=["cpu"],
        site_capacity=[[1], [1]],
        transfer_budget=0.0,
        chunk_size=1.0,
        price_base_transfer=2.0,
        price_base_resource=[1000.0],
        jobs=[
            {
                "arrival": 0, "utility": [20.0, 15.0], "data": [1, 1], "epochs": 1,
                "worker_rate": 1, "worker_demand": [1], "server_demand": [0],
                "parameter_size": 0.0,
            }
        ],
        occupied={"transfer": [0.0, 0.0], "resources": [[[0.0, 0.0]], [[0.9, 0.9]]]},
    )  # fmt: skip


def late_fortune(value: float = 1998.0, base: float = 1000.0) -> Auction:
    """Let a cheap first job take everything: the ratio is ``value / 2``, beyond Theorem 5.

    Parameters
    ----------
    value
        Utility of the second job; the first is worth 2.
    base
        Base of all prices; γ.
    """
    job = {
        "arrival": 0, "data": [1, 1], "epochs": 1, "worker_rate": 1, "worker_demand": [1],
        "server_demand": [0], "parameter_size": 2.0,
    }  # fmt: skip
    return Auction.build(
        name="late_fortune",
        description="Both printed assumptions hold, and the ratio is unbounded.",
        slots=1,
        sites=2,
        resource_names=["gpu"],
        site_capacity=[[1], [1]],
        transfer_budget=1_000_000.0,
        chunk_size=2.0,
        price_base_transfer=base,
        price_base_resource=[base],
        jobs=[{**job, "utility": [2.0]}, {**job, "utility": [value]}],
    )


SHIPPED: dict[str, Callable[[], Auction]] = {
    "one_chunk_twice": one_chunk_twice,
    "late_fortune": late_fortune,
}
"""Library instances by name (without the kind) and what makes them."""
