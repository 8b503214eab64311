"""The market of one slot, cut out of an instance of kind mlbroker."""

import msgspec

from farkas.instances.mlbroker import Brokerage
from farkas.numbers import Ints


def market_of(instance: Brokerage, slot: int, jobs: Ints) -> Brokerage:
    """Instance of one slot, slot 0, with these jobs only, which are active in it."""
    chosen = []
    for job in (instance.jobs[i] for i in jobs.tolist()):
        row = job.data[slot - job.arrival]
        chosen.append(msgspec.structs.replace(job, arrival=0, departure=0, data=(row,)))
    return msgspec.structs.replace(instance, num_slots=1, big_m=None, jobs=tuple(chosen))
