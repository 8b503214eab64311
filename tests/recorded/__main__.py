"""``make record``: write what is derived from the code and kept in the tree.

``make record`` writes what is missing or visibly out of date.  A verdict can be out of date without
showing it; the test that finds it names the claim: ``make record NAMES="KIND.CLAIM"``.  ``NAMES``
takes programs, claims, kinds, solvers (which renew their matrix), ``runs`` (algorithms by
solvers), ``instances`` (what the seeds of
the presets name), ``practice`` (policies on the public traces beside the checkout),
``figures`` (what `make figures` found), ``gallery`` (its pictures), or ``all``, which leaves out
the last three.

``ATTACKED`` takes claims that hold, or ``all``: each is attacked for ``SECONDS`` CPU seconds, and
how far that got is written beside its verdict.

A claim keeps its standing unless it is told by name that this may change:
``make record CHANGED="KIND.CLAIM"``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable

from farkas.errors import UnknownName
from farkas.instances.files import own_kinds
from farkas.online import algorithms
from farkas.quantities import quantities
from farkas.solvers import backends
from tests.recorded import figures, gallery, golden, instances, matrix, practice, runs, verdicts

MATRIX = "solvers"
RUNS = "runs"
INSTANCES = "instances"
PRACTICE = "practice"
FIGURES = "figures"
GALLERY = "gallery"


def main(words: list[str]) -> int:
    """Renew what is asked for and return 1 where a verdict was refused."""
    asked = parse(words)
    if asked.attacked:
        given = asked.attacked.split()
        for name in verdicts.attackable() if given == ["all"] else given:
            say(verdicts.attack(name, asked.seconds))
        return 0
    changed = asked.changed.split()
    given = [*asked.names.split(), *changed]
    names = expanded(given) if given else visible()
    if not names:
        say("nothing is missing or visibly out of date")
    texts, claims = known_texts(), known_claims()
    for name in names:
        if name == MATRIX:
            say(matrix.renew())
        elif name == RUNS:
            say(runs.renew())
        elif name == INSTANCES:
            say(instances.renew())
        elif name == PRACTICE:
            say(practice.renew())
        elif name == FIGURES:
            say(figures.renew())
        elif name == GALLERY:
            say(gallery.renew())
        elif name in texts:
            say(golden.renew(name))
        elif name not in claims:
            say(f"{name}: nothing is kept of it")
    refused = [name for name in names if name in claims and not renewed(name, changed)]
    if refused:
        words = " ".join(refused)
        say(f'A standing changes only when told to.  Is it right?  make record CHANGED="{words}"')
    return 1 if refused else 0


def parse(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.recorded",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--names", default="", help="names, separated by spaces")
    parser.add_argument("--changed", default="", help="claims whose standing may change")
    parser.add_argument("--attacked", default="", help="claims that are attacked, or all")
    parser.add_argument("--seconds", type=float, default=60.0, help="of each attack, of the CPU")
    return parser.parse_args(words)


def visible() -> list[str]:
    """What is missing, stands for nothing, or differs as far as that costs no claim its run."""
    texts = [name for name in golden.names() if golden.kept(name) != golden.text(name)]
    return [
        *golden.strays(),
        *texts,
        *verdicts.out_of_date(),
        *([MATRIX] if matrix.out_of_date() else []),
        *([RUNS] if set(runs.kept()) != set(runs.names()) else []),
    ]


def known_texts() -> set[str]:
    return {*golden.names(), *golden.strays()}


def known_claims() -> set[str]:
    return {*verdicts.names(), *verdicts.kept()}


def expanded(given: Iterable[str]) -> list[str]:
    """Names that words of the command stand for, each once.

    Raises
    ------
    UnknownName
        A word stands for nothing that is registered.
    """
    recorded = sorted(known_texts() | known_claims())
    nothing_kept = [*algorithms, *quantities]
    found: list[str] = []
    for word in given:
        if word == "all":
            found += [*recorded, MATRIX, RUNS, INSTANCES]
        elif word in own_kinds():
            found += [name for name in recorded if name.startswith(f"{word}.")]
        elif word == MATRIX or word in backends:
            found.append(MATRIX)
        elif (
            word in (RUNS, INSTANCES, PRACTICE, FIGURES, GALLERY)
            or word in recorded
            or word in nothing_kept
        ):
            found.append(word)
        else:
            raise UnknownName.of("name", word, [*recorded, *nothing_kept, *backends, *own_kinds()])
    return list(dict.fromkeys(found))


def renewed(name: str, changed: list[str]) -> bool:
    """Renew the verdict of a claim; whether that was allowed."""
    words, allowed = verdicts.renew(name, told=name in changed)
    say(words if allowed else f"{words}  (not written)")
    return allowed


def say(words: str) -> None:
    if words:
        print(words, flush=True)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except UnknownName as error:
        sys.exit(str(error))
