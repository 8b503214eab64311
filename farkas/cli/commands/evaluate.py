"""``farkas evaluate``, by which case files are evaluated; help lists ``farkas show`` instead."""

from __future__ import annotations

from typing import Annotated

import typer
from typer import Argument, Option

from farkas.cli.options import InstanceFile, Json
from farkas.cli.printing import complain, print_json
from farkas.cli.tables import print_table, progress
from farkas.cli.values import check_writable
from farkas.errors import Exit, FarkasError, InvalidOption, NoAnswer, NotApplicable
from farkas.messages import named


def command(
    file: InstanceFile,
    keys: Annotated[
        list[str] | None,
        Argument(metavar="[KEY]...", help="Quantities; by default those the file expects."),
    ] = None,
    write: Annotated[
        str | None,
        Option(metavar="FILE", help="Write the certificate of a proved bound."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Compute named quantities of an instance.

    The name of a program, also with a variant, is the quantity of its optimum.  --write keeps what
    proves the value of the one quantity that is named, for farkas check: dps.bfp_bound.

    Without keys: those listed under "expected" in the file, or everything defined for the kind.
    The expected values themselves are never looked at.  A quantity that is not defined for the
    instance is absent; standard error says why.
    """
    from farkas.quantities import evaluate_all, find
    from farkas.quantities.evaluate import wanted_keys
    from farkas.verbs.inputs import as_instance
    from farkas.verbs.save import save

    instance = as_instance(file)
    if write is not None and len(set(keys or ())) != 1:
        raise InvalidOption("--write keeps the certificate of one quantity; name one")
    check_writable(write)
    for key in keys or ():
        find(key, instance.kind)  # a misspelt key is refused before any work
    wanted = wanted_keys(instance) if not keys else list(dict.fromkeys(keys))
    values, codes = {}, []
    with progress("evaluate") as report:
        for done, outcome in enumerate(evaluate_all(instance, wanted)):
            report(done + 1, len(wanted))
            if outcome.error is None:
                values[outcome.key] = outcome.value
                if write is not None:
                    if outcome.certificate is None:
                        said = f"{named(write)}: {outcome.key} has no certificate to write"
                        raise NoAnswer(said)
                    save(outcome.certificate, write)
            elif keys or not isinstance(outcome.error, NotApplicable):
                codes.append(_explain(outcome.key, outcome.error))
    if as_json:
        print_json(values)
    else:
        print_table(named(instance.name or file), ["quantity", "value"], list(values.items()))
    serious = [code for code in codes if code is not None]
    if serious or (codes and not values):
        raise typer.Exit(max(serious, default=Exit.NO_ANSWER))


def _explain(key: str, error: Exception) -> Exit | None:
    """Say on standard error why a key has no value; exit code unless it is merely undefined."""
    if isinstance(error, NotApplicable):
        complain(str(error))
        return None
    if isinstance(error, FarkasError):
        complain(f"{key}: {error}")
        return error.exit_code
    complain(f"{key}: internal error: {type(error).__name__}: {error}")
    return Exit.INTERNAL_ERROR
