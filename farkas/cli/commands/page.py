"""``farkas page``."""

from __future__ import annotations

from typing import Annotated

import typer

from farkas.cli.output import print_line
from farkas.cli.values import check_writable
from farkas.words import quoted


def command(
    out: Annotated[str, typer.Option("-o", "--out", help="Page to write (.html).")] = "check.html",
) -> None:
    """Write a page that checks certificates in any browser, with nothing installed.

    Who opens it drops a certificate (linear, infeasible, tree, unbounded or VIPR, with the program
    inside, as --stand-alone of farkas check writes it) and sees it checked in exact arithmetic; an
    instance dropped beside it is compared by its hash.  The page is one file that loads nothing.
    """
    from farkas.atomic import write_text
    from farkas.verbs.proof_page import proof_page

    check_writable(out)
    write_text(out, proof_page())
    print_line(f"written: {quoted(out)}: drop a certificate on it to see it checked")
