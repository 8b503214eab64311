"""Jobs of Eris by slot, and what sites have."""

from farkas.experiments.outlines.outline import Bars, Outline, outline
from farkas.instances.eris import Auction


@outline("eris")
def auction(instance: Auction) -> Outline:
    """Jobs that may still complete in each slot, and capacities of sites."""
    spans = [
        (float(job.arrival), float(min(job.arrival + len(job.utility), instance.slots)))
        for job in instance.jobs
    ]
    amounts = {
        name: [float(site[k]) for site in instance.site_capacity]
        for k, name in enumerate(instance.resource_names)
    }
    return Outline(
        spans=spans,
        end=float(instance.slots),
        spanned="still worth completing",
        bars=[Bars("capacity", [f"site {r}" for r in range(instance.sites)], amounts)],
    )
