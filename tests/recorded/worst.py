"""``make worst``: search for the worst statement of every algorithm, and ship the better one.

What is there and proved is left alone: stopped, the command goes on where it was.
``AGAIN="NAME ..."`` searches for some again, ``AGAIN=all`` for all.  A statement is replaced by one
that is proved to be worse for its algorithm, or where it is proved no more.  ``SECONDS=60`` are CPU
seconds of each search, and as many are given to random draws of the same box.
"""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import math
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from farkas_docs.worst import HowFound, drawn_of, read_searches

import farkas
from farkas.adversary.catalogue import FOLDER, FOUND, ShippedStatement, statements_of
from farkas.adversary.gap import Gap, GapProof, from_json, prove_gap
from farkas.adversary.moves import redrawn, shrunk
from farkas.adversary.scoring import ScoredInstance, Scorer, decides_again
from farkas.adversary.shape import DRAWS, InstanceBox, Plain, copied, entries
from farkas.api.worst import worst
from farkas.errors import FarkasError, UnknownName
from farkas.files.writing import write_bytes
from farkas.online import algorithms

SECONDS = 20.0
WARM = 3
"""Instances that are scored before clocks run."""


@dataclasses.dataclass(frozen=True, slots=True)
class Target:
    """An algorithm with options, and the box in which its worst case is searched for."""

    options: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    size: Mapping[str, int] = dataclasses.field(default_factory=dict)
    ranges: Mapping[str, tuple[float, float]] = dataclasses.field(default_factory=dict)


WORTHS, RATES = {"worth": (1.0, 1000.0)}, {"rate": (1.0, 1000.0)}
FOUR = {"servers": 4, "jobs": 4}
TARGETS: dict[str, Target] = {
    "eris.eris": Target(ranges=WORTHS),
    "eris.eris[scheduler=printed]": Target({"scheduler": "printed"}, size={"sites": 3}),
    "eris.eris[price_floor=0.5]": Target({"price_floor": 0.5}, ranges=WORTHS),
    **{
        f"eris.{name}": Target(ranges=WORTHS)
        for name in ("antman", "learned", "liquid", "tiresias")
    },
    **{
        f"coded.{name}": Target(ranges=RATES)
        for name in ("simple_greedy", "round_lp", "uniform")
    },
    "coded.iterated_greedy": Target(size={"masters": 3}),
    "gadget.columns": Target(),
    "gadget.gadget": Target(),
    "gadget.greedy_exact": Target(),
    **{f"gadget.{name}": Target(size=FOUR) for name in ("fifo", "las", "drf")},
    **{
        f"mlbroker.{name}": Target()
        for name in ("mlbroker", "gr", "ir", "local", "central", "oasis", "one_shot", "pooled",
                     "fractional")
    },
    **{
        f"dps.{name}": Target()
        for name in ("fixed_price", "simple", "dps", "dps_pairs", "dps_scaled", "top",
                     "random", "learned", "best_fit", "pa")
    },
}  # fmt: skip
"""By name of the statement.  Exact algorithms are left out: nothing is worse than they are."""


def main(words: list[str]) -> int:
    """Record what is missing or asked for; return 1 where nothing could be proved of some."""
    asked = parse(words)
    failed = 0
    for name in chosen(asked.again) or [name for name in TARGETS if not is_proved(name)]:
        try:
            print(record(name, seconds=asked.seconds, seed=asked.seed), flush=True)
        except FarkasError as error:
            failed = 1
            print(f"{name}: {error}", flush=True)
    return failed


def parse(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.recorded.worst", description=__doc__)
    parser.add_argument("--again", default="", help="names, separated by spaces, or all")
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args(words)


def chosen(text: str) -> list[str]:
    """Targets that words stand for: names, kinds, or ``all``; raises `UnknownName`."""
    found: list[str] = []
    for word in text.split():
        if word == "all":
            found += TARGETS
        elif any(name.startswith(f"{word}.") for name in TARGETS):
            found += [name for name in TARGETS if name.startswith(f"{word}.")]
        elif word in TARGETS:
            found.append(word)
        else:
            raise UnknownName.of("statement of a worst case", word, TARGETS)
    return found


def is_proved(name: str, folder: Path = FOLDER) -> bool:
    """Whether the statement and the worst draw of a name are there, and proved."""
    known = {one.name: one for one in statements_of(name.partition(".")[0], folder)}
    if name not in known or name not in read_searches(known[name].folder / FOUND):
        return False
    return known[name].prove().repeats and drawn_of(known[name]).prove().repeats


def record(name: str, *, seconds: float, seed: int, folder: Path = FOLDER) -> str:
    """Search for a worse instance and worse draws, keep what is worse than before; say so.

    Raises
    ------
    NoAnswer
        The algorithm has valid decisions beside a witness on no instance that was tried.
    """
    target, algorithm = TARGETS[name], algorithms[name.partition("[")[0]]
    size, ranges = target.size, target.ranges
    box = InstanceBox.drawn(algorithm.kind, size=size, ranges=ranges)
    _warm(box, Scorer(algorithm, target.options))
    found = worst(
        algorithm, seconds=seconds, seed=seed, size=size, ranges=ranges, settings=target.options
    )
    scorer = Scorer(algorithm, target.options, found.gap.seed)
    begin = time.process_time()
    drawn = worst_drawn(box, scorer, size=size, ranges=ranges, seconds=seconds, seed=seed)
    draws, spent = scorer.evaluations, time.process_time() - begin
    inside = folder / algorithm.kind
    before = ShippedStatement(name, inside)
    before_drawn = drawn_of(before)
    before_drawn.folder.mkdir(parents=True, exist_ok=True)
    kept = _before(before_drawn.path)
    earlier = None if kept is None else scorer.score(kept.instance)
    if earlier is not None and (drawn is None or earlier.height > drawn.height):
        drawn = earlier
    best, by_draws = found.gap, False
    if drawn is not None and drawn.height > found.scored.height:
        by_draws = True
        best = shrunk(drawn, box, scorer, seconds=seconds)[0].gap(scorer.seed)
    search = HowFound(
        size=dict(size), ranges=dict(ranges), seed=seed,
        evaluations=found.evaluations, seconds=round(found.seconds, 1),
        draws=draws, draw_seconds=round(spent, 1), version=farkas.__version__,
        found_by="draws" if by_draws else "search",
    )  # fmt: skip
    said = _keep(best, before.path)
    if drawn is not None:
        _keep(drawn.gap(scorer.seed), before_drawn.path)
    searches = read_searches(inside / FOUND)
    old = searches.get(name)
    if old is not None:
        stays = search if said == "new" else old  # that of the statement is beside it
        spent = round(old.draw_seconds + search.draw_seconds, 1)
        search = msgspec.structs.replace(stays, draws=old.draws + draws, draw_seconds=spent)
    searches[name] = search
    content = msgspec.json.format(msgspec.json.encode(dict(sorted(searches.items()))))
    write_bytes(str(inside / FOUND), content + b"\n")
    ahead = "random draws are worse" if by_draws else "ahead of random draws"
    return f"{name}: {found.ratio_words} in {found.seconds:.0f} s, {ahead}: {said}"


def _warm(box: InstanceBox, scorer: Scorer) -> None:
    """Score some instances, so that no search pays for what is imported and compiled once."""
    for start in box.starts[:WARM]:
        instance = box.built(start)
        if instance is not None:
            scorer.score(instance)


def _keep(gap: Gap, path: Path) -> str:
    """Write a statement unless the one of before is worse for its algorithm; both are proved."""
    now, before = _proof(gap), _before(path)
    if now is None:
        return "not repeated, not kept"
    if before is not None and _height(before) >= _height(now):
        return "the statement of before is kept"
    gap.write(str(path))
    return "new"


def _proof(gap: Gap) -> GapProof | None:
    proof = prove_gap(gap)
    return proof if decides_again(gap, proof.instance) else None


def _before(path: Path) -> GapProof | None:
    try:
        return _proof(from_json(path.read_bytes(), path.name))
    except (OSError, FarkasError):
        return None


def _height(proof: GapProof) -> Any:
    return math.inf if proof.ratio is None else proof.ratio


def worst_drawn(
    box: InstanceBox,
    scorer: Scorer,
    *,
    size: Mapping[str, int] | None = None,
    ranges: Mapping[str, tuple[float, float]] | None = None,
    seconds: float = math.inf,
    draws: int | None = None,
    seed: int = 0,
) -> ScoredInstance | None:
    """Score random instances of a box and keep the worst; None where none could be scored.

    Parameters
    ----------
    box
        Made from ``size`` and ``ranges``, see `InstanceBox.drawn`.
    seconds
        CPU seconds after which no instance is drawn any more.
    draws
        Instances at most.
    seed
        Of the draws; they are none of those that made the box.
    """
    best: ScoredInstance | None = None
    end = time.process_time() + seconds
    for data in itertools.islice(random_data(box, size, ranges, seed), draws):
        if time.process_time() >= end or (best is not None and best.height == math.inf):
            break
        instance = box.built(data)
        if instance is None:
            continue
        found = scorer.score(instance, -math.inf if best is None else best.height)
        if found is not None and (best is None or found.height > best.height):
            best = found
    return best


def random_data(
    box: InstanceBox,
    size: Mapping[str, int] | None,
    ranges: Mapping[str, tuple[float, float]] | None,
    seed: int,
) -> Iterator[Plain]:
    """Yield draws of the generator, clipped to the box, and each again with all numbers redrawn.

    Without the latter, wide ranges would hardly be drawn from.
    """
    rng = np.random.default_rng(seed)
    for batch in itertools.count(seed + 1):
        for data in InstanceBox.drawn(
            box.kind, size=size, ranges=ranges, seed=DRAWS * batch
        ).starts:
            for family, holder, key in entries(data):
                if family in box.ranges:
                    holder[key] = box.ranges[family].clipped(holder[key])
            yield copied(data)
            yield redrawn(data, box, rng)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (UnknownName, KeyboardInterrupt) as error:
        sys.exit(str(error))
