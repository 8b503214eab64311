"""Best ring of one job at given prices on any network, by labels with just enough memory.

A walk lays blocks of workers on hosts and comes back to where it began.  Labels (workers laid,
node) forget which hosts and links the walk has used, so the best walk may put more workers on a
host, or use a link more often, than fit.  Then labels remember those hosts and links, and the
search is repeated: the first best walk that is a ring is the best ring.  Rings begin at their
cheapest host, and labels that cannot lead to more than the best ring known are dropped, so that
near optimal prices little is searched.

The method is decremental state space relaxation (Righini and Salani 2008) with completion bounds.
"""

import heapq
from typing import NamedTuple

import numpy as np

from farkas.compiled import Bools1, Floats1, Floats2, Ints1, Out, compiled

MOST_CODES = 1 << 40
"""Numbers for what labels remember, so that those of labels stay far below 2⁶³."""

FEW_LABELS = 1 << 12
"""Labels for which there is room at first; eight times as many when these are not enough."""


class Arcs(NamedTuple):
    """Directed links, also sorted by the node they leave and by the node they enter.

    Parameters
    ----------
    source, target
        Shape (links,).
    leaving, entering
        Shape (links,), links by source and by target.
    leave, enter
        Shape (nodes + 1,), where the links of each node begin there.
    """

    source: Ints1
    target: Ints1
    leaving: Ints1
    leave: Ints1
    entering: Ints1
    enter: Ints1


class RingTask(NamedTuple):
    """One job at prices.

    Parameters
    ----------
    price
        Shape (nodes,), of a worker.
    cap
        Shape (nodes,), workers of a ring that a node holds.
    length
        Shape (links,), price of one use.
    uses
        Shape (links,), how often a ring may use the link; 0 where it does not fit.
    worth
        Shape (largest size + 1,), gain of each size, -inf where it is not allowed.
    """

    price: Floats1
    cap: Ints1
    length: Floats1
    uses: Ints1
    worth: Floats1


class Frame(NamedTuple):
    """What the search from one host knows beforehand.

    Parameters
    ----------
    start
        Cheapest host of the rings.
    host
        Shape (nodes,), where further workers may sit.
    back
        Shape (nodes,), price of the shortest way back to the start.
    left
        Shape (largest size + 1,), most that a ring of at least so many workers is worth, less the
        price of the workers it lacks.
    """

    start: int
    host: Bools1
    back: Floats1
    left: Floats1


class LabelMemory(NamedTuple):
    """What labels remember: digits of a mixed radix number.

    Parameters
    ----------
    host
        Shape (nodes,), value of the digit that says whether the node has workers; 0 if forgotten.
    link
        Shape (links,), value of the digit that counts uses; 0 if forgotten.
    codes
        One more than the largest number.
    """

    host: Ints1
    link: Ints1
    codes: int


class Ahead(NamedTuple):
    """Most that a ring is worth from here on, by workers laid and node.

    Parameters
    ----------
    free, laid
        Shape (workers, nodes), before and after a block is laid on the node; at least what the
        best ring is worth less what it pays from here on.
    """

    free: Floats2
    laid: Floats2


class Labels(NamedTuple):
    """Best way to every label; a label is ((has just laid, workers), node, code).

    Parameters
    ----------
    key
        Shape (labels,), which label.
    cost
        Shape (labels,).
    before
        Shape (labels,), the place of the label it is reached from, -1 at the start.
    move
        Shape (labels,), link walked, or -1 - workers laid.
    place
        Hash table of places, -1 where there is none; one for every label if these are few.
    """

    key: Ints1
    cost: Floats1
    before: Ints1
    move: Ints1
    place: Ints1


@compiled
def distances(network: Arcs, length: Floats1, uses: Ints1, start: int, back: bool) -> Floats1:
    """Shortest distances from a node, or back to it, over links that may be used."""
    distance = np.full(len(network.leave) - 1, np.inf)
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
    paid = np.full(most + 1, np.inf)
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
    near = np.array([v for v in order[at:] if onto[v] + back[v] < np.inf])
    paid = cheapest_workers(task.price, task.cap, near, 0, size)
    host = np.zeros(len(task.price), np.bool_)
    kept = [start for _ in range(0)]
    shortest = np.inf
    for v in near[1:]:
        # one worker here, the others where they are cheapest, one of them on the start
        detour = onto[v] + back[v]
        if best_with(task.worth, 1, paid) - task.price[v] - detour > floor:
            host[v] = True
            kept.append(v)
            shortest = min(shortest, detour)
    left = np.full(size + 1, -np.inf)
    frame = Frame(start, host, back, left)
    if len(kept) == 0:
        return frame, False
    others = cheapest_workers(task.price, task.cap, np.array(kept), 0, size)
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
    free, laid = np.full((levels, nodes), -np.inf), np.full((levels, nodes), -np.inf)
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
    return Ahead(np.minimum(free, plain.free), np.minimum(laid, plain.laid))


@compiled
def no_labels(count: int, most: int) -> Labels:
    """Room for ``most`` labels out of ``count``."""
    room = min(count, most)
    table = np.full(count if count <= 2 * most else 2 * most + 1, -1)
    return Labels(
        np.empty(room, np.int64), np.empty(room), np.empty(room, np.int64),
        np.empty(room, np.int64), table,
    )  # fmt: skip


@compiled
def found_at(labels: Labels, key: int) -> int:
    """Where in the table the label is, or belongs."""
    at = key % len(labels.place)
    while labels.place[at] >= 0 and labels.key[labels.place[at]] != key:
        at = at + 1 if at + 1 < len(labels.place) else 0
    return at


@compiled
def moved(
    network: Arcs,
    task: RingTask,
    frame: Frame,
    memory: LabelMemory,
    key: int,
    after: Out[Ints1],
    paid: Out[Floats1],
    move: Out[Ints1],
) -> int:
    """Note the labels one move beyond a label, what these pay, and the moves; return how many."""
    nodes, levels, codes = len(task.price), len(task.worth), memory.codes
    code, u = key % codes, key // codes % nodes
    j, laid = key // codes // nodes % levels, key // codes // nodes >= levels
    moves = 0
    digit = memory.host[u]
    if not laid and frame.host[u] and (digit == 0 or code // digit % 2 == 0):
        for m in range(1, min(task.cap[u] + 1, levels - j)):
            after[moves] = ((levels + j + m) * nodes + u) * codes + code + digit
            paid[moves], move[moves] = m * task.price[u], -1 - m
            moves += 1
    for at in range(network.leave[u], network.leave[u + 1]):
        e = network.leaving[at]
        digit = memory.link[e]
        if task.uses[e] == 0:
            continue
        if digit > 0 and code // digit % (task.uses[e] + 1) == task.uses[e]:
            continue
        after[moves] = (j * nodes + network.target[e]) * codes + code + digit
        paid[moves], move[moves] = task.length[e], e
        moves += 1
    return moves


@compiled
def search(
    network: Arcs,
    task: RingTask,
    frame: Frame,
    ahead: Ahead,
    memory: LabelMemory,
    floor: float,
    labels: Out[Labels],
) -> tuple[float, float, int, int]:
    """Best closed walk worth more than ``floor``.

    Returns
    -------
    Its worth, floor if there is none; the most that any walk is worth, more only if the labels did
    not suffice; its last label, -1 if there is none; and how many labels there are.
    """
    nodes, levels, codes = len(task.price), len(task.worth), memory.codes
    start = frame.start
    widest = int((network.leave[1:] - network.leave[:-1]).max()) + levels
    after, paid, move = np.empty(widest, np.int64), np.empty(widest), np.empty(widest, np.int64)
    best, end, used = floor, -1, 0
    heap = [(0.0, 0, 0) for _ in range(0)]
    for m in range(1, min(task.cap[start] + 1, levels)):
        key, total = ((levels + m) * nodes + start) * codes, m * task.price[start]
        worth = ahead.laid[m, start] - total
        if worth > best:
            if used == len(labels.key):
                return best, np.inf, end, used
            labels.place[found_at(labels, key)] = used
            labels.key[used], labels.cost[used] = key, total
            labels.before[used], labels.move[used] = -1, -1 - m
            heapq.heappush(heap, (-worth, -m, used))
            used += 1
    while len(heap) > 0:
        bound, _, here = heapq.heappop(heap)
        if -bound <= best:
            break
        key, cost = labels.key[here], labels.cost[here]
        j, u = key // codes // nodes % levels, key // codes % nodes
        laid = key // codes // nodes >= levels
        if (ahead.laid[j, u] if laid else ahead.free[j, u]) - cost > -bound:
            continue  # a better way has come here since
        if u == start and not laid and task.worth[j] - cost > best:
            best, end = task.worth[j] - cost, here
        moves = moved(network, task, frame, memory, key, after, paid, move)
        for at in range(moves):
            key, total = after[at], cost + paid[at]
            v, k = key // codes % nodes, key // codes // nodes % levels
            worth = (ahead.laid[k, v] if move[at] < 0 else ahead.free[k, v]) - total
            if worth <= best:
                continue
            where = found_at(labels, key)
            there = labels.place[where]
            if there < 0:
                if used == len(labels.key):
                    return best, max(best, -bound), end, used
                there = used
                labels.place[where], labels.key[there] = there, key
                used += 1
            elif total >= labels.cost[there]:
                continue
            labels.cost[there], labels.before[there] = total, here
            labels.move[there] = move[at]
            heapq.heappush(heap, (-worth, -k, there))
    return best, best, end, used


@compiled
def walked(network: Arcs, labels: Labels, codes: int, end: int) -> tuple[Ints1, Ints1]:
    """Workers per node and uses per link of the walk that ends at a label."""
    nodes = len(network.leave) - 1
    workers, flow = np.zeros(nodes, np.int64), np.zeros(len(network.source), np.int64)
    while end >= 0:
        if labels.move[end] < 0:
            workers[labels.key[end] // codes % nodes] -= 1 + labels.move[end]
        else:
            flow[labels.move[end]] += 1
        end = labels.before[end]
    return workers, flow


@compiled
def remember(task: RingTask, workers: Ints1, flow: Ints1, memory: Out[LabelMemory]) -> int:
    """Let labels remember what a walk has overused, as far as numbers reach.

    Returns
    -------
    The number of codes: as before if numbers do not reach, 0 if nothing is overused.
    """
    codes, over = memory.codes, False
    for u in range(len(workers)):
        if workers[u] > task.cap[u]:
            over = True
            if codes < MOST_CODES:
                memory.host[u] = codes
                codes *= 2
    for e in range(len(flow)):
        if flow[e] > task.uses[e]:
            over = True
            if codes < MOST_CODES:
                memory.link[e] = codes
                codes *= task.uses[e] + 1
    return codes if over else 0


@compiled
def fitted(task: RingTask, workers: Ints1, flow: Ints1) -> tuple[float, bool]:
    """Worth of a walk with no more workers on a host than fit, and whether the links fit."""
    size, paid = 0, 0.0
    for u in range(len(workers)):
        size += min(workers[u], task.cap[u])
        paid += min(workers[u], task.cap[u]) * task.price[u]
    for e in range(len(flow)):
        if flow[e] > task.uses[e]:
            return -np.inf, False
        if flow[e] > 0:
            paid += flow[e] * task.length[e]
    return task.worth[size] - paid, True


@compiled
def alone(task: RingTask) -> tuple[float, int, int]:
    """Best ring on one host: its worth, host and size."""
    best, host, size = -np.inf, 0, 0
    for u in range(len(task.price)):
        for k in range(1, min(task.cap[u] + 1, len(task.worth))):
            if task.worth[k] - k * task.price[u] > best:
                best, host, size = task.worth[k] - k * task.price[u], u, k
    return best, host, size


@compiled(steps=lambda network, task, floor, most_labels: 10 * task.price.size * task.worth.size)
def best_ring(
    network: Arcs, task: RingTask, floor: float, most_labels: int
) -> tuple[float, float, Ints1, Ints1]:
    """Best ring worth more than ``floor``.

    Parameters
    ----------
    most_labels
        Remember nothing more after so many labels.

    Returns
    -------
    The worth of the best ring found, or floor; the most that any ring is worth, which is the same
    unless the labels were too many; and workers per node and uses per link of the ring, all 0 if
    none was found.
    """
    nodes, levels = len(task.price), len(task.worth)
    ring, around = np.zeros(nodes, np.int64), np.zeros(len(task.length), np.int64)
    lone, host, size = alone(task)
    if lone > floor:
        floor, ring[host] = lone, size
    most = floor
    hosts = np.flatnonzero(task.cap > 0)
    order = hosts[np.argsort(task.price[hosts], kind="mergesort")]
    memory = LabelMemory(np.zeros(nodes, np.int64), np.zeros(len(task.length), np.int64), 1)
    for at in range(len(order) - 1):
        paid = cheapest_workers(task.price, task.cap, order, at, levels - 1)
        if best_with(task.worth, 0, paid) <= floor:
            break  # nor do dearer hosts
        frame, good = framed(network, task, order, at, floor)
        ahead = plain_ahead(frame, nodes)
        if good and memory.codes > 1:
            ahead = walks_ahead(network, task, frame)
        while good:
            room = FEW_LABELS if memory.codes > 1 else 2 * levels * nodes
            while True:
                labels = no_labels(2 * levels * nodes * memory.codes, room)
                value, bound, end, used = search(network, task, frame, ahead, memory, floor, labels)
                most_labels = max(0, most_labels - used)
                if bound == value or most_labels == 0:
                    break
                room = min(8 * room, max(room, most_labels))
            if end < 0:
                most = max(most, bound)
                break
            workers, flow = walked(network, labels, memory.codes, end)
            codes = remember(task, workers, flow, memory)
            trimmed, fits = fitted(task, workers, flow)
            if fits and trimmed > floor:
                floor, ring, around = trimmed, np.minimum(workers, task.cap), flow
            if codes in (0, memory.codes) or bound > value or most_labels == 0:
                if codes > 0 or bound > value:
                    most = max(most, bound)
                if codes > 0:  # what was overused stays forgotten
                    memory = LabelMemory(memory.host * 0, memory.link * 0, 1)
                break
            if memory.codes == 1:
                ahead = walks_ahead(network, task, frame)
            memory = LabelMemory(memory.host, memory.link, codes)
    return floor, max(most, floor), ring, around
