"""What closed walks of one job are worth at most, before any of them is searched."""

import heapq
from typing import NamedTuple

import numpy as np

from farkas.kernels import Bools1, Floats1, Floats2, Ints1, compiled


class Arcs(NamedTuple):
    """Directed links, also sorted by the node they leave and by the node they enter."""

    source: Ints1  #: Shape (links,).
    target: Ints1  #: Shape (links,).
    #: leaving, entering: shape (links,), links by source and by target.
    leaving: Ints1
    leave: Ints1  #: Shape (nodes + 1,), where the links of each node begin there.
    entering: Ints1
    enter: Ints1  #: Shape (nodes + 1,), where the links of each node begin there.


class RingTask(NamedTuple):
    """One job at prices."""

    price: Floats1  #: Shape (nodes,), of a worker.
    cap: Ints1  #: Shape (nodes,), workers of a ring that a node holds.
    length: Floats1  #: Shape (links,), price of one use.
    uses: Ints1  #: Shape (links,), how often a ring may use the link; 0 where it does not fit.
    worth: Floats1  #: Shape (largest size + 1,), gain of each size, -inf where it is not allowed.


class Frame(NamedTuple):
    """What the search from one host knows beforehand."""

    start: int  #: Cheapest host of the rings.
    host: Bools1  #: Shape (nodes,), where further workers may sit.
    back: Floats1  #: Shape (nodes,), price of the shortest way back to the start.
    #: Shape (largest size + 1,), most that a ring of at least so many workers is worth, less the
    #: price of the workers it lacks.
    left: Floats1


class Ahead(NamedTuple):
    """Most that a ring is worth from here on, by workers laid and node."""

    #: free, laid: shape (workers, nodes), before and after a block is laid on the node; at least
    #: what the best ring is worth less what it pays from here on.
    free: Floats2
    laid: Floats2


@compiled(steps=lambda network, length, *rest: len(network.leave) + 2 * len(length))
def distances(network: Arcs, length: Floats1, uses: Ints1, start: int, back: bool) -> Floats1:
    """Shortest distances from a node, or back to it, over links that may be used."""
    distance = np.empty(len(network.leave) - 1)
    distance[:] = np.inf
    distance[start] = 0.0
    heap = [(0.0, start)]
    while len(heap) > 0:
        far, u = heapq.heappop(heap)
        if far > distance[u]:
            continue
        first, last = network.leave[u], network.leave[u + 1]
        if back:
            first, last = network.enter[u], network.enter[u + 1]
        for at in range(first, last):
            e = network.entering[at] if back else network.leaving[at]
            v = network.source[e] if back else network.target[e]
            if uses[e] > 0 and far + length[e] < distance[v]:
                distance[v] = far + length[e]
                heapq.heappush(heap, (distance[v], v))
    return distance


@compiled
def cheapest_workers(price: Floats1, cap: Ints1, order: Ints1, first: int, most: int) -> Floats1:
    """Price of 0, 1, ... ``most`` workers on the hosts of ``order`` from ``first`` on."""
    paid = np.empty(most + 1)
    paid[:] = np.inf
    paid[0] = 0.0
    k = 0
    for at in range(first, len(order)):
        for _ in range(cap[order[at]]):
            if k == most:
                return paid
            paid[k + 1] = paid[k] + price[order[at]]
            k += 1
    return paid


@compiled
def best_with(worth: Floats1, placed: int, paid: Floats1) -> float:
    """Most that more than ``placed`` workers are worth, the others at ``paid``."""
    best = -np.inf
    for k in range(placed + 1, len(worth)):
        best = max(best, worth[k] - paid[k - placed])
    return best


@compiled
def framed(
    network: Arcs, task: RingTask, order: Ints1, at: int, floor: float
) -> tuple[Frame, bool]:
    """Prepare the search for rings whose cheapest host is ``order[at]``; False if none is good."""
    start = order[at]
    size = len(task.worth) - 1
    onto = distances(network, task.length, task.uses, start, False)
    back = distances(network, task.length, task.uses, start, True)
    near, kept, count = np.empty(len(order), np.int64), np.empty(len(order), np.int64), 0
    for k in range(at, len(order)):
        if onto[order[k]] + back[order[k]] < np.inf:
            near[count] = order[k]
            count += 1
    near = near[:count]
    paid = cheapest_workers(task.price, task.cap, near, 0, size)
    host = np.zeros(len(task.price), np.bool_)
    count, shortest = 0, np.inf
    for k in range(1, len(near)):
        v = near[k]
        # one worker here, the others where they are cheapest, one of them on the start
        detour = onto[v] + back[v]
        if best_with(task.worth, 1, paid) - task.price[v] - detour > floor:
            host[v] = True
            kept[count] = v
            count += 1
            shortest = min(shortest, detour)
    left = np.empty(size + 1)
    left[:] = -np.inf
    frame = Frame(start, host, back, left)
    if count == 0:
        return frame, False
    others = cheapest_workers(task.price, task.cap, kept[:count], 0, size)
    good = False
    for j in range(1, size + 1):
        more = best_with(task.worth, j, others)
        left[j] = max(task.worth[j], more)
        if j <= task.cap[start] and more - j * task.price[start] - shortest > floor:
            good = True
    return frame, good


@compiled
def plain_ahead(frame: Frame, nodes: int) -> Ahead:
    """Bound on every label that needs no search: the cheapest workers and the way back."""
    levels = len(frame.left)
    free, laid = np.empty((levels, nodes)), np.empty((levels, nodes))
    for j in range(levels):
        for u in range(nodes):
            free[j, u] = laid[j, u] = frame.left[j] - frame.back[u]
    return Ahead(free, laid)


@compiled
def walks_ahead(network: Arcs, task: RingTask, frame: Frame) -> Ahead:
    """Bound labels by what walks that remember nothing are worth from there on, and plainly."""
    plain = plain_ahead(frame, len(task.price))
    nodes, levels = len(task.price), len(task.worth)
    free, laid = np.empty((levels, nodes)), np.empty((levels, nodes))
    free[:, :] = -np.inf
    laid[:, :] = -np.inf
    for j in range(levels - 1, 0, -1):
        free[j, frame.start] = task.worth[j]
        for u in range(nodes):
            if frame.host[u]:
                for m in range(1, min(task.cap[u] + 1, levels - j)):
                    free[j, u] = max(free[j, u], laid[j + m, u] - m * task.price[u])
        heap = [(0.0, 0) for _ in range(0)]
        for u in range(nodes):
            if free[j, u] > -np.inf:
                heapq.heappush(heap, (-free[j, u], u))
        while len(heap) > 0:
            key, v = heapq.heappop(heap)
            if -key < free[j, v]:
                continue
            for at in range(network.enter[v], network.enter[v + 1]):
                e = network.entering[at]
                if task.uses[e] == 0:
                    continue
                u, worth = network.source[e], free[j, v] - task.length[e]
                laid[j, u] = max(laid[j, u], worth)
                if worth > free[j, u]:
                    free[j, u] = worth
                    heapq.heappush(heap, (-worth, u))
    for j in range(levels):
        for u in range(nodes):
            free[j, u] = min(free[j, u], plain.free[j, u])
            laid[j, u] = min(laid[j, u], plain.laid[j, u])
    return Ahead(free, laid)
