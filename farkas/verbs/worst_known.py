"""The worst instance that ships for an algorithm."""

from __future__ import annotations

from typing import TYPE_CHECKING

from farkas.adversary.shipped import find_statement
from farkas.errors import NotACertificate

if TYPE_CHECKING:
    from farkas.adversary.gap import GapProof


def worst_known(algorithm: str) -> GapProof:
    """Prove the worst instance that ships for an algorithm; see :func:`farkas.worst` for others.

    Parameters
    ----------
    algorithm
        Name, with the options in brackets that are not its defaults, as ``farkas list`` has them.

    Raises
    ------
    UnknownName
        None ships for it.
    NotACertificate
        Less is proved than its file states, or the algorithm decides otherwise today.

    Examples
    --------
    >>> import farkas
    >>> farkas.worst_known("eris.eris").ratio
    Fraction(2000, 1)
    """
    standing = find_statement(algorithm).prove()
    if standing.proof is None:
        raise NotACertificate(f"{algorithm}: {standing.objection}")
    if not standing.repeats:
        raise NotACertificate(f"{algorithm}: decides otherwise than its statement says")
    return standing.proof
