"""Coded rows of matrices, and workers that multiply them while they straggle.

Workers are threads: numpy's products release the interpreter.  Each multiplies its block after its
delay and returns it.  A master decodes as soon as enough rows have arrived and ignores the rest.
"""

import dataclasses
import time
from concurrent.futures import FIRST_COMPLETED as FIRST
from concurrent.futures import Executor, Future, ThreadPoolExecutor, wait
from typing import Self

import numpy as np

from farkas.errors import InvalidOption, NoAnswer
from farkas.instances.coded import CodedComputing
from farkas.models.coded.completion_times import Allocation
from farkas.numbers import Floats, Ints

# Coding for real: any L of the coded rows of a matrix give its product with a vector.
#
# Deterministic real MDS constructions are numerically unusable beyond L = 20 to 40; Gaussian parity
# is MDS with probability 1 and its decoding matrices stay well conditioned.


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class MdsCode:
    """Coded rows of one master, cut in one block a worker."""

    parity: Floats  #: Shape (coded − rows, rows); the first ``rows`` coded rows are the plain ones.
    rows: int  #: L in the paper.

    @classmethod
    def gaussian(cls, rows: int, coded: int, rng: np.random.Generator) -> Self:
        """Systematic code with Gaussian parity N(0, 1/L).

        Raises
        ------
        InvalidOption
            When fewer rows are coded than needed.
        """
        if not 1 <= rows <= coded:
            raise InvalidOption(f"{coded} coded rows cannot recover {rows}")
        return cls(rng.standard_normal((coded - rows, rows)) / np.sqrt(rows), rows)

    @property
    def coded(self) -> int:
        return self.rows + len(self.parity)

    def encode(self, matrix: Floats) -> Floats:
        """Coded rows of a matrix, shape (coded, columns)."""
        return np.vstack([matrix, self.parity @ matrix])

    def decode(self, where: Ints, values: Floats) -> Floats:
        """Product A x from any ``rows`` of the coded products.

        Plain rows are taken as they are; only the missing ones are solved for.

        Parameters
        ----------
        where
            Numbers of the coded rows received, at least ``rows`` different ones.
        values
            Their products with x, shape (received,).

        Raises
        ------
        NoAnswer
            When too few rows were received.
        """
        if len(np.unique(where)) < self.rows:
            received = len(np.unique(where))
            raise NoAnswer(f"{received} coded rows received, {self.rows} are needed")
        product = np.full(self.rows, np.nan)
        plain = where < self.rows
        product[where[plain]] = values[plain]
        missing = np.flatnonzero(np.isnan(product))
        if not len(missing):
            return product
        parity, seen = where[~plain] - self.rows, values[~plain]
        known = np.where(np.isnan(product), 0.0, product)
        rest = seen - self.parity[parity] @ known
        product[missing] = np.linalg.lstsq(self.parity[parity][:, missing], rest, rcond=None)[0]
        return product


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Execution:
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
) -> list[Execution]:
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
    with ThreadPoolExecutor(data.workers) as pool:
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


def _collect(
    master: int, code: MdsCode, running: Running, truth: Floats, begin: float
) -> Execution:
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
    return Execution(product, error, seconds, used, ignored)
