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

from farkas.certificates.arrays import copy_ints
from farkas.kernels import Bools1, Floats1, Floats2, Ints1, Ints2, Out, compiled
from farkas.numbers import Ints

#: Numbers for what labels remember, so that those of labels stay far below 2⁶³.
MOST_CODES = 1 << 40

#: Labels for which there is room at first; eight times as many when these are not enough.
FEW_LABELS = 1 << 12


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


class LabelMemory(NamedTuple):
    """What labels remember: digits of a mixed radix number."""

    #: Shape (nodes,), value of the digit that says whether the node has workers; 0 if forgotten.
    host: Ints1
    link: Ints1  #: Shape (links,), value of the digit that counts uses; 0 if forgotten.
    codes: int  #: One more than the largest number.


class Labels(NamedTuple):
    """Best way to every label; a label is ((has just laid, workers), node, code)."""

    key: Ints1  #: Shape (labels,), which label.
    cost: Floats1  #: Shape (labels,).
    before: Ints1  #: Shape (labels,), the place of the label it is reached from, -1 at the start.
    move: Ints1  #: Shape (labels,), link walked, or -1 - workers laid.
    #: Hash table of places, -1 where there is none; one for every label if these are few.
    place: Ints1


@compiled
def no_labels(count: int, most: int) -> Labels:
    """Room for ``most`` labels out of ``count``."""
    room = min(count, most)
    table = np.empty(count if count <= 2 * most else 2 * most + 1, np.int64)
    table[:] = -1
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
    memory: LabelMemory,
    floor: float,
    labels: Out[Labels],
) -> tuple[float, float, int, int]:
    """Best closed walk worth more than ``floor``.

    Returns its worth, floor if there is none; the most that any walk is worth, more only if the
    labels did not suffice; its last label, -1 if there is none; and how many labels there are.
    """
    nodes, levels, codes = len(task.price), len(task.worth), memory.codes
    start = frame.start
    widest = 0
    for u in range(nodes):
        widest = max(widest, network.leave[u + 1] - network.leave[u])
    widest += levels
    after, paid, move = np.empty(widest, np.int64), np.empty(widest), np.empty(widest, np.int64)
    best, end, used = floor, -1, 0
    heap = [(0.0, 0, 0) for _ in range(0)]
    for m in range(1, min(task.cap[start] + 1, levels)):
        key, total = ((levels + m) * nodes + start) * codes, m * task.price[start]
        worth = frame.left[m] - frame.back[start] - total
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
        if frame.left[j] - frame.back[u] - cost > -bound:
            continue  # a better way has come here since
        if u == start and not laid and task.worth[j] - cost > best:
            best, end = task.worth[j] - cost, here
        moves = moved(network, task, frame, memory, key, after, paid, move)
        for at in range(moves):
            key, total = after[at], cost + paid[at]
            v, k = key // codes % nodes, key // codes // nodes % levels
            worth = frame.left[k] - frame.back[v] - total
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
    """Let labels remember what a walk has overused, as far as numbers reach; return how many codes.

    As many as before if numbers do not reach, 0 if nothing is overused.
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


@compiled
def _best_of_one(
    network: Arcs, task: RingTask, floor: float, most_labels: int
) -> tuple[float, float, Ints1, Ints1, int]:
    """As `best_ring`; kernels call this one."""
    nodes, levels = len(task.price), len(task.worth)
    ring, around = np.zeros(nodes, np.int64), np.zeros(len(task.length), np.int64)
    lone, host, size = alone(task)
    if lone > floor:
        floor, ring[host] = lone, size
    most, followed = floor, 0
    order, count = np.argsort(task.price, kind="mergesort"), 0
    for u in order:
        if task.cap[u] > 0:
            order[count] = u
            count += 1
    order = order[:count]
    memory = LabelMemory(np.zeros(nodes, np.int64), np.zeros(len(task.length), np.int64), 1)
    for at in range(len(order) - 1):
        paid = cheapest_workers(task.price, task.cap, order, at, levels - 1)
        if best_with(task.worth, 0, paid) <= floor:
            break  # nor do dearer hosts
        frame, good = framed(network, task, order, at, floor)
        while good:
            room = FEW_LABELS if memory.codes > 1 else 2 * levels * nodes
            while True:
                labels = no_labels(2 * levels * nodes * memory.codes, room)
                value, bound, end, used = search(network, task, frame, memory, floor, labels)
                most_labels, followed = max(0, most_labels - used), followed + used
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
                floor, ring, around = trimmed, workers, flow
                for u in range(nodes):
                    ring[u] = min(ring[u], task.cap[u])
            if codes in (0, memory.codes) or bound > value or most_labels == 0:
                if codes > 0 or bound > value:
                    most = max(most, bound)
                if codes > 0:  # what was overused stays forgotten
                    memory.host[:] = 0
                    memory.link[:] = 0
                    memory = LabelMemory(memory.host, memory.link, 1)
                break
            memory = LabelMemory(memory.host, memory.link, codes)
    return floor, max(most, floor), ring, around, followed


@compiled(
    steps=lambda network, worker, cap, length, uses, worth, *_: 10 * worker.size * worth.shape[1]
)
def best_rings(
    network: Arcs,
    worker: Floats2,
    cap: Ints2,
    length: Floats2,
    uses: Ints2,
    worth: Floats2,
    largest: Ints1,
    floor: Floats1,
    most_labels: int,
) -> tuple[Floats1, Floats1, Ints2, Ints2, int]:
    """As `best_ring`, of many jobs at once: a row a job, and how many labels were followed in all.

    ``worker``, ``cap``, ``length``, ``uses`` and ``worth`` are fields of `RingTask`; ``largest``
    and ``floor`` have shape (jobs,); ``most_labels`` is of each job.
    """
    best, most, followed = np.empty(len(floor)), np.empty(len(floor)), 0
    workers, flow = np.empty(cap.shape, np.int64), np.empty(uses.shape, np.int64)
    for i in range(len(floor)):
        task = RingTask(worker[i], cap[i], length[i], uses[i], worth[i, : largest[i] + 1])
        best[i], most[i], ring, around, labels = _best_of_one(network, task, floor[i], most_labels)
        copy_ints(ring, workers[i])
        copy_ints(around, flow[i])
        followed += labels
    return best, most, workers, flow, followed


def best_ring(
    network: Arcs, task: RingTask, floor: float, most_labels: int
) -> tuple[float, float, Ints, Ints, int]:
    """Best ring worth more than ``floor``; nothing more is remembered after ``most_labels`` labels.

    Returns the worth of the best ring found, or floor; the most that any ring is worth, which is
    the same unless the labels were too many; workers per node and uses per link, all 0 if none was
    found; and how many labels were followed.
    """
    best, most, workers, flow, followed = best_rings(
        network, np.atleast_2d(task.price), np.atleast_2d(task.cap), np.atleast_2d(task.length),
        np.atleast_2d(task.uses), np.atleast_2d(task.worth), np.array([len(task.worth) - 1]),
        np.array([floor]), most_labels,
    )  # fmt: skip
    return float(best[0]), float(most[0]), workers[0], flow[0], followed
