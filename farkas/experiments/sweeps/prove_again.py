"""Prove what a store claims again, believing nothing that stands in it."""

import dataclasses
import functools
import hashlib
import math
import secrets
from collections.abc import Iterator

import msgspec

from farkas.certificates.packed import rational
from farkas.certificates.proof import rounded
from farkas.certificates.ratio import ratio_at_most
from farkas.errors import FarkasError
from farkas.experiments.sweeps.store import Store
from farkas.experiments.sweeps.task import Result
from farkas.instances import Instance
from farkas.messages import named
from farkas.offline import ladders
from farkas.online.run import from_builtins
from farkas.tolerances import close
from farkas.verbs.check_run import HALF_PROVED, run_verdict, solve_verdict


@dataclasses.dataclass(frozen=True, slots=True)
class Rechecked:
    """What became of the results of a store that were drawn, and how many were not."""

    words: dict[str, str]  #: Of every drawn result, by address; see `prove_again`.
    #: Addresses of all results that claimed a bound when the first was proved: a sweep that is
    #: still at work adds others, of which nobody has proved anything.
    among: frozenset[str]

    @classmethod
    def of(cls, store: Store, share: float, seed: int | None) -> "Rechecked":
        """Prove a share of a store again."""
        among = frozenset(result.key for result in store.results() if claims_bound(result))
        words = {result.key: words for result, words in prove_again(store, share, seed)}
        return cls({key: said for key, said in words.items() if key in among}, among)

    @property
    def believed(self) -> int:
        """Number of results that claim a bound and were not drawn: they are the store's word."""
        return len(self.among) - len(self.words)

    @property
    def proved(self) -> int:
        """Number of results of which bound and value are proved."""
        return sum(words == "proved again" for words in self.words.values())

    @property
    def half(self) -> int:
        """Number of results of which the bound is proved and the value is not."""
        return sum(words == HALF_PROVED for words in self.words.values())

    @property
    def rejected(self) -> dict[str, str]:
        """What was rejected, by address, with the reason."""
        return {key: said for key, said in self.words.items() if said.startswith("rejected")}

    @property
    def objections(self) -> dict[str, str]:
        """Why results must enter no ratio, by address."""
        return {key: said for key, said in self.words.items() if said != "proved again"}


def settled_seed(seed: int | None, share: float) -> tuple[int, str]:
    """Seed of a draw, and the words that tell it where the draw decides anything.

    Where none is given and it does, a fresh one, which whoever made a store could not know; else 0.
    """
    draws = 0 < share < 1
    if seed is None:
        seed = secrets.randbits(32) if draws else 0
    return seed, f", drawn with --seed {seed}" if draws else ""


def prove_again(
    store: Store, share: float = 1.0, seed: int | None = None
) -> Iterator[tuple[Result, str]]:
    """Yield every drawn result that claims a bound, with ``"proved again"`` or the objection.

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
        Share of the results to look at, in [0, 1], rounded up.
    seed
        Of the draw; a fresh one if left out, so that no store can choose what is drawn.
    """
    chosen = _drawn(store, share, settled_seed(seed, share)[0])
    instance = functools.cache(store.instance)
    for result in store.results(output=True) if chosen else ():
        if result.key in chosen:
            try:
                yield (
                    result,
                    _objection(result) or _verdict(result, instance(result.task.instance)),
                )
            except FarkasError as error:
                yield result, f"rejected: {error}"


def _drawn(store: Store, share: float, seed: int) -> set[str]:
    """Addresses of a share of the results that claim a bound: the first in an order by the seed."""
    keys = [result.key for result in store.results() if claims_bound(result)]
    keys.sort(key=lambda key: hashlib.sha256(f"{seed} {key}".encode()).digest())
    return set(keys[: math.ceil(share * len(keys))])


def claims_bound(result: Result) -> bool:
    """Whether there is something to prove."""
    return result.status == "done" and bool(result.bound)


def _verdict(result: Result, instance: Instance) -> str:
    """Audit a run, or prove bound and point of a solve."""
    if result.task.kind != instance.kind:
        return f"rejected: the task is of kind {named(result.task.kind)}, not {instance.kind}"
    if result.task.what == "solve":
        return solve_verdict(result.task.solved(msgspec.structs.asdict(result)), instance)
    run = from_builtins(result.output)
    task, bound = result.task, None if run.certificate is None else run.certificate.exact
    value = run.value if math.isfinite(run.value) else None
    options = task.options if task.what == "run" else dict(ladders[task.name].options)
    own = (run.algorithm, run.options, run.manifest.seed, value, bound, run.ratio)
    if own != (task.name, options, task.seed, result.value, result.bound, result.ratio):
        return "rejected: the run that is kept is not the one that the store tells of"
    return run_verdict(run, instance)


def _objection(result: Result) -> str:
    """Why the ratio, or that there is none, does not follow from value and bound; empty if it does.

    That a run breaks requirements, so that it has none, is seen when it is replayed.
    """
    output = result.output or {}
    if result.value is None or (result.ratio is None and output.get("violations")):
        return ""
    bound, sense = rational(result.bound, "bound"), output.get("sense")
    if sense not in ("min", "max"):
        return "rejected: the run does not say whether it minimises"
    ratio = ratio_at_most(sense, result.value, bound, exact=False)
    if ratio is None or result.ratio is None:
        same = ratio == result.ratio
    else:
        same = close(ratio, result.ratio)
    said, proved = ("none" if x is None else rounded(x, up=True) for x in (result.ratio, ratio))
    return "" if same else f"rejected: the ratio is said to be {said}, and should be {proved}"
