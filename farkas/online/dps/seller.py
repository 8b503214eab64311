"""What all sellers share: release what is over, look whether the job fits, quote, place."""

import dataclasses
import inspect
from collections.abc import Iterable
from typing import Any, ClassVar, TypeVar

import numpy as np

from farkas.instances.dps import Market
from farkas.kernels import Kernel
from farkas.numbers import Floats, Ints
from farkas.online.dps import kernel
from farkas.online.dps.cluster import IdleUnits, Running
from farkas.online.dps.offers import Ask, Decision, Known, Offer, Outcome, Quote
from farkas.online.dps.pricing import Placing
from farkas.online.dps.sales import Sales
from farkas.online.dps.simulation import Simulation
from farkas.online.policy import Policy

Numbers = Floats | Ints


@dataclasses.dataclass(slots=True, eq=False)
class SellerState:
    """Cluster and random numbers; sellers that learn add what they learned."""

    known: Known
    cluster: IdleUnits
    rng: np.random.Generator


S = TypeVar("S", bound=SellerState)


class Seller(Policy):
    """Base of the step-by-step sellers.  A subclass overrides the hooks it needs.

    A market that is given as a whole is handled by `step`; one that runs, by the two halves of it,
    `priced` and `settled` (`farkas.online.dps.running`).
    """

    placement: Placing = "pa"

    #: Whether users have to say on arrival what they would pay and how long their jobs run.
    asks_for_reports = False

    #: What `simulate` handles a whole market by; None where a seller has only steps.
    one_pass: ClassVar[Kernel[..., None] | None] = None

    def simulate(self, market: Market, seed: int = 0, *, log: bool = False) -> Simulation:
        """Handle a whole market by `one_pass`; ``log`` keeps placements."""
        raise NotImplementedError

    def decide(self, instance: Market, seed: int) -> Sales | None:
        """Decide as `step` does, if there is machine code for it or enough to do to compile some.

        Returns None otherwise.
        """
        steps = kernel.steps(instance.num_jobs, instance.num_servers)
        if self.one_pass is None or self._deviates() or not self.one_pass.prepare(steps):
            return None
        return Sales.of(self.simulate(instance, seed, log=True))

    def _deviates(self) -> bool:
        """Whether anything that decides is not that of the class whose kernel this is."""
        own = type(self)
        owner = next(cls for cls in own.__mro__ if "one_pass" in vars(cls))
        names = [name for name in dir(owner) if not name.startswith("__")]
        steps = [n for n in names if inspect.isroutine(inspect.getattr_static(owner, n))]
        return (
            own.quotes_blindly != owner.quotes_blindly  # type: ignore[attr-defined]
            or not vars(self).keys().isdisjoint(steps)
            or any(
                inspect.getattr_static(own, name) is not inspect.getattr_static(owner, name)
                for name in steps
            )
        )

    def start(self, known: Known, seed: int) -> Any:
        """Start with empty servers."""
        rng = np.random.default_rng(seed)
        return SellerState(known, IdleUnits(known, self.placement, rng), rng)

    def step(self, state: Any, arrivals: Offer) -> tuple[Any, Decision]:
        """Handle one job."""
        for job in state.cluster.release(arrivals.slot):
            self.finished(state, job)
        quote = self.priced(state, arrivals)
        accepted = quote.fits and (quote.free or arrivals.accepts(quote.payment))
        return state, self.settled(state, arrivals, quote, accepted)

    def priced(self, state: Any, ask: Ask) -> Quote:
        """Take note of an arrival and quote a price, or none."""
        explores = self.arrived(state, ask)
        fits = state.cluster.fits(ask)
        if not explores and (fits or self.quotes_blindly):
            return dataclasses.replace(self.quote(state, ask), fits=fits)
        return Quote(fits=fits, exploring=explores)

    def settled(self, state: Any, ask: Ask, quote: Quote, accepted: bool) -> Decision:
        """Learn the user's answer and serve the job if it was accepted."""
        prices = quote.worker_price, quote.ps_price
        if not quote.fits:
            return Decision("full", 0.0, *prices, exploring=quote.exploring)
        if not quote.free:
            self.answered(state, ask, quote, accepted)
        if not accepted:
            return Decision("declined", 0.0, *prices)
        outcome: Outcome = "explored" if quote.free else "sold"
        servers, workers, ps = state.cluster.place(ask)
        return Decision(outcome, quote.payment, *prices, servers, workers, ps, quote.exploring)

    quotes_blindly = False  #: Whether a price is made even for jobs that do not fit.

    def finished(self, state: Any, job: Running) -> None:
        """Learn that a job is over."""

    def arrived(self, state: Any, ask: Ask) -> bool:
        """Take note of an arrival; return whether it is served free of charge to learn."""
        return False

    def quote(self, state: Any, ask: Ask) -> Quote:
        """Quote a price for a job that is not explored."""
        raise NotImplementedError

    def answered(self, state: Any, ask: Ask, quote: Quote, accepted: bool) -> None:
        """Learn whether a job that fits was sold at its quote."""

    def remembered(self, state: Any) -> dict[str, Numbers]:
        """Arrays that hold all that was learned, by name."""
        return {}

    def recall(self, state: Any, names: Iterable[str]) -> dict[str, Numbers]:
        """Arrays of a new state in which what was remembered under these names has its place."""
        return self.remembered(state)

    def at(self, ask: Ask, worker_price: float, ps_price: float, *arms: Any) -> Quote:
        """Quote of unit prices."""
        payment = ask.payment(worker_price, ps_price)
        return Quote(worker_price, ps_price, payment, arms=arms)
