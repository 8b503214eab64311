"""What ``farkas check --stand-alone`` writes."""

from __future__ import annotations

from farkas.atomic import require_target, write_bytes
from farkas.errors import InvalidOption
from farkas.verbs.stand_alone import Restated, stand_alone
from farkas.words import quoted


def restated_in(
    certificate: str, instance: str | None, model: str | None, path: str, most_work: int | None
) -> Restated:
    """Check, and write what needs no instance once that is proved, too."""
    require_target(path)
    found = stand_alone(certificate, instance, model=model, most_work=most_work)
    if path.endswith(".vipr") != hasattr(found.alone, "num_derivations"):
        raise InvalidOption(f"{quoted(path)}: trees are written as .vipr, everything else as .json")
    write_bytes(path, found.content)
    return found
