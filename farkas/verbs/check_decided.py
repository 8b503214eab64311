"""Files that hold decisions: runs, and statements of how far two decisions are apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from farkas.online.run import Run
from farkas.online.run import from_json as run_from_json
from farkas.verbs.check_run import RunProof, prove_run
from farkas.verbs.inputs import InstanceOrName, as_instance

if TYPE_CHECKING:
    from farkas.adversary.gap import Gap, GapProof

    DecidedProof = RunProof | GapProof


def read_decided(content: bytes, where: str) -> Run | Gap:
    """Read a run, or a statement of a gap; raises `FileProblem` when it is neither."""
    if "statement" not in msgspec.json.decode(content, type=dict[str, msgspec.Raw]):
        return run_from_json(content, where)
    from farkas.adversary.gap import from_json

    return from_json(content, where)


def prove_decided(
    found: Run | Gap, instance: InstanceOrName | None, where: str
) -> RunProof | GapProof:
    """Prove a run on its instance, or a gap on one that is the given one or lies in its box."""
    if isinstance(found, Run):
        return prove_run(found, instance, where)
    from farkas.adversary.gap import prove_gap

    if instance is None:
        return prove_gap(found)
    from farkas.verbs.worst_program import placed  # loads programs, which few statements need

    return placed(prove_gap(found), as_instance(instance))
