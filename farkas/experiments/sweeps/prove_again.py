"""Prove what a store claims again, believing nothing that stands in it."""

import functools
from collections.abc import Iterator

from farkas.errors import FarkasError
from farkas.experiments.sweeps.store import Result, Store
from farkas.instances import Instance
from farkas.online.run import Bound, certified_ratio, from_builtins
from farkas.tolerances import close
from farkas.verbs.check import run_verdict, verdict


def prove_again(store: Store, share: float = 1.0) -> Iterator[tuple[Result, str]]:
    """Yield every sampled result that claims a bound, with ``"proved again"`` or the objection.

    The certificate is checked against the instance of the store, the bound against what it proves,
    and the ratio against value and bound.  Decisions of runs are replayed, as by `farkas.check`.
    Objections begin with ``"rejected"``; the bound of a
    result that keeps no certificate is ``"not kept"``.

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
    """Audit a run, or prove the certificate of a solve."""
    if result.task.what != "run":
        return verdict(_certificate(result), result.bound, instance, result.task.bounded_by)
    run = from_builtins(result.output)
    task, bound = result.task, None if run.certificate is None else run.certificate.exact
    own = (run.algorithm, run.options, run.manifest.seed, run.value, bound, run.ratio)
    if own != (task.name, task.options, task.seed, result.value, result.bound, result.ratio):
        return "rejected: the run that is kept is not the one that the store tells of"
    return run_verdict(run, instance)


def _certificate(result: Result) -> dict[str, object]:
    kept = (result.output or {}).get("certificate") or {}
    return dict(kept.get("certificate") or {})


def _objection(result: Result) -> str:
    """Why the ratio does not follow from value and bound; empty when it does."""
    if result.ratio is None or result.value is None:
        return ""
    bound = Bound(exact=result.bound, method="as stored")
    sense = (result.output or {}).get("sense")
    if sense not in ("min", "max"):
        return "rejected: the run does not say whether it minimises"
    ratio = certified_ratio(sense, result.value, bound)
    if ratio is None or not close(ratio, result.ratio):
        return f"rejected: the ratio {result.ratio:.9g} should be {ratio}"
    return ""
