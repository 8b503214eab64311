"""Which decisions of a broker's runs are whole and which fractional."""

from __future__ import annotations

import msgspec
import pytest

import farkas
from farkas.errors import NotACertificate
from farkas.instances.mlbroker import FRACTIONAL
from farkas.online import algorithms
from farkas.replay import replay
from farkas.replay.mlbroker import require_slots

WHOLE = [name for name in algorithms.names("mlbroker.") if name not in FRACTIONAL]


def test_slots_are_those_of_the_instance() -> None:
    instance = farkas.load("mlbroker/tiny")
    jobs = [instance.jobs_at(slot).tolist() for slot in range(instance.num_slots)]
    require_slots(instance, jobs)
    with pytest.raises(NotACertificate, match="slot 0 is not about its active jobs"):
        require_slots(instance, jobs[::-1])
    with pytest.raises(NotACertificate, match="1 slots of 2"):
        require_slots(instance, jobs[:1])


def test_only_the_fractional_algorithm_decides_fractions() -> None:
    instance = farkas.load("mlbroker/tiny")
    fractional = farkas.run(instance, "mlbroker.fractional")
    whole = farkas.run(instance, "mlbroker.mlbroker")
    for run, others in ((fractional, WHOLE), (whole, FRACTIONAL)):
        for name in others:
            with pytest.raises(NotACertificate, match="decisions of the run are none of its kind"):
                replay(msgspec.structs.replace(run, algorithm=name), instance)
