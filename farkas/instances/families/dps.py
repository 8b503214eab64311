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


SHIPPED: dict[str, Callable[[], Market]] = {
    "tiny": tiny,
    "one_server": one_server,
    "one_server_half_open": lambda: one_server("half_open"),
    "too_many_servers": too_many_servers,
}
"""Library instances by name (without the kind) and what makes them."""
