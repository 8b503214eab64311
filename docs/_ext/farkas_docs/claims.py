"""The ledger of claims, with committed verdicts, and the errata: what was refuted, and by what."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from farkas.proofs import Claim, Relation, claims
from farkas.proofs.verdict import AttackRecord, failing
from farkas_docs.text import anchor, cell, code_cell, docstring, escaped, page, table

LEDGER = Path(__file__).resolve().parents[2] / "ledger"

INTRO = """Statements come from the code, verdicts from `docs/ledger/`, which `make record` writes
by running every claim; a test compares them with the code. Check any of them yourself:
`farkas claims NAME --run`.

*proved*: symbolically, for all values. *held*: in so many runs, no more than that; slack is the
smallest distance from violation, without the tolerance, which is printed where there is one.
*attacked*: what a search from random draws for a violation came to, which says how hard one was
looked for and proves nothing; `farkas claims NAME --evaluations N` repeats it.
*refuted*: by a counterexample anyone can recompute, with both sides of what fails.
*not applicable*: an assumption is false."""


def pages() -> Iterator[tuple[str, str]]:
    """``claims``, one page a kind, and ``errata``."""
    found = {kind: lines_of_kind(kind) for kind in sorted({claims[name].kind for name in claims})}
    toctree = "```{toctree}\n:hidden:\n" + "\n".join(f"{k}_claims" for k in found) + "\n```"
    yield "claims", page("Ledger of claims", INTRO, _counts(found), toctree if found else "")
    for kind, lines in found.items():
        rows = [[f"[`{c.name}`](#{anchor(c.name)})", standing(v)] for c, v in lines]
        summary = table(["claim", "verdict"], rows)
        yield f"{kind}_claims", page(f"Claims of {kind}", summary, *(_claim(*x) for x in lines))
    yield "errata", page("Errata", *_errata(found))


Line = tuple[Claim, Mapping[str, Any]]


def lines_of_kind(kind: str) -> list[Line]:
    """Claims of a kind with their kept verdicts."""
    path = LEDGER / f"{kind}.json"
    known = json.loads(path.read_text())["claims"] if path.exists() else []
    verdicts = {entry["claim"]: entry["verdict"] for entry in known}
    return [(claims[name], verdicts.get(name, {})) for name in claims.names(f"{kind}.")]


def standing(verdict: Mapping[str, Any]) -> str:
    """Standing of a kept verdict, or that there is none."""
    return str(verdict.get("standing", "not in the ledger yet"))


def _counts(found: Mapping[str, list[Line]]) -> str:
    columns = ["proved", "held", "refuted", "not applicable"]
    rows = []
    for kind, lines in found.items():
        standings = [standing(v) for _, v in lines]
        rows.append([f"[{kind}]({kind}_claims.md)", *(str(standings.count(c)) for c in columns)])
    return table(["kind", *columns], rows)


def _claim(claim: Claim, verdict: Mapping[str, Any]) -> str:
    parts = [f"({anchor(claim.name)})=\n## {claim.name}", f"*{escaped(claim.source)}*"]
    parts.append(docstring(claim.statement))
    said = [f"**{standing(verdict)}**"]
    if "runs" in verdict:
        said.append(f"in {verdict['runs']} runs, smallest slack {verdict['slack']:.3g}")
    if "tolerance" in verdict:
        said.append(f"tolerance {verdict['tolerance']:g}")
    if "attacked" in verdict:
        said.append(str(attacked(verdict["attacked"])))
    if "fails" in verdict:
        said.append(_failing(verdict))
    if "note" in verdict:
        said.append(escaped(verdict["note"]))
    parts.append("; ".join(said))
    parts.append(_counterexample(verdict.get("counterexample")))
    if "numbers" in verdict:
        rows = [[cell(key), f"{value:.6g}"] for key, value in verdict["numbers"].items()]
        parts.append(table(["number", "value"], rows))
    return "\n\n".join(part for part in parts if part)


def attacked(kept: Mapping[str, Any]) -> AttackRecord:
    """How far an attack got, as the ledger keeps it: infinities are words."""
    slack = kept["slack"]
    return AttackRecord(**{**kept, "slack": None if slack is None else float(slack)})


def _failing(verdict: Mapping[str, Any]) -> str:
    """Which relation fails, and which holds although the statement assumes no more."""
    words = escaped(failing(Relation(**said) for said in verdict["fails"]))
    given = ", ".join(str(Relation(**said)) for said in verdict.get("given", ()))
    return words + (f", although {escaped(given)}" if given else "")


def _counterexample(example: Any) -> str:
    if not example:
        return ""
    if isinstance(example, str):
        return f"Counterexample: `{example}` of the [library](library.md)."
    inline = ", ".join(f"{key} = {value}" for key, value in example.items())
    return f"Counterexample: {escaped(inline)}."


def _errata(found: Mapping[str, list[Line]]) -> Iterator[str]:
    yield (
        "What the papers state and the code refutes, each with the counterexample that does it. "
        "Generated from the [ledger](claims.md)."
    )
    for kind, lines in found.items():
        wrong = [(c, v) for c, v in lines if v.get("standing") == "refuted"]
        if wrong:
            rows = [
                [
                    f"[`{c.name}`]({kind}_claims.md#{anchor(c.name)}) {cell(c.source)}",
                    cell(c.statement.split("\n\n")[0]),
                    _said(v),
                ]
                for c, v in wrong
            ]
            yield f"## {kind}"
            yield table(["claim", "as stated", "what was found, and where"], rows)


def _said(verdict: Mapping[str, Any]) -> str:
    sides = failing(Relation(**said) for said in verdict["fails"])
    example = verdict.get("counterexample")
    parts = [cell(verdict["note"]) if "note" in verdict else "", cell(sides)]
    parts.append(code_cell(example) if isinstance(example, str) else "")
    return "; ".join(part for part in parts if part not in ("", "–")) or "see the claim"
