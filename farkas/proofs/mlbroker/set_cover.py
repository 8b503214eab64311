"""Set cover as a placement problem."""

from collections.abc import Collection, Sequence

import numpy as np

from farkas.errors import InvalidOption
from farkas.instances.mlbroker import Brokerage


def set_cover(
    subsets: Sequence[Collection[int]] = ((0, 1), (1, 2), (0, 2)),
    elements: int = 3,
    *,
    price: float = 1e-4,
    forbidding: float = 1000.0,
) -> Brokerage:
    """Set cover as a placement problem: proves Theorem 1, whose printed proof is void.

    One site per subset, then one per element.  In slot t the data of element t lie at its own
    site; moving them to a subset that covers t is free.  The optimum is the cover number plus
    ``2 price`` per slot (one worker and its server).

    Parameters
    ----------
    subsets
        Elements of each subset.
    elements
        Number of elements, which is the number of slots.
    price
        USD per unit at the sites of subsets.
    forbidding
        Price of everything that a cover does not do, USD.
    """
    sites = len(subsets) + elements
    transfer = np.full((sites, sites), forbidding)
    np.fill_diagonal(transfer, 0.0)
    for index, subset in enumerate(subsets):
        for element in subset:
            if not 0 <= element < elements:
                raise InvalidOption(f"subsets[{index}] holds {element}; elements are < {elements}")
            transfer[len(subsets) + element, index] = 0.0
    data = np.hstack([np.zeros((elements, len(subsets))), np.eye(elements)])
    prices = np.r_[np.full(len(subsets), price), np.full(elements, forbidding)]
    return Brokerage.build(
        name="set_cover",
        description=f"{len(subsets)} subsets of {elements} elements as a placement problem.",
        num_sites=sites,
        num_slots=elements,
        num_resources=1,
        transfer_price=transfer,
        base_price=prices[:, None],
        epsilon=1.0,
        jobs=[
            {
                "name": "cover",
                "arrival": 0,
                "departure": elements - 1,
                "data": data,
                "worker_capacity": 1.0,
                "sync_volume": 0.0,
                "deploy_cost": 1.0,
                "worker_demand": [1.0],
                "server_demand": [1.0],
            }
        ],
    )
