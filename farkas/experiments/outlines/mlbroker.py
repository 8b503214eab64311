"""Jobs of mlBroker by slot, and what a cloud's sites charge."""

from farkas.experiments.outlines.outline import Bars, Outline, outline
from farkas.instances.mlbroker import Brokerage


@outline("mlbroker")
def brokerage(instance: Brokerage) -> Outline:
    """Jobs that have to be placed in each slot, and list prices of sites."""
    sites = [f"site {r}" for r in range(instance.num_sites)]
    prices = {
        f"resource {k}": [float(site[k]) for site in instance.base_price]
        for k in range(instance.num_resources)
    }
    spans = [(job.arrival, job.departure + 1) for job in instance.jobs]
    return Outline(
        spans=[(float(start), float(end)) for start, end in spans],
        end=float(instance.num_slots),
        spanned="to be placed",
        bars=[Bars("list price of a unit for a slot", sites, prices)],
    )
