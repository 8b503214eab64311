"""Files of decisions: each is read as what it is, and proved on its instance."""

from __future__ import annotations

import msgspec
import pytest

import farkas
from farkas.errors import FileProblem, MissingInstance, NotACertificate
from farkas.verbs.check_decided import prove_decided, read_decided
from farkas.verbs.worst import worst


def test_runs_and_gaps_are_told_apart() -> None:
    run = farkas.run("mlbroker/tiny", "mlbroker.local")
    gap = worst("mlbroker.local", evaluations=25).gap
    assert read_decided(msgspec.json.encode(run), "run") == run
    assert read_decided(gap.to_json(), "gap") == gap
    both = msgspec.json.encode(msgspec.to_builtins(run) | {"statement": "gap"})
    with pytest.raises(FileProblem, match="no statement of a gap"):
        read_decided(both, "both")


def test_a_run_needs_its_instance_and_a_gap_has_it() -> None:
    run = farkas.run("mlbroker/tiny", "mlbroker.local")
    gap = worst("mlbroker.local", evaluations=25).gap
    with pytest.raises(MissingInstance):
        prove_decided(msgspec.structs.replace(run, instance="mine"), None, "the run")
    assert prove_decided(run, None, "the run").ratio == run.ratio  # it ships
    assert prove_decided(run, "mlbroker/tiny", "the run").ratio == run.ratio
    assert prove_decided(gap, None, "the gap").ratio is not None
    with pytest.raises(NotACertificate):
        prove_decided(gap, "mlbroker/tiny", "the gap")
