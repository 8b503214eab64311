"""Real execution: masters multiply coded matrices on workers that straggle.

Workers are threads (numpy's products release the interpreter) or processes.  Each sleeps as long as
its sampled finishing time says, on a time scale of choice, multiplies its block and returns it.  A
master decodes as soon as enough rows have arrived and ignores the rest.
"""

import dataclasses
import time
from concurrent.futures import FIRST_COMPLETED as FIRST
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from typing import Literal

import numpy as np

from farkas.errors import InvalidOption, NoAnswer
from farkas.instances.coded import CodedComputing
from farkas.models.coded.law import Allocation
from farkas.numbers import Floats, Ints
from farkas.online.coded.code import MdsCode


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Executed:
    """What one master computed."""

    product: Floats  #: Shape (rows,); the decoded A x.
    error: float  #: Largest distance from A x, relative to its largest entry.
    seconds: float  #: Wall time until it was decoded.
    #: used, ignored: workers whose rows were decoded from, and those that came too late.
    used: tuple[int, ...]
    ignored: tuple[int, ...]


def work(block: Floats, vector: Floats, seconds: float) -> Floats:
    """Straggle, then multiply: what a worker does."""
    time.sleep(seconds)
    return np.asarray(block @ vector)


def execute(
    data: CodedComputing,
    plan: Allocation,
    matrices: list[Floats],
    vectors: list[Floats],
    rng: np.random.Generator,
    *,
    seconds_per_unit: float = 1e-3,
    workers: Literal["threads", "processes"] = "threads",
) -> list[Executed]:
    """Run every master's product once, coded, on shared workers.

    Parameters
    ----------
    data
        The instance.
    plan
        Shares and loads; loads are rounded up.  A shared worker draws its master.
    matrices, vectors
        A of shape (rows, columns) and x of shape (columns,) of every master.
    rng
        Draws masters of shared workers, then delays, then parity.
    seconds_per_unit
        Wall time per unit of the instance's time.
    workers
        Threads or processes.

    Raises
    ------
    InvalidOption
        When matrices do not fit the instance.
    NoAnswer
        When a master's workers, all done, hold too few rows.
    """
    for master, (matrix, vector) in enumerate(zip(matrices, vectors, strict=True)):
        if matrix.shape != (int(data.rows[master]), len(vector)):
            wanted = (int(data.rows[master]), len(vector))
            raise InvalidOption(f"matrix {master} has shape {matrix.shape}, needed {wanted}")
    owner = draw_masters(plan.share, rng)
    loads = plan.whole_loads.astype(np.int64)
    delays = -np.log1p(-rng.random(data.workers))
    pool: Executor
    pool = (
        ThreadPoolExecutor(data.workers)
        if workers == "threads"
        else ProcessPoolExecutor(data.workers)
    )
    with pool:
        jobs = [
            _start(data, pool, m, np.flatnonzero(owner == m), loads[m], delays, matrices[m],
                   vectors[m], rng, seconds_per_unit)
            for m in range(data.num_masters)
        ]  # fmt: skip
        return [_collect(m, *job) for m, job in enumerate(jobs)]


def draw_masters(share: Floats, rng: np.random.Generator) -> Ints:
    """Master of every worker, −1 where it draws none; shape (workers,)."""
    upper = np.cumsum(share, axis=0)
    choice = rng.random(share.shape[1])
    served = choice < upper
    return np.where(served.any(axis=0), served.argmax(axis=0), -1)


Running = dict[Future[Floats], tuple[int, Ints]]


def _start(
    data: CodedComputing, pool: Executor, master: int, members: Ints, loads: Ints, delays: Floats,
    matrix: Floats, vector: Floats, rng: np.random.Generator, scale: float,
) -> tuple[MdsCode, Running, Floats, float]:  # fmt: skip
    """Encode, cut into blocks and hand them to the workers."""
    members = members[loads[members] > 0]
    rows = int(data.rows[master])
    sent = int(loads[members].sum())
    if sent < rows:
        raise NoAnswer(f"master {master} never has its {rows} rows: {sent} are sent")
    code = MdsCode.gaussian(rows, sent, rng)
    coded = code.encode(matrix)
    ends = np.cumsum(loads[members])
    begin = time.perf_counter()
    running: Running = {}
    for worker, end in zip(members.tolist(), ends.tolist(), strict=True):
        load = int(loads[worker])
        finish = load * (data.shifts[master, worker] + delays[worker] / data.rates[master, worker])
        where = np.arange(end - load, end)
        future = pool.submit(work, coded[where], vector, scale * finish)
        running[future] = (worker, where)
    return code, running, matrix @ vector, begin


def _collect(master: int, code: MdsCode, running: Running, truth: Floats, begin: float) -> Executed:
    """Take results as they come until they suffice."""
    waiting = set(running)
    received: list[Future[Floats]] = []
    count = 0
    while count < code.rows:
        done, waiting = wait(waiting, return_when=FIRST)
        for future in sorted(done, key=lambda f: running[f][0]):
            received.append(future)
            count += len(running[future][1])
    product = code.decode(
        np.concatenate([running[f][1] for f in received]),
        np.concatenate([f.result() for f in received]),
    )
    seconds = time.perf_counter() - begin
    error = float(np.abs(product - truth).max() / max(np.abs(truth).max(), 1e-300))
    used = tuple(sorted(running[f][0] for f in received))
    ignored = tuple(sorted(running[f][0] for f in waiting))
    return Executed(product, error, seconds, used, ignored)
