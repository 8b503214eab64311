"""``farkas check``."""

from __future__ import annotations

from typing import Annotated, Any

from typer import Argument, Option

from farkas.cli.options import Json
from farkas.cli.printing import print_json, print_line
from farkas.errors import InvalidOption, MissingInstance
from farkas.messages import quoted


def command(
    certificate: Annotated[
        str, Argument(metavar="CERTIFICATE", help="Certificate (.json, .vipr) or run file.")
    ] = "",
    about: Annotated[
        str | None, Argument(metavar="[INSTANCE]", help="The same as --instance.")
    ] = None,
    instance: Annotated[
        str | None, Option(metavar="FILE", help="Rebuild the program from this instance.")
    ] = None,
    model: Annotated[
        str | None, Option(metavar="FILE", help="Read the model again (.mps, .lp, packed).")
    ] = None,
    stand_alone: Annotated[
        str | None,
        Option(metavar="OUT.json", help="Write it with its program inside (trees: .vipr)."),
    ] = None,
    most_work: Annotated[
        int | None,
        Option(
            min=1,
            help="Steps after which a tree or VIPR file is given up.",
            show_default="2^28",
        ),
    ] = None,
    page: Annotated[
        str | None,
        Option(metavar="OUT.html", help="Write a page that checks in any browser, instead."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Prove again, in exact arithmetic and without any solver, what a certificate claims.

    With --instance the program is rebuilt from the instance, so that the proof is about it;
    without, the proof is about the program inside the file.  With --model the model that farkas
    prove was given is read again, and the proof is about that.  Of a run file, as farkas run writes
    it, the bound is proved again and the decisions are replayed exactly, and a line says what is
    its word.  Of what farkas worst writes, both sides are replayed.  Exit code 1 when less is
    proved than is claimed.

    --stand-alone writes what was proved as multipliers of a linear program, with its data, where
    one states it, and trees as VIPR: that file is proved by farkas/standalone/checker.py too, which
    is one file and needs nothing but Python.

    --page needs no certificate.  It writes one file that loads nothing: a certificate that is
    dropped on it is checked in exact arithmetic, and an instance is compared by its hash.
    """
    if page is not None:
        if certificate:
            raise InvalidOption("--page: takes no certificate; drop it on the page")
        _write_page(page)
        return
    if not certificate:
        raise InvalidOption("name a certificate or a run file: farkas check FILE")
    instance = about if instance is None else instance
    proof: Any
    written: dict[str, Any] = {}
    options: dict[str, Any] = {"model": model, "most_work": most_work}
    try:
        if stand_alone is None:
            from farkas.api.check import check

            proof = check(certificate, instance, **options)
        else:
            proof, written = _restated(stand_alone, certificate, instance, **options)
    except MissingInstance as error:
        what = str(error).partition(";")[0]
        raise InvalidOption(f"{what}; add --instance FILE") from None
    if as_json:
        print_json({**proof.to_builtins(), **written})
    else:
        print_line(f"accepted: {getattr(proof, 'proved', proof.statement)}")
        if hasattr(proof, "left_out"):  # of a run
            print_line(f"not proved: {proof.left_out}")
        for restated in written.values():
            print_line(f"written: {quoted(stand_alone or '')}: {restated['statement']}")


def _restated(path: str, *given: Any, **options: Any) -> tuple[Any, dict[str, Any]]:
    """Check, and write what needs no instance once that is proved, too."""
    from farkas.api.stand_alone import stand_alone
    from farkas.cli.values import check_writable  # a check loads little
    from farkas.files.writing import write_bytes

    words = f"{quoted(path)}: trees are written as .vipr, everything else as .json"
    if not path.endswith((".json", ".vipr")):
        raise InvalidOption(words)
    check_writable(path, reads=[str(word) for word in (*given, options["model"]) if word])
    found = stand_alone(*given, **options)
    if path.endswith(".vipr") != hasattr(found.alone, "num_derivations"):
        raise InvalidOption(words)
    write_bytes(path, found.content)
    return found.proof, {"stand_alone": found.alone.to_builtins()}


def _write_page(path: str) -> None:
    from farkas.api.proof_page import proof_page
    from farkas.files.writing import require_target, write_text

    require_target(path)
    write_text(path, proof_page())
    print_line(f"written: {quoted(path)}: drop a certificate on it to see it checked")
