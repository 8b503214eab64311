"""Prove what a store claims again, believing nothing that stands in it."""

import functools
import math
from collections.abc import Iterator

import msgspec

from farkas.certificates.packed import rational
from farkas.certificates.proof import ratio_at_most, rounded
from farkas.errors import FarkasError
from farkas.experiments.sweeps.store import Result, Store
from farkas.instances import Instance
from farkas.online.run import from_builtins
from farkas.tolerances import close
from farkas.verbs.verdicts import run_verdict, solve_verdict
from farkas.words import named


def prove_again(store: Store, share: float = 1.0) -> Iterator[tuple[Result, str]]:
    """Yield every sampled result that claims a bound, with ``"proved again"`` or the objection.

    The certificate is checked against the instance of the store, the bound against what it proves,
    and the ratio against value and bound.  Values are proved, too: decisions of runs are replayed,
    as by `farkas.check`, and points of solves, which their certificates hold, are checked exactly.
    Where neither is there, it is ``"bound proved again"``, and the value the store's word.
    Objections begin with ``"rejected"``, also those to a bound without a certificate.

    Parameters
    ----------
    store
        Results of a sweep.
    share
        Share of the results to look at, in [0, 1]; chosen by address, so always the same ones.
    """
    instance = functools.cache(store.instance)
    for result in store.results(output=True):
        if result.status == "done" and result.bound and int(result.key[:8], 16) < share * 2**32:
            try:
                yield (
                    result,
                    _objection(result) or _verdict(result, instance(result.task.instance)),
                )
            except FarkasError as error:
                yield result, f"rejected: {error}"


def _verdict(result: Result, instance: Instance) -> str:
    """Audit a run, or prove bound and point of a solve."""
    if result.task.kind != instance.kind:
        return f"rejected: the task is of kind {named(result.task.kind)}, not {instance.kind}"
    if result.task.what != "run":
        return solve_verdict(result.task.solved(msgspec.structs.asdict(result)), instance)
    run = from_builtins(result.output)
    task, bound = result.task, None if run.certificate is None else run.certificate.exact
    value = run.value if math.isfinite(run.value) else None
    own = (run.algorithm, run.options, run.manifest.seed, value, bound, run.ratio)
    if own != (task.name, task.options, task.seed, result.value, result.bound, result.ratio):
        return "rejected: the run that is kept is not the one that the store tells of"
    return run_verdict(run, instance)


def _objection(result: Result) -> str:
    """Why the ratio does not follow from value and bound; empty when it does."""
    if result.ratio is None or result.value is None:
        return ""
    bound = rational(result.bound, "bound")
    sense = (result.output or {}).get("sense")
    if sense not in ("min", "max"):
        return "rejected: the run does not say whether it minimises"
    ratio = ratio_at_most(sense, result.value, bound, exact=False)
    if ratio is None or not close(ratio, result.ratio):
        proved = "none" if ratio is None else rounded(ratio, up=True)
        return f"rejected: the ratio {result.ratio:.9g} should be {proved}"
    return ""
