"""What a run says of itself against its replay, and the ratio that follows."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Protocol

from farkas.certificates.doubles import nearest
from farkas.certificates.packed import rational, shown
from farkas.certificates.proof import rounded
from farkas.certificates.ratio import ratio_at_most
from farkas.errors import NotACertificate
from farkas.replay.base import Decided, Replayed, replay
from farkas.tolerances import ROUNDING

if TYPE_CHECKING:
    from farkas.forms import Sense
    from farkas.instances import Instance


class Said(Decided, Protocol):
    """What a run says of its own worth."""

    @property
    def sense(self) -> str: ...
    @property
    def value(self) -> float: ...
    @property
    def value_exact(self) -> str | None: ...
    @property
    def violations(self) -> list[str]: ...
    @property
    def ratio(self) -> float | None: ...


def audit(run: Said, instance: Instance, found: Replayed | None = None) -> Replayed | None:
    """Replay a run and compare with what it says of itself; None when nothing can replay it.

    Parameters
    ----------
    run
        As its file says it.
    instance
        The instance that the run is about.
    found
        Its replay, where that is known.

    Raises
    ------
    NotACertificate
        When the run states another value, hides requirements that it breaks, claims to break
        some although it breaks none, or states a ratio or an exact value that nothing proves.
    """
    found = found or replay(run, instance)
    if found is not None and found.broken and not run.violations:
        more = f" and {len(found.broken) - 1} more" if len(found.broken) > 1 else ""
        raise NotACertificate(f"the run says that it breaks nothing; {found.broken[0]}{more}")
    if found is not None and run.violations and not found.broken and not found.excess:
        raise NotACertificate("the run says that it breaks requirements; replayed it keeps all")
    if run.violations and run.ratio is not None:
        raise NotACertificate("the run says that it breaks requirements, and yet claims a ratio")
    if run.value_exact is not None and (run.violations or found is None):
        why = "it breaks requirements" if run.violations else "nothing replays its decisions"
        raise NotACertificate(f"the run claims an exact value, although {why}")
    if found is not None and not found.broken:  # else the value says nothing
        _compare(run, found)
    return found


def _compare(run: Said, found: Replayed) -> None:
    """Raise `NotACertificate` unless the stated value, rounded and exact, is that of the replay."""
    proved = found.proved(run.sense)
    room = Fraction(ROUNDING) * found.magnitude
    if not _near(run.value, proved, room):
        raise NotACertificate(
            f"the run claims the value {run.value:.17g}, its decisions are worth {_text(proved)}"
        )
    if run.value_exact is None:
        return
    claimed = rational(run.value_exact, "value_exact")
    better = claimed < proved if run.sense == "min" else claimed > proved
    if better or abs(claimed - proved) > room:
        raise NotACertificate(
            f"the run claims the exact value {_text(claimed)}, its decisions are worth "
            f"{_text(proved)}"
        )


def is_as_decided(run: Said, found: Replayed) -> bool:
    """Whether a run states what its decisions cost as they are, and a point beside them counts."""
    if found.decided is None or found.broken:
        return False
    room = Fraction(ROUNDING) * found.magnitude
    as_decided = _near(run.value, found.decided, room)
    return as_decided and not _near(run.value, found.proved(run.sense), room)


def _near(value: float, exact: Fraction, room: Fraction) -> bool:
    if not math.isfinite(value):
        return False
    # below the least normal double the nearest one is farther away than the room
    return abs(Fraction(value) - exact) <= room or value == nearest(exact)


def _text(number: Fraction) -> str:
    return shown(str(number))


def replayed_ratio(sense: Sense, found: Replayed, bound: Fraction) -> float | None:
    """Return the certified ratio of decisions, rounded up; None when it says nothing.

    Parameters
    ----------
    sense
        ``min`` for a cost, ``max`` for a reward.
    found
        Replay of the decisions; those that break a requirement have no ratio.
    bound
        Proved bound on the optimum.

    Raises
    ------
    NotACertificate
        When decisions are better than the bound: at all if they keep everything exactly, else by
        more than what counts as kept.
    """
    if found.broken:
        return None
    return ratio_at_most(sense, found.proved(sense), bound, exact=not found.excess)


def excess_words(found: Replayed) -> str:
    """Share by which requirements are missed at most: two digits, rounded up."""
    return rounded(found.excess, up=True, digits=2)
