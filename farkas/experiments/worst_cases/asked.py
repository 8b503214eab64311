"""The statement that somebody asks for: one that ships, or a file."""

from __future__ import annotations

from pathlib import Path

from farkas.adversary.deciding import decides_again
from farkas.adversary.gap import GapProof, from_json, prove_gap
from farkas.adversary.shipped import statements_of
from farkas.errors import FileProblem, InvalidOption, NoAnswer
from farkas.experiments.worst_cases.schedule import BothSides, pair_of
from farkas.verbs.worst_known import worst_known
from farkas.words import named


def asked(kind: str, of: str) -> tuple[GapProof, BothSides]:
    """Prove a statement and lay it out.

    Parameters
    ----------
    kind
        Of its instance.
    of
        Algorithm, with options in brackets where the statement has such; or the path of a file.

    Raises
    ------
    UnknownName
        Nothing of that name ships.
    FileProblem
        The file cannot be read, or is no statement.
    NotACertificate
        Less is proved than is stated.
    NoAnswer
        Decisions of the kind have no layout.
    """
    is_file = Path(of).suffix == ".json"
    if is_file:
        try:
            content = Path(of).read_bytes()
        except OSError as error:
            raise FileProblem(f"{named(of)}: {error.strerror or error}") from None
        proof = prove_gap(from_json(content, of))
    else:
        name = of if of.startswith(f"{kind}.") else f"{kind}.{of}"
        if not statements_of(kind):
            raise NoAnswer(f"no worst case of kind {named(kind)} ships; farkas worst finds some")
        proof = worst_known(name)
    if proof.instance.kind != kind:
        raise InvalidOption(f"--of {named(of)}: is of kind {proof.instance.kind}, not {kind}")
    pair = pair_of(proof, again=not is_file or decides_again(proof.gap, proof.instance))
    if pair is None:
        raise NoAnswer(f"decisions of kind {named(kind)} have no picture")
    return proof, pair
