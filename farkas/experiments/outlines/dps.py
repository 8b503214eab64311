"""Jobs of DPS by slot, and units of servers."""

from farkas.experiments.outlines.outline import Bars, Outline, outline
from farkas.instances.dps import Market


@outline("dps")
def market(instance: Market) -> Outline:
    """Jobs that would hold units in each slot if all were served at once, and units of servers."""
    last = instance.last_held(instance.least_end)
    spans = [
        (float(job.arrival), float(max(end, job.arrival) + 1))
        for job, end in zip(instance.jobs, last.tolist(), strict=True)
    ]
    amounts = {
        f"workers of type {k}": [float(server[k]) for server in instance.server_workers]
        for k in range(instance.num_worker_types)
    } | {
        f"parameter servers of type {k}": [float(server[k]) for server in instance.server_ps]
        for k in range(instance.num_ps_types)
    }
    places = [f"server {m}" for m in range(instance.num_servers)]
    return Outline(
        spans=spans,
        end=float(instance.horizon),
        spanned="running, if all are served",
        bars=[Bars("units", places, amounts)],
    )
