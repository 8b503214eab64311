"""What does depend on how an instance is written down, and why; a test sees that it does."""

from __future__ import annotations

import dataclasses
import re

from farkas.tolerances import LOOSE_GAP, ROUNDING, SOLVER_GAP


@dataclasses.dataclass(frozen=True)
class Exempt:
    """Results that a symmetry changes.

    Parameters
    ----------
    results
        Pattern of sort, name and key.
    symmetries
        Pattern of names of symmetries.
    why
        The reason.
    """

    results: str
    symmetries: str
    why: str

    def covers(self, path: str, symmetry: str) -> bool:
        """Whether it is about this result under this symmetry."""
        return bool(re.fullmatch(self.symmetries, symmetry) and re.fullmatch(self.results, path))


EXEMPT: dict[str, tuple[Exempt, ...]] = {
    "coded": (
        Exempt(
            r"(quantity|algorithm) coded\.(uniform|uncoded).*|(convex|program) coded\.loads.*",
            "masters turned|workers turned|worker without speed|twice",
            "master m is given the m-th block of workers as they stand in the file",
        ),
        Exempt(
            r"(quantity|algorithm) coded\.iterated_greedy.*",
            "workers turned",
            "a local optimum: which one depends on the order in which moves are tried",
        ),
        Exempt(
            r"(quantity|algorithm) coded\.iterated_greedy.*",
            "twice",
            "a local optimum: removing a worker and adding it elsewhere has more ways to go",
        ),
        Exempt(
            r"algorithm coded\.chance_.*",
            "twice",
            "all of twice as many masters are late less often",
        ),
        Exempt(
            r"quantity coded\.(expected_integer|expected_integer\.dedicated|uncoded\..*"
            r"|chance\.dedicated|chance\.dedicated\.upper|uniform\.integer_loads)"
            r"|algorithm coded\.(chance_search|chance_stretch|uncoded)\..*",
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
            r"quantity coded\.sca\.step|convex coded\.sca\[printed\]\.optimum",
            "rows in pairs",
            "the printed step adds a square of rows to a square of time",
        ),
        Exempt(
            r"convex coded\.(expected_convex|sca.*)\.optimum",
            "twice",
            "time is measured by what all workers together would need: half of it",
        ),
        Exempt(
            r"convex coded\.sca\[scaled\]\.(claim|optimum)",
            "worker without speed",
            "without the worker Clarabel ends early on `split_worker`",
        ),
    ),
    "dps": (
        Exempt(
            r"quantity dps\.(bfp|bfp_grid|random|dps_random_placement|offline_forced)"
            r"|quantity dps\.(dps|simple|top)\..*|program dps\.offline(_lp)?\[forced\]\..*"
            r"|algorithm dps\.(bfp.*|bwk|dps.*|random|simple|top)\..*",
            "jobs turned",
            "of the jobs of one slot, whoever stands first in the file is served first",
        ),
        Exempt(
            r"program dps\.bfp\..*",
            "empty server",
            "of a single server only",
        ),
        Exempt(
            r"quantity dps\..*_sequence"
            r"|program dps\.(min_servers|placement|placement_sequence)\..*",
            "penniless job",
            "places, or counts, every job, whatever it pays",
        ),
        Exempt(
            r"quantity dps\.(dps|simple|top|random|dps_random_placement).*"
            r"|algorithm dps\.(dps.*|simple|top)\..*",
            "penniless job",
            "prices depend on how many arrive, and on what those decline who are explored",
        ),
        Exempt(
            r"quantity dps\.(dps|simple)\..*|algorithm dps\.(dps_pairs|simple)\..*",
            "slots in front|slot at the end",
            "the confidence radius grows with the number of slots",
        ),
    ),
    "eris": (
        Exempt(
            r"quantity eris\.eris_printed.*|algorithm eris\.(eris|liquid)\..*",
            "jobs turned",
            "the jobs of one slot are served in the order of the file",
        ),
        Exempt(
            r"(quantity|program) eris\.(best_schedule|one_shot|payoff_bound|lagrangian).*"
            r"|quantity eris\.eris_printed_certificate|algorithm eris\.tiresias\..*",
            "resource again",
            "prices (6) are posted for both",
        ),
        Exempt(
            r"program eris\.(best_schedule\[residual\]|offline.*)\.bound",
            "slot at the end",
            "without whole schedules the last part of a job may use the slot",
        ),
    ),
    "gadget": (
        Exempt(
            r"quantity gadget\.(drf|las|fifo)|algorithm gadget\.(drf|las)\..*",
            "worthless job",
            "serves every job, whatever it is worth",
        ),
        Exempt(
            r"quantity gadget\.(greedy_exact|slot_counts|fifo|drf|las)"
            r"|algorithm gadget\.(fifo|drf|gadget|greedy_exact)\..*",
            "jobs turned",
            "equally good jobs, or counts of workers, go by the order of the file",
        ),
        Exempt(
            r"algorithm gadget\.lp_rs_mde\..*",
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
            r"quantity mlbroker\.big_m_smallest",
            "resource in halves",
            "the largest over resources",
        ),
        Exempt(
            r"(quantity|program|convex) mlbroker\.(dual\[printed\]|relaxed\[printed.*"
            r"|regularized\[printed.*|outer\[.*,printed\].*|dual\..*|dual_as_printed.*"
            r"|fractional.*|(offline|one_shot).*single.*\.bound)",
            "dear site|resource in halves",
            "(8c) and (8d) have one constant for all: half of it is free at every site and of"
            " every resource",
        ),
        Exempt(
            r"quantity mlbroker\.local_expected|algorithm mlbroker\.local\..*",
            "dear site",
            "servers stand anywhere, all sites alike",
        ),
        Exempt(
            r"quantity mlbroker\.local_first_site|algorithm mlbroker\.local\..*",
            "sites turned",
            "a server stands at the first site, or at a drawn one",
        ),
        Exempt(
            r"algorithm mlbroker\.(ir|mlbroker)\.(value|exact value|ratio)",
            "jobs turned|sites turned|weightless job",
            "draws follow the order of the file",
        ),
        Exempt(
            r"algorithm mlbroker\.mlbroker\.(value|exact value|ratio)",
            "resource in halves",
            "dependent rounding draws for every resource",
        ),
        Exempt(
            r"(quantity|program) mlbroker\.recourse.*",
            "jobs turned|sites turned|dear site",
            "the deployment that is asked about is laid down in the order of the file",
        ),
        Exempt(
            r"(quantity|algorithm) mlbroker\.central.*",
            "sites turned",
            "of equally cheap sites the first is taken",
        ),
        Exempt(
            r"algorithm mlbroker\.(fractional|gr|ir|mlbroker)\..*"
            r"|convex mlbroker\.regularized\[tight.*|program mlbroker\.outer(\[.*,tight\]|_job).*",
            "dear site",
            "deployment is spread over all sites by the entropy term",
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
    # slots of a fractional run are settled one after the other, each within a gap
    r"(quantity|algorithm) mlbroker\.(fractional|gr|ir|mlbroker).*": LOOSE_GAP,
    r"(program|convex|quantity) .*|algorithm coded\.sca.*": SOLVER_GAP,
}
"""Shares up to which results need to agree, otherwise `ROUNDING`."""


def exempt(path: str, symmetry: str) -> Exempt | None:
    """Return why a result may change, None where it may not."""
    kind = path.split(" ")[1].partition(".")[0]
    return next((each for each in EXEMPT[kind] if each.covers(path, symmetry)), None)


def share(path: str) -> float:
    """Share up to which a result may differ."""
    return next((s for pattern, s in CLOSE.items() if re.fullmatch(pattern, path)), ROUNDING)
