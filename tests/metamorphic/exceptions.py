"""What does depend on how an instance is written down, and why; a test sees that it does."""

from __future__ import annotations

import dataclasses
import math
import re

from farkas.tolerances import LOOSE_GAP, ROUNDING, SOLVER_GAP


@dataclasses.dataclass(frozen=True)
class Exempt:
    """Results that a symmetry changes."""

    results: str  #: Pattern of sort, name and key.
    symmetries: str  #: Pattern of names of symmetries.
    why: str  #: The reason.

    def covers(self, path: str, symmetry: str) -> bool:
        """Whether it is about this result under this symmetry."""
        return bool(re.fullmatch(self.symmetries, symmetry) and re.fullmatch(self.results, path))


WORTH = "(value|exact value|ratio)"
"""What decisions are worth; the bound on them, and that they keep every rule, are not exempt."""

EXEMPT: dict[str, tuple[Exempt, ...]] = {
    "coded": (
        Exempt(
            r"program coded\.worst_simple_greedy.*",
            "worker without speed|twice",
            "of workers that every master may use only, whose smallest speed is an end of the box",
        ),
        Exempt(
            r"quantity coded\.(uniform|uncoded).*|(convex|program) coded\.loads.*"
            rf"|algorithm coded\.uniform\.({WORTH}|violations)|algorithm coded\.uncoded\..*",
            "masters turned|workers turned|worker without speed|twice",
            "master m is given the m-th block of workers as they stand in the file",
        ),
        Exempt(
            r"quantity coded\.iterated_greedy(\.local)?"
            rf"|algorithm coded\.iterated_greedy\.{WORTH}",
            "workers turned",
            "a local optimum: which one depends on the order in which moves are tried",
        ),
        Exempt(
            r"quantity coded\.iterated_greedy(\.local|\.lexicographic)?"
            rf"|algorithm coded\.iterated_greedy\.({WORTH}|violations)",
            "twice",
            "a local optimum: moves have more ways to go, and none lifts two least masters at once",
        ),
        Exempt(
            rf"algorithm coded\.chance_.*\.{WORTH}",
            "twice",
            "all of twice as many masters are late less often",
        ),
        Exempt(
            r"quantity coded\.(expected_integer|expected_integer\.dedicated|uncoded\..*"
            r"|chance\.dedicated|chance\.dedicated\.upper|uniform\.integer_loads)"
            rf"|algorithm coded\.chance_search\.{WORTH}",
            "rows in pairs",
            "loads are whole rows: half a row more or less is possible now",
        ),
        Exempt(
            r"quantity coded\.chance\.plan\[\w+\]\.expected_results",
            "rows in pairs",
            "counts rows, of which there are twice as many",
        ),
        Exempt(
            r"quantity coded\.chance\.(plan\[\w+\]\.(joint_quantile|mean)|dedicated.*)",
            "twice",
            "the latest of twice as many masters is later, and too many are not enumerated",
        ),
        Exempt(
            r"quantity coded\.sca\.step|convex coded\.sca\[printed\]\.optimum"
            rf"|algorithm coded\.sca\.{WORTH}",
            "rows in pairs",
            "the printed step adds a square of rows to a square of time",
        ),
        Exempt(
            r"convex coded\.(expected_convex|sca.*)\.optimum"
            rf"|algorithm coded\.sca(\[scaled\])?\.{WORTH}",
            "twice",
            "time is measured by what all workers together would need: half of it",
        ),
        Exempt(
            rf"algorithm coded\.round_lp\.{WORTH}",
            "twice",
            "rounds a vertex, of which there are more",
        ),
        Exempt(
            r"convex coded\.sca\[(scaled|printed)\]\.claim",
            "twice",
            "Clarabel ends near its tolerance where it ended within it, or the other way round",
        ),
    ),
    "dps": (
        Exempt(
            r"quantity dps\.(bfp|bfp_grid|random|dps_random_placement|offline_forced)"
            r"|quantity dps\.(dps|simple|top)\..*|program dps\.offline(_lp)?\[forced\]\..*"
            rf"|algorithm dps\.(bfp.*|dps.*|learned|random|simple|top)\.{WORTH}",
            "jobs turned",
            "of the jobs of one slot, whoever stands first in the file is served first",
        ),
        Exempt(
            r"quantity dps\..*_sequence"
            r"|program dps\.(min_servers|placement|placement_sequence)\..*",
            "penniless job",
            "places, or counts, every job, whatever it pays",
        ),
        Exempt(
            r"quantity dps\.(dps|simple|top|random|dps_random_placement).*"
            rf"|algorithm dps\.(dps.*|simple|top)\.{WORTH}",
            "penniless job",
            "prices depend on how many arrive, and on what those decline who are explored",
        ),
        Exempt(
            r"quantity dps\.(dps|simple)\..*"
            rf"|algorithm dps\.(dps_pairs|simple)\.{WORTH}",
            "slots in front|slot at the end",
            "the confidence radius grows with the number of slots",
        ),
        Exempt(
            rf"algorithm dps\.learned\.{WORTH}",
            "slots in front|slot at the end",
            "what is expected follows from the slots so far, the reserve from their number",
        ),
        Exempt(
            r"program dps\.fluid_bound\..*",
            "slots in front|slot at the end",
            "the first term of (3) sells a unit in every slot in which a job does not run",
        ),
        Exempt(
            r"program dps\.fluid_bound\..*",
            "penniless job",
            "(3) has the mean runtime of all jobs of a type, whether they buy or not",
        ),
    ),
    "eris": (
        Exempt(
            rf"algorithm eris\.learned\.{WORTH}",
            "slots in front",
            "as many jobs are expected as came in an average slot since the first",
        ),
        Exempt(
            r"quantity eris\.eris_printed.*"
            rf"|algorithm eris\.(eris|(antman|liquid)(\[literal\])?)\.{WORTH}",
            "jobs turned",
            "the jobs of one slot are served in the order of the file",
        ),
        Exempt(
            r"(quantity|program) eris\.(best_schedule|one_shot|payoff_bound|lagrangian).*"
            rf"|quantity eris\.eris_printed_certificate|algorithm eris\.tiresias\.{WORTH}",
            "resource again",
            "prices (6) are posted for both",
        ),
        Exempt(
            r"program eris\.(best_schedule(_pairs)?\[residual\]|offline.*)\.bound",
            "slot at the end",
            "without whole schedules the last part of a job may use the slot",
        ),
    ),
    "gadget": (
        Exempt(
            r"program gadget\.worst_fifo.*",
            "empty server",
            "of a single server only",
        ),
        Exempt(
            r"program gadget\.worst_fifo.*",
            "jobs turned",
            "the jobs of one slot queue in the order of the file",
        ),
        Exempt(
            rf"quantity gadget\.(drf|las)|algorithm gadget\.(drf|las)\.{WORTH}",
            "worthless job",
            "serves every job, whatever it is worth",
        ),
        Exempt(
            r"quantity gadget\.(greedy_exact|slot_counts|fifo|drf)"
            rf"|algorithm gadget\.(columns|drf|fifo|gadget|greedy_exact)\.{WORTH}",
            "jobs turned",
            "equally good jobs, or counts of workers, go by the order of the file",
        ),
        Exempt(
            rf"algorithm gadget\.gadget\.{WORTH}",
            "nodes turned",
            "draws, and ties between servers, follow the order of the file",
        ),
        Exempt(
            r"program gadget\.tree\..*",
            "dead link",
            "refuses what is no tree",
        ),
    ),
    "mlbroker": (
        Exempt(
            r"program mlbroker\.worst_local.*",
            "sites turned|dear site",
            "servers stand at drawn sites, and data may be collected at every one",
        ),
        Exempt(
            r"quantity mlbroker\.big_m_smallest",
            "resource in halves",
            "the largest over resources",
        ),
        Exempt(
            r"(quantity|program|convex) mlbroker\.(dual\[printed\]|relaxed\[printed.*"
            r"|regularized\[printed.*|outer\[.*,printed\].*|dual\..*"
            r"|fractional.*|(offline|one_shot).*single.*\.bound)"
            rf"|algorithm mlbroker\.fractional\.({WORTH}|bound)"
            rf"|algorithm mlbroker\.(gr|ir|mlbroker)\.{WORTH}",
            "dear site|resource in halves",
            "(8c) and (8d) have one constant for all: half of it is free at every site and of"
            " every resource",
        ),
        Exempt(
            r"(quantity|program) mlbroker\.dual_as_printed.*",
            "resource in halves",
            "so is that of the printed dual, which is none",
        ),
        Exempt(
            rf"quantity mlbroker\.local_expected|algorithm mlbroker\.local\.{WORTH}",
            "dear site",
            "servers stand anywhere, all sites alike",
        ),
        Exempt(
            rf"quantity mlbroker\.local_first_site|algorithm mlbroker\.local\.{WORTH}",
            "sites turned",
            "a server stands at the first site, or at a drawn one",
        ),
        Exempt(
            rf"algorithm mlbroker\.(ir|mlbroker)(\[tight\])?\.{WORTH}",
            "jobs turned|sites turned|weightless job",
            "draws follow the order of the file",
        ),
        Exempt(
            rf"algorithm mlbroker\.mlbroker\[tight\]\.{WORTH}",
            "resource in halves",
            "dependent rounding draws for every resource",
        ),
        Exempt(
            r"quantity mlbroker\.recourse.*",
            "jobs turned|sites turned|dear site",
            "the deployment that is asked about is laid down in the order of the file",
        ),
        Exempt(
            r"program mlbroker\.recourse.*",
            "sites turned|dear site",
            "transfer to that deployment: sites are filled in the order of the file",
        ),
        Exempt(
            rf"quantity mlbroker\.central.*|algorithm mlbroker\.central\.{WORTH}",
            "sites turned",
            "of equally cheap sites the first is taken",
        ),
        Exempt(
            rf"algorithm mlbroker\.pooled\.{WORTH}",
            "sites turned",
            "of equally cheap placements of a slot the first is taken, and the next slot remembers",
        ),
        Exempt(
            rf"algorithm mlbroker\.fractional\[tight\]\.({WORTH}|bound)"
            r"|convex mlbroker\.regularized\[tight,.*\]\.optimum"
            r"|program mlbroker\.outer\[.*,tight\]\.(optimum|bound)",
            "dear site",
            "deployment is spread over all sites by the entropy term, and rounded to some of them",
        ),
        Exempt(
            r"quantity mlbroker\.(oasis|one_shot)",
            "weightless job",
            "not given where idle workers are free",
        ),
    ),
}
"""By kind; the first that covers a result counts."""

CLOSE = {
    # a part of a cost that is flat at its least point: off by the root of the gap of the whole
    r"quantity mlbroker\.fractional\[.*\]\.moving": math.sqrt(LOOSE_GAP),
    # slots of a fractional run are settled one after the other, each within a gap
    r"(quantity|algorithm) mlbroker\.(fractional|gr|ir|mlbroker).*": LOOSE_GAP,
    # steps from point to point, each solved within a gap
    r"algorithm coded\.sca.*": LOOSE_GAP,
    r"(program|convex|quantity) .*": SOLVER_GAP,
}
"""Shares up to which results need to agree, otherwise `ROUNDING`."""


def exempt(path: str, symmetry: str) -> Exempt | None:
    """Return why a result may change, None where it may not."""
    kind = path.split(" ")[1].partition(".")[0]
    return next((each for each in EXEMPT[kind] if each.covers(path, symmetry)), None)


def share(path: str) -> float:
    """Share up to which a result may differ."""
    return next((s for pattern, s in CLOSE.items() if re.fullmatch(pattern, path)), ROUNDING)
