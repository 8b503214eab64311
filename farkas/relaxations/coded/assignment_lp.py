"""Program coded.assignment_lp: the linear program that P3 with shared workers is."""

import dataclasses

import numpy as np

from farkas.errors import NoAnswer
from farkas.instances.coded import CodedComputing
from farkas.models.coded.assignment import MaxMin, level, tidy
from farkas.models.coded.kernel import Pairs
from farkas.numbers import Floats
from farkas.solvers import solve
from farkas.tolerances import FINE_GAP


class AssignmentLp(MaxMin):
    """Workers shared by probabilities, for the slowest master.  Relaxation of Coded (18).

    For shared workers this *is* P3: for fixed t and k the best load is t/φ whatever k, and the
    expected results become t Σ v k.  So 1/t = max over k of min over masters of Σ v k.
    """

    name = "coded.assignment_lp"


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Sharing:
    """Optimum of the linear program, recomputed from the solver's vertex.

    Parameters
    ----------
    share
        Shape (masters, workers); k.
    prices
        Shape (masters,), >= 0, duals of the masters' rows; π.
    level
        min over masters of Σ v k, 1/time.
    bound
        Σ_n max_m π v / Σ π, 1/time: no shares reach more, whatever π.
    """

    share: Floats
    prices: Floats
    level: float
    bound: float

    @property
    def time(self) -> float:
        """Completion time of P3; infinite when some master cannot be served."""
        return 1.0 / self.level if self.level > 0 else np.inf


def price_bound(speed: Floats, prices: Floats) -> float:
    """Upper bound on the level of any shares, from any prices >= 0 that are not all 0; 1/time."""
    return float((prices[:, None] * speed).max(axis=0).sum() / prices.sum())


def best_sharing(speed: Floats) -> Sharing:
    """Solve the linear program for given speeds; the answer is proved by its own duals.

    Parameters
    ----------
    speed
        Shape (masters, workers), >= 0; v.

    Raises
    ------
    NoAnswer
        When the solver's vertex and its duals do not prove each other optimal.
    """
    alone = speed.sum(axis=1)
    if not alone.all():
        prices = np.where(alone == 0, 1.0, 0.0)
        return Sharing(np.zeros_like(speed), prices, 0.0, 0.0)
    answer = solve(Given().form(Speeds(speed))).require_optimal()
    share = tidy(answer.point[: speed.size].reshape(speed.shape))
    prices = np.abs(answer.row_duals[: len(speed)])
    if not prices.sum() > 0:
        raise NoAnswer("the solver gives no prices of the masters")
    found = Sharing(share, prices, level(speed, share), price_bound(speed, prices))
    if not found.bound - found.level <= FINE_GAP * found.bound:
        raise NoAnswer(
            f"the vertex reaches {found.level:.12g}, its prices allow {found.bound:.12g}"
        )
    return found


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Speeds:
    """Bare speeds, shape (masters, workers), as data of a program."""

    speed: Floats


class Given(MaxMin):
    """The same program on speeds that are given instead of derived."""

    def speeds(self, data: Speeds) -> Floats:
        """Return the speeds themselves."""
        return data.speed


def shared_optimum(data: CodedComputing) -> Sharing:
    """Optimum of P3 with shared workers."""
    return best_sharing(Pairs.of(data).speed)
