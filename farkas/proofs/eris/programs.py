"""Claims about problems (2), (3) and (4): equivalence, duality, and (2) as printed."""

from collections.abc import Iterator

from farkas.duals.dualize import dualize
from farkas.duals.eris.schedule_dual import ScheduleDual
from farkas.extras import needed
from farkas.instances.eris import Auction
from farkas.models.eris.as_printed import AsPrinted
from farkas.models.eris.offline import Offline, OfflineTotal
from farkas.models.eris.schedule_ilp import ScheduleIlp, ScheduleLp
from farkas.proofs.claim import Verdict, claim, proved
from farkas.proofs.eris.samples import Shape, auctions, resolved
from farkas.proofs.said import Among, Saying, Stated, said
from farkas.proofs.trials import Trials, optimum, refuted_by, require_zero, sp
from farkas.relaxations.eris.columns import relaxation_by_columns
from farkas.tolerances import LOOSE_GAP

SMALL = Shape(sites=2, slots=2, jobs=2, chunks=2)


def agreement(left: float, right: float, worth: float) -> Stated:
    """Both optima are equal; what is far below the ``worth`` of all jobs is noise."""
    return Stated(left, "==", right, LOOSE_GAP, size=worth)


def worth_of(sample: Auction) -> float:
    """Largest worth of every job, added up."""
    return float(sum(max(job.utility) for job in sample.jobs))


def _samples() -> Iterator[Auction]:
    return auctions(20, seed=0, shape=SMALL)


AMONG = Among(samples=_samples)


def _equivalent(sample: Auction) -> Saying:
    best = optimum(Offline().form(sample))
    return said(
        agreement(best, optimum(ScheduleIlp().form(sample)), worth_of(sample)),
        agreement(best, optimum(Offline(moves="explicit").form(sample)), worth_of(sample)),
        given=[resolved(sample)],
    )


@claim(
    "eris.schedules_are_equivalent",
    source="Eris section IV-A, (2) and (3)",
    says=_equivalent,
    among=AMONG,
)
def schedules_are_equivalent() -> Verdict:
    """Choosing listed schedules, (3), is equivalent to problem (2).

    For (2) as corrected in eris.offline, whose compact and explicit forms are compared as well.
    Amounts in use and demands are at least a millionth of what they are added to.
    """
    trials = Trials()
    for sample in auctions(20, seed=1, shape=SMALL):
        for relation in _equivalent(sample).relations:
            trials.add(sample, relation)
    return trials.verdict()


def _totals(sample: Auction) -> Saying:
    by_site, total = optimum(Offline().form(sample)), optimum(OfflineTotal().form(sample))
    return said(Stated(total, "<=", by_site, LOOSE_GAP), all_data=by_site, as_printed=total)


@claim("eris.all_data_processed", source="Eris (2a)", says=_totals, among=AMONG)
def all_data_processed() -> Verdict:
    """Constraint (2a) ensures that all of a job's data are processed.

    It equates totals over the sites, so that one site's chunks may be processed twice and
    another's never.
    """
    note = "processing one site's data twice earns more than any schedule that processes all"
    return refuted_by(_totals, "eris/integrality_gap", note)


def _late_job(sample: Auction) -> Saying:
    printed = printed_without_transfer(sample)
    corrected = optimum(Offline().form(sample))
    return said(
        Stated(printed, ">=", corrected, LOOSE_GAP),
        given=[Stated(int(sample.arrival[0]), ">", 0)],
        as_printed=printed,
        corrected=corrected,
    )


@claim("eris.server_in_every_slot", source="Eris (2c), (2g)", says=_late_job, among=AMONG)
def server_in_every_slot() -> Verdict:
    """Problem (2) can accept a job that arrives after the first slot.

    (2c) demands a server in every slot of an accepted job, (2g) forbids one before its arrival.
    Solved as printed but for (2d), which multiplies variables; leaving it out only helps the job.
    """
    note = "x = Σ z(0) by (2c) and z(0) = 0 by (2g), so x = 0: the job is never accepted"
    return refuted_by(_late_job, "eris/late_arrival", note)


def printed_without_transfer(sample: Auction) -> float:
    """Optimum of (2) as printed without (2d): at least that of (2) as printed."""
    pyo = needed("pyomo.environ")
    model = AsPrinted().to_pyomo(sample)
    model.transfer.deactivate()
    pyo.assert_optimal_termination(pyo.SolverFactory("appsi_highs").solve(model))
    return float(pyo.value(model.welfare))


def _duals(sample: Auction) -> Saying:
    relaxed = ScheduleLp().form(sample)
    value = optimum(relaxed)
    return said(
        agreement(value, optimum(ScheduleDual().form(sample)), worth_of(sample)),
        agreement(value, optimum(dualize(relaxed).form), worth_of(sample)),
        agreement(value, relaxation_by_columns(sample).bound, worth_of(sample)),
        given=[resolved(sample)],
    )


@claim("eris.dual_is_the_dual", source="Eris (4)", says=_duals, among=AMONG)
def dual_is_the_dual() -> Verdict:
    """(4) is the dual of the linear relaxation of (3).

    Three ways: (4) by rules, the relaxation dualised mechanically, and column generation, whose
    Lagrangian bound must meet its master.  Amounts in use and demands are at least a millionth of
    what they are added to.
    """
    trials = Trials()
    for sample in auctions(20, seed=2, shape=SMALL):
        for relation in _duals(sample).relations:
            trials.add(sample, relation)
    return trials.verdict()


@claim("eris.increments_give_the_ratio", source="Eris Lemma 1")
def increments_give_the_ratio() -> Verdict:
    """If each job raises the welfare by at least 1/γ of what it raises (4), γ bounds the ratio.

    Needs that the final point is feasible in (4), which the lemma does not say; see
    eris.payoffs_are_dual_feasible.
    """
    gamma = sp.symbols("gamma", positive=True)
    before, rise, dual, dual_rise = sp.symbols("Gamma dGamma Lambda dLambda", real=True)
    # induction step: slack after = slack before + slack of the increment
    after = (before + rise) - (dual + dual_rise) / gamma
    require_zero(induction_step=after - (before - dual / gamma) - (rise - dual_rise / gamma))
    return proved("by induction over the jobs; needs a final point that is feasible in (4)")
