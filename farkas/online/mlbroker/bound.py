"""A proved lower bound for runs that prove none themselves."""

import functools
from fractions import Fraction

import numpy as np

from farkas.certificates.mlbroker import Guide, MlbrokerPrices
from farkas.forms import LinearForm
from farkas.instances.mlbroker import Brokerage
from farkas.numbers import Floats
from farkas.online.run import Bound
from farkas.relaxations.mlbroker.separated import Part, Separated
from farkas.solvers.highs_session import multipliers_by_any


@functools.lru_cache(maxsize=8)
def tight_bound(instance: Brokerage) -> Bound:
    """Prove a bound on every run from the tight relaxation, solved job by job."""
    guide = Guide.zeros(instance)
    sources: dict[str, None] = {}
    for job in range(instance.num_jobs):
        part = Part(instance, np.array([job]))
        form = Separated().form(part)
        found = multipliers_by_any(form)
        sources[found.source] = None
        _read(guide, instance, part, form, found.rows)
    proved = MlbrokerPrices.of(instance, guide, "tight")
    method = f"{' and '.join(sources)} of mlbroker.relaxed[tight,printed], job by job"
    return Bound.of(Fraction(proved.bound), method, proved.plain())


def _read(guide: Guide, instance: Brokerage, part: Part, form: LinearForm, duals: Floats) -> None:
    """Copy one job's multipliers; what presence costs from a slot on is what entering there may."""

    def family(name: str) -> Floats:
        values: Floats = np.abs(duals[form.row_block(name).where])
        return values.reshape(-1, instance.num_sites)

    pairs = part.pairs
    needed = instance.workers_needed[pairs][:, None]
    server = family("present_with_server")
    guide.server[pairs] = family("server_is_connected")
    guide.presence[pairs] = server
    paid = needed * family("present_with_workers") + server
    guide.move[pairs] = np.cumsum(paid[::-1], axis=0)[::-1]
