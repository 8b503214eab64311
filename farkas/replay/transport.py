"""Cheapest transport between few places, in whole numbers: no solver is believed."""

from collections.abc import Sequence


def cheapest(volume: Sequence[int], room: Sequence[int], price: Sequence[Sequence[int]]) -> int:
    """Least cost of moving everything, by volumes of origins, room of targets and prices of units.

    Every origin first moves to where that is cheapest.  Then, while a target holds more than fits,
    what is too much moves on along the cheapest chain of exchanges to the nearest target with
    room.  Successive shortest paths: after each step no other plan of the same loads is cheaper.

    >>> cheapest([3, 1], [2, 5], [[0, 4], [1, 2]])
    6
    """
    targets = [target for target, most in enumerate(room) if most]
    held: dict[int, dict[int, int]] = {target: {} for target in targets}
    spare = {target: room[target] for target in targets}
    for origin, amount in enumerate(volume):
        if amount:
            nearest = min(targets, key=price[origin].__getitem__)
            held[nearest][origin] = amount
            spare[nearest] -= amount
    for target in targets:
        while spare[target] < 0:
            _relieve(target, held, spare, price)
    return sum(
        price[origin][target] * amount
        for target, origins in held.items()
        for origin, amount in origins.items()
    )


def _relieve(
    full: int,
    held: dict[int, dict[int, int]],
    spare: dict[int, int],
    price: Sequence[Sequence[int]],
) -> None:
    """Move some of what is too much at ``full`` along the cheapest chain."""
    cost, step = {full: 0}, {}
    changed = [full]
    while changed:  # Bellman and Ford; prices of exchanges may be negative, those of cycles not
        here = changed.pop(0)
        for there in held:
            for origin in held[here]:
                through = cost[here] + price[origin][there] - price[origin][here]
                if there not in cost or through < cost[there]:
                    cost[there], step[there] = through, (here, origin)
                    if there not in changed:
                        changed.append(there)
    end = min((there for there in cost if spare[there] > 0), key=cost.__getitem__)
    chain = []
    there = end
    while there != full:
        here, origin = step[there]
        chain.append((here, origin, there))
        there = here
    amount = min(-spare[full], spare[end], *(held[here][origin] for here, origin, _ in chain))
    for here, origin, there in chain:
        left = held[here].pop(origin) - amount
        if left:
            held[here][origin] = left
        held[there][origin] = held[there].get(origin, 0) + amount
    spare[full] += amount
    spare[end] -= amount
