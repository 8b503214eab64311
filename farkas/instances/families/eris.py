"""Small auctions that make one point each."""

from __future__ import annotations

from collections.abc import Callable

from farkas.instances.eris import Auction


def tiny() -> Auction:
    """One site, three jobs, one of which must lose; the optimum is 29."""
    return Auction.build(
        name="tiny",
        description="Three jobs on one site; a GPU is scarce.",
        slots=3,
        sites=1,
        resource_names=["gpu", "cpu"],
        site_capacity=[[2, 6]],
        transfer_budget=5.0,
        chunk_size=1.0,
        price_base_transfer=100.0,
        price_base_resource=[100.0, 100.0],
        jobs=[
            {
                "arrival": 0, "utility": [30, 20, 9], "data": [3], "epochs": 2, "worker_rate": 2,
                "worker_demand": [1, 2], "server_demand": [0, 1], "parameter_size": 3.0,
            },
            {
                "arrival": 0, "utility": [25, 24, 1], "data": [2], "epochs": 3, "worker_rate": 2,
                "worker_demand": [1, 1], "server_demand": [0, 1], "parameter_size": 3.0,
            },
            {
                "arrival": 1, "utility": [12, 5], "data": [1], "epochs": 1, "worker_rate": 1,
                "worker_demand": [0, 3], "server_demand": [0, 2], "parameter_size": 1.0,
            },
        ],
    )  # fmt: skip


def one_chunk_twice() -> Auction:
    """The printed recursion trains one site's chunk twice, because it forgets what is done.

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
    """A cheap first job takes everything: the ratio is ``value / 2``, beyond Theorem 5.

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
    "tiny": tiny,
    "one_chunk_twice": one_chunk_twice,
    "late_fortune": late_fortune,
}
"""Library instances by name (without the kind) and what makes them."""
