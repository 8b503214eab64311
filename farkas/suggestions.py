"""Did you mean: the known names that are nearest to one that does not exist."""

import difflib
from collections.abc import Iterable


def suggestion(name: str, known: Iterable[str]) -> str:
    """Text that names the closest known names, or lists them all when they are few.

    A name is looked for among those of its own kind; one that names no kind, in every kind.

    >>> suggestion("higs", ["highs", "scip"])
    '; did you mean highs?'
    >>> suggestion("local", ["dps.simple", "mlbroker.local"])
    '; did you mean mlbroker.local?'
    >>> suggestion("dps.nosuch", ["coded.uniform", "dps.simple"])
    '; known: dps.simple'
    """
    names = sorted(set(known))
    owner, dot, _ = name.partition(".")
    if dot:
        names = [one for one in names if one.startswith(f"{owner}.")] or names
    near = difflib.get_close_matches(name, names, n=3, cutoff=0.6)
    if not dot:
        near = _by_last_part(name, names) or near
    if near:
        return f"; did you mean {' or '.join(near)}?"
    if not names:
        return "; there is none"
    shown = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
    return f"; known: {shown}"


def _by_last_part(name: str, names: list[str]) -> list[str]:
    """Names whose part after the kind is ``name`` or, where there is none, close to it."""
    last: dict[str, list[str]] = {}
    for one in names:
        last.setdefault(one.partition(".")[2] or one, []).append(one)
    near = [name] if name in last else difflib.get_close_matches(name, last, n=3, cutoff=0.6)
    return [one for part in near for one in last[part]][:3]
