"""Small markets that make one point each."""

from __future__ import annotations

from collections.abc import Callable

from farkas.instances.dps import Market


def one_server(occupancy: str = "closed") -> Market:
    """Three jobs in a row on one server: closed slots lose one sale.

    As printed a job that runs one slot blocks the next arrival: the optimum is 1.9 instead of 3.1.

    Parameters
    ----------
    occupancy
        ``"closed"`` or ``"half_open"``.
    """
    job = {
        "worker_type": 0, "workers": 1, "ps_type": 0, "ps": 1, "model_size": 0.0, "epochs": 1,
        "epoch_compute": 1.0,
    }  # fmt: skip
    return Market.build(
        name=f"one_server_{occupancy}",
        description=f"Three one-slot jobs in a row, {occupancy} occupancy.",
        horizon=6,
        occupancy=occupancy,
        server_workers=[[1]],
        server_ps=[[1]],
        worker_bandwidth=[None],
        ps_bandwidth=[None],
        jobs=[
            {**job, "arrival": slot, "budget": budget}
            for slot, budget in enumerate((1.0, 1.2, 0.9))
        ],
    )


def too_many_servers() -> Market:
    """Servers with many workers have no parameter server: the printed placement uses one too many.

    One job wants three of each.  Servers hold (3, 0), (2, 1), (1, 3) workers and parameter servers.
    """
    return Market.build(
        name="too_many_servers",
        description="Greedy placement by free workers uses more servers than needed.",
        horizon=12,
        server_workers=[[3], [2], [1]],
        server_ps=[[0], [1], [3]],
        worker_bandwidth=[1.0],
        ps_bandwidth=[6.0],
        jobs=[
            {
                "arrival": 0, "worker_type": 0, "workers": 3, "ps_type": 0, "ps": 3,
                "model_size": 100.0, "epochs": 2, "epoch_compute": 1.0, "budget": 2.0,
            }
        ],
    )  # fmt: skip


def tiny() -> Market:
    """Two servers, two worker types, five jobs: every family of every program has a row.

    The second job fits on no single server; the fourth asks for more than there is.
    """
    job = {"ps_type": 0, "model_size": 60.0, "epochs": 2}
    return Market.build(
        name="tiny",
        description="Small enough to do by hand; every family of every program has a row.",
        horizon=10,
        slot_seconds=120.0,
        server_workers=[[2, 1], [2, 2]],
        server_ps=[[2], [1]],
        worker_bandwidth=[1.0, None],
        ps_bandwidth=[6.0],
        jobs=[
            {**job, "arrival": 0, "worker_type": 0, "workers": 2, "ps": 1, "epoch_compute": 1.0,
             "budget": 3.5},
            {**job, "arrival": 1, "worker_type": 0, "workers": 2, "ps": 2, "epoch_compute": 0.5,
             "budget": 2.5},
            {**job, "arrival": 2, "worker_type": 1, "workers": 3, "ps": 1, "epoch_compute": 1.5,
             "budget": 2.0},
            {**job, "arrival": 2, "worker_type": 1, "workers": 4, "ps": 1, "epoch_compute": 0.5,
             "budget": 9.0},
            {**job, "arrival": 7, "worker_type": 0, "workers": 1, "ps": 3, "epoch_compute": 1.0,
             "budget": 5.0},
        ],
        fixed_prices={"worker": [0.5, 0.25], "ps": [0.5]},
        price_grid=[0.25, 0.5, 1.0],
    )  # fmt: skip


UNIT = {
    "worker_type": 0, "workers": 1, "ps_type": 0, "ps": 1, "model_size": 0.0, "epochs": 1,
    "epoch_compute": 1.0,
}  # fmt: skip
"""A job of one worker and one parameter server that runs one slot."""

ONE_SERVER = {
    "server_workers": [[1]], "server_ps": [[1]], "worker_bandwidth": [None], "ps_bandwidth": [None],
}  # fmt: skip
"""A server that hosts one such job at a time."""


def forced_acceptance() -> Market:
    """One rich job that no admissible price keeps out blocks a richer one.

    Capped at 1 per unit the jobs pay 5 and 8, the second only if the first is refused.  Budgets
    are 6 and 9: free prices yield 9, capped ones 8, and 5 where the first cannot be refused.
    """
    return Market.build(
        name="forced_acceptance",
        description="A job that no admissible price keeps out blocks one that pays more.",
        horizon=10,
        server_workers=[[4]],
        server_ps=[[4]],
        worker_bandwidth=[None],
        ps_bandwidth=[None],
        jobs=[
            {**UNIT, "arrival": 0, "workers": 3, "ps": 2, "epoch_compute": 5.0, "budget": 6.0},
            {**UNIT, "arrival": 2, "workers": 4, "ps": 4, "budget": 9.0},
        ],
    )


def aggregate_gap() -> Market:
    """Servers and their sum, whole jobs and fractions: four different optima."""
    job = {"worker_type": 0, "ps_type": 0}
    return Market.build(
        name="aggregate_gap",
        description="Offline optimum < interval optimum < relaxation by server < interval bound.",
        horizon=8,
        occupancy="half_open",
        slot_seconds=60.0,
        server_workers=[[3], [1]],
        server_ps=[[4], [1]],
        worker_bandwidth=[1.0],
        ps_bandwidth=[None],
        jobs=[
            {**job, "arrival": 0, "workers": 1, "ps": 3, "model_size": 30.0, "epochs": 3,
             "epoch_compute": 0.25, "budget": 3.6},
            {**job, "arrival": 0, "workers": 3, "ps": 2, "model_size": 90.0, "epochs": 3,
             "epoch_compute": 0.25, "budget": 4.5},
            {**job, "arrival": 2, "workers": 3, "ps": 3, "model_size": 90.0, "epochs": 1,
             "epoch_compute": 0.5, "budget": 1.8},
            {**job, "arrival": 2, "workers": 2, "ps": 3, "model_size": 30.0, "epochs": 2,
             "epoch_compute": 0.5, "budget": 5.0},
            {**job, "arrival": 7, "workers": 3, "ps": 1, "model_size": 90.0, "epochs": 2,
             "epoch_compute": 0.25, "budget": 3.6},
        ],
    )  # fmt: skip


def long_job(horizon: int = 10) -> Market:
    """One job as long as the horizon: the printed fixed-price bound is 0, the profit 1.

    Parameters
    ----------
    horizon
        Slots, and runtime.
    """
    return Market.build(
        name="long_job",
        description="The capacity term of the printed fixed-price bound vanishes; a sale does not.",
        horizon=horizon,
        **ONE_SERVER,
        jobs=[{**UNIT, "arrival": 0, "epoch_compute": float(horizon), "budget": 1.0}],
        fixed_prices={"worker": [0.5], "ps": [0.5]},
    )


def lower_price_hurts(rich: int = 4) -> Market:
    """One long job accepts at a slightly lower price and keeps every later one out.

    At price 1 per unit each of the short jobs pays 2.  At 19/20 the long job, which comes first,
    can pay its 1.9.

    Parameters
    ----------
    rich
        Number of short jobs.
    """
    slots = 2 * rich + 2
    return Market.build(
        name="lower_price_hurts",
        description="A grid price just below another admits a job that blocks all others.",
        horizon=slots,
        **ONE_SERVER,
        jobs=[
            {**UNIT, "arrival": 0, "epoch_compute": float(slots), "budget": 1.9},
            *({**UNIT, "arrival": 1 + 2 * i, "budget": 2.0} for i in range(rich)),
        ],
    )


def unattained() -> Market:
    """Show a best fixed price that is a supremum: at it, the job priced out comes back and blocks.

    Just above 0.3 for each unit the first job declines, and the others pay 1.5 and 1.2 in the
    limit.  At 0.3 it accepts and keeps the second one out.
    """
    return Market.build(
        name="unattained",
        description="No fixed price attains the supremum of the profit, 2.7.",
        horizon=10,
        occupancy="half_open",
        server_workers=[[3]],
        server_ps=[[4]],
        worker_bandwidth=[None],
        ps_bandwidth=[None],
        jobs=[
            {**UNIT, "arrival": 2, "budget": 0.6},
            {**UNIT, "arrival": 2, "workers": 3, "ps": 2, "epoch_compute": 1.3, "budget": 1.5},
            {**UNIT, "arrival": 4, "workers": 3, "epoch_compute": 3.0, "budget": 1.2},
        ],
        bfp_attained=False,
    )


def fragmented() -> Market:
    """Worst fit puts a small job on the large server, and the large jobs no longer fit.

    Servers hold (4, 4) and (2, 2); jobs want (2, 2), (4, 4) and (4, 4).
    """
    job = {**UNIT, "model_size": 75.0, "epochs": 3}
    return Market.build(
        name="fragmented",
        description="Greedy placement splits the large server, so that a later job is dropped.",
        horizon=40,
        slot_seconds=60.0,
        server_workers=[[4], [2]],
        server_ps=[[4], [2]],
        worker_bandwidth=[2.0],
        ps_bandwidth=[8.0],
        jobs=[
            {**job, "arrival": 0, "workers": 2, "ps": 2, "epoch_compute": 4.0, "budget": 2.0},
            {**job, "arrival": 1, "workers": 4, "ps": 4, "epoch_compute": 2.0, "budget": 4.0},
            {**job, "arrival": 8, "workers": 4, "ps": 4, "epoch_compute": 1.0, "budget": 4.0},
        ],
    )


def lost_twins(pairs: int = 40) -> Market:
    """Users pay 1 for one unit of each; both sides of the market learn at once.

    Parameters
    ----------
    pairs
        Number of users, one in each slot.
    """
    budgets = [round(0.05 * (1 + (7 * i) % 40), 2) for i in range(pairs)]
    return Market.build(
        name="lost_twins",
        description="Budgets spread evenly over (0, 2]; a sale depends on both prices.",
        horizon=pairs,
        occupancy="half_open",
        **ONE_SERVER,
        jobs=[{**UNIT, "arrival": i, "budget": b} for i, b in enumerate(budgets)],
    )


SHIPPED: dict[str, Callable[[], Market]] = {
    "tiny": tiny,
    "one_server": one_server,
    "one_server_half_open": lambda: one_server("half_open"),
    "too_many_servers": too_many_servers,
    "forced_acceptance": forced_acceptance,
    "aggregate_gap": aggregate_gap,
    "long_job": long_job,
    "lower_price_hurts": lower_price_hurts,
    "unattained": unattained,
    "fragmented": fragmented,
    "lost_twins": lost_twins,
}
"""Library instances by name (without the kind) and what makes them."""
