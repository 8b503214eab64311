"""What policies meet, one policy, and what ``farkas optimum`` tries."""

from fractions import Fraction

from farkas.certificates import RunBound, run_bounds
from farkas.decomposition.column_generation import price_tree
from farkas.offline.methods import OfflineSearch, searches
from farkas.offline.price_search import price_search
from farkas.offline.search import policies
from farkas.online import Bound, Outcome, algorithm, environment
from lease.pricing import LeasePricing
from lease.replay import earned, too_full


@environment("lease")
class Desk:
    """Shows one request after the other; a decision is a machine, or -1."""

    sense = "max"

    def known(self, instance):
        """Machines are known in advance."""
        return instance.machines, instance.capacity

    def arrivals(self, instance):
        """One request a step."""
        return instance.requests

    def evaluate(self, instance, decisions):
        """Worth of what is served, and machines that are too full."""
        worths = [{"worth": worth} for worth in earned(instance, decisions)]
        return Outcome(worths, too_full(instance, decisions))

    def bound(self, instance):
        """What prices of all machines together prove."""
        problem = LeasePricing(instance)
        made = problem.certificate(price_tree(problem))
        return Bound.of(Fraction(made.bound), "prices of slots", made.plain())


run_bounds.add("lease", (RunBound("priced_tree", "lease.offline"),))
_methods = policies("lease.first_fit"), price_search(LeasePricing, "prices of slots")
searches.add("lease.optimum", OfflineSearch("lease.optimum", methods=_methods))


@algorithm("lease.first_fit", source="none; an example")
class FirstFit:
    """Serves what fits, on the first machine with room."""

    def start(self, known, seed):
        """Nobody is served yet."""
        return *known, ()

    def step(self, state, arrivals):
        """Count what is held now: what was served earlier only ends."""
        (machines, capacity, served), one = state, arrivals
        held = [0] * machines
        for at, end, units in served:
            held[at] += units if end > one.arrival else 0
        room = [at for at in range(machines) if held[at] + one.units <= capacity]
        if not room:
            return state, -1
        served = (*served, (room[0], one.arrival + one.slots, one.units))
        return (machines, capacity, served), room[0]
