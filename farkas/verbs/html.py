"""Small HTML tables in which objects show themselves in notebooks."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from farkas.certificates.proof import rounded
from farkas.certificates.ratio import ratio_words
from farkas.errors import NotACertificate
from farkas.forms.words import size_words
from farkas.plurals import number_of
from farkas.verbs.html_tables import MOST_LETTERS, card, table
from farkas.words import cut, named


def _run(one: Any) -> str:
    bound, steps = one.certificate, len(one.decisions)
    told = "" if one.made_on is not None else ", as its file says: not proved again here"
    return card(
        f"run of {named(one.algorithm)} on {named(one.instance)}{told}",
        [
            ("value", "none" if math.isnan(one.value) else f"{one.value:.9g}"),
            ("bound" if told else "proved bound", _bound(bound, one.sense)),
            ("bound by" if told else "proved by", None if bound is None else bound.method),
            ("ratio" if told else "certified ratio", _ratio(one.ratio)),
            ("sense", {"min": "cost", "max": "reward"}[one.sense]),
            ("options", ", ".join(f"{k}={v}" for k, v in one.options.items()) or None),
            ("decisions", number_of(steps, "steps")),
            ("breaks", "; ".join(one.violations) or None),
            ("remarks", "; ".join(one.remarks) or None),
        ],
    )


def _comparison(one: Any) -> str:
    rows = [
        [e.algorithm, e.value, None if e.ratio is None else ratio_words(e.ratio),
         None if e.seconds is None else f"{e.seconds:.3g}", e.note]
        for e in one.entries
    ]  # fmt: skip
    columns = ["algorithm", "value", "certified ratio", "seconds", "note"]
    return table(f"{one.title}: proved bound {one.proved}", columns, rows)


def _optimum(one: Any) -> str:
    bound = one.run.certificate
    return card(
        f"optimum of {named(one.run.instance)}",
        [
            ("value", rounded(one.value, up=one.sense == "min")),
            ("proved bound", _bound(bound, one.sense)),
            ("gap", "none" if one.gap is None else f"{one.gap:.3g}"),
            ("found by", one.found_by),
            ("proved by", None if bound is None else bound.method),
            ("seconds", f"{one.seconds:.3g}"),
            ("remarks", "; ".join(one.remarks) or None),
        ],
    )


def _solution(one: Any) -> str:
    answer, form = one.answer, one.form
    bound = None if one.bound is None else rounded(one.bound, up=form.sense == "max")
    return card(
        form.name,
        [
            ("program", _form_size(form)),
            (f"{answer.solver} claims", answer.claim),
            ("value of its point", f"{answer.objective:.9g}" if answer.has_point else None),
            ("proved bound", bound),
            ("proved by", one.proved_by or None),
            ("proved infeasible", "yes" if one.proved_infeasible else None),
            ("contradicting rows", one.explanation and one.explanation.row_names()),
        ],
    )


def _proved(one: Any) -> str:
    value, bound, up = one.value, one.bound, one.form.sense == "max"
    held = one.certificate
    return card(
        f"proved of {named(one.form.name)}",
        [
            ("program", _form_size(one.form)),
            ("proved", one.status),
            ("value", None if value is None else rounded(value, up=not up)),
            ("bound", None if bound is None else rounded(bound, up=up)),
            ("gap", one.gap),
            ("contradiction", one.explanation),
            ("nodes", one.nodes),
            ("solver", one.claim),
            ("certificate", "none" if held is None else f"{_type(held)}; verify() proves it again"),
        ],
    )


def _certificate(one: Any) -> str:
    return card(
        f"certificate of {named(one.program)}",
        [
            ("type", _type(one)),
            ("claims", ", ".join(_claims(one)) or None),
            ("kind", one.kind),
            ("instance", one.instance),
            ("written by", f"farkas {one.version}"),
        ],
    )


def _claims(one: Any) -> list[str]:
    """Words for what a certificate claims, where its type has them."""
    held = ((word, getattr(one, word, None)) for word in ("bound", "value", "violation"))
    said = [f"{word} {cut(str(x), _SHORT)}" for word, x in held if x is not None]
    if _type(one) == "tree" and not said:
        return ["infeasible"]
    return [_type(one), *said] if _type(one) in ("infeasible", "unbounded") else said


def _type(one: Any) -> str:
    return str(one.__struct_config__.tag)


def _worst(one: Any) -> str:
    return card(
        f"worst case of {named(one.gap.reached.algorithm)}",
        [
            ("ratio" if one.ratio is None else "ratio at least", one.ratio_words),
            ("witness", one.gap.witness.algorithm),
            ("instance", repr(one.instance)[1:-1]),
            ("evaluations", one.evaluations),
            ("seconds", f"{one.seconds:.3g}"),
            ("seed", one.seed),
        ],
    )


def _claim(one: Any) -> str:
    statement = " ".join(one.statement.split())
    return card(f"claim {one.name}", [("source", one.source), ("statement", statement)])


def _verdict(one: Any) -> str:
    by, fails = one.counterexample, [str(relation) for relation in one.fails]
    return card(
        str(one.standing),
        [
            ("runs", one.runs),
            ("smallest slack", one.slack),
            ("tolerance", one.tolerance or None),
            ("counterexample", by if isinstance(by, str) or by is None else "an instance inline"),
            ("fails", "; ".join(fails) or None),
            ("note", one.note or None),
            ("numbers", ", ".join(f"{name} {x:.6g}" for name, x in one.numbers.items()) or None),
            ("attacked", one.attacked),
        ],
    )


def _bound(bound: Any, sense: str) -> str:
    try:
        return "none" if bound is None else str(bound.words(sense))
    except NotACertificate:  # read from a file
        return "no number"


def _ratio(ratio: float | None) -> str:
    return "none" if ratio is None else ratio_words(ratio)


def _instance(one: Any) -> str:
    return card(
        f"instance {named(one.name)}",
        [
            ("kind", one.kind),
            *((word, _size(one, word)) for word in one.__struct_fields__ if word not in _HEADER),
            ("seed", one.seed),
            ("description", one.description),
            ("sha256", one.sha256),
        ],
    )


def _imported(one: Any) -> str:
    return card(
        f"imported: {named(one.instance.name)}",
        [
            ("from the trace", one.report()),
            *((f"warning {k}", words) for k, words in enumerate(one.warnings, start=1)),
            *one.told.items(),
            ("kind", one.instance.kind),
            ("instance", "in .instance; verbs take what was imported as it is"),
        ],
    )


def _imported_line(one: Any) -> str:
    instance = f"{one.instance.kind} instance {named(one.instance.name)}"
    warned = "".join(f"; warning: {words}" for words in one.warnings)
    return f"<imported {instance}: {one.report()}{warned}>"


_HEADER = {"farkas", "name", "seed", "description", "public", "note", "expected"}
"""Fields of every instance, which are shown apart or not at all."""


def _size(one: Any, field: str) -> str | None:
    """Value of a field in few letters; of nested tuples their lengths."""
    value, lengths = getattr(one, field), []
    if not isinstance(value, tuple) or not value:
        return None if value is None else str(value)
    inner: Any = value
    while isinstance(inner, tuple) and inner:
        lengths.append(str(len(inner)))
        inner = inner[0]
    text = ", ".join(map(str, value))
    if len(lengths) == 1 and len(text) <= _SHORT and not hasattr(inner, "__struct_fields__"):
        return text
    return f"{' × '.join(lengths)}" + ("" if hasattr(inner, "__struct_fields__") else " numbers")


_SHORT = 60
"""Letters of a list of numbers or names that is shown as it is."""


def _form_size(form: Any) -> str:
    size = size_words(form.num_rows, form.num_columns, int(form.integer.sum()))
    return f"{form.sense}, {size}, {number_of(form.num_entries, 'entries', 'entry')}"


def _form(one: Any) -> str:
    return card(
        one.name,
        [
            ("size", _form_size(one)),
            ("rows", ", ".join(f"{b.name} {b.stop - b.start}" for b in one.rows) or None),
            ("columns", ", ".join(f"{b.name} {b.stop - b.start}" for b in one.columns) or None),
            ("sha256", one.sha256),
        ],
    )


def _program(one: Any) -> str:
    variants = {key: values for key, values in one.options().items()}
    return card(
        f"program {one.full_name}",
        [
            ("kind", one.kind),
            ("sense", one.sense),
            ("what", one.describe().partition("\n")[0]),
            *((f"option {key}", ", ".join(values)) for key, values in variants.items()),
            ("mathematics", f"farkas.show({one.full_name!r}), or latex()"),
        ],
    )


def _registry(one: Any) -> str:
    return table(f"{len(one)} {one.role}s", ["name"], [[name] for name in one])


def _bound_card(one: Any) -> str:
    holds = "none" if one.certificate is None else "inside; verify() of the run proves it again"
    return card("bound", [("exact", one.exact), ("by", one.method), ("certificate", holds)])


def _proof(one: Any) -> str:
    said = [("proved" if k == 0 else "", what) for k, what in enumerate(one.statement.split("  "))]
    return card("proof", said)


def _answer(one: Any) -> str:
    return card(
        f"answer of {named(one.solver or 'nobody')}",
        [
            ("claims", one.claim),
            ("stopped for", one.reason),
            ("value of its point", f"{one.objective:.9g}" if one.has_point else None),
            ("largest violation", None if one.report is None else one.report.worst),
            ("seconds", f"{one.seconds:.3g}"),
            ("message", one.message or None),
        ],
    )


SHOWN: Mapping[str, Callable[[Any], str]] = {
    "Answer": _answer,
    "Bound": _bound_card,
    "Certificate": _certificate,
    "Claim": _claim,
    "Comparison": _comparison,
    "Formulation": _program,
    "GapProof": _proof,
    "Imported": _imported,
    "Instance": _instance,
    "LinearForm": _form,
    "OfflineOptimum": _optimum,
    "Proof": _proof,
    "Proved": _proved,
    "Registry": _registry,
    "Run": _run,
    "RunProof": _proof,
    "ViprProof": _proof,
    "Solution": _solution,
    "Verdict": _verdict,
    "WorstCase": _worst,
}
"""By name of a class: what shows a run need not load what shows claims."""


def _run_line(one: Any) -> str:
    value = "none" if math.isnan(one.value) else f"{one.value:.6g}"
    bound, ratio = _bound(one.certificate, one.sense), _ratio(one.ratio)
    said = f"value {value}, proved bound {bound}, certified ratio {ratio}"
    if one.made_on is None:  # read from a file: verify() proves it
        said = f"its file says value {value}, bound {bound}, ratio {ratio}"
    return f"<run of {named(one.algorithm)} on {named(one.instance)}: {said}>"


def _bound_line(one: Any) -> str:
    try:
        about = f"of about {rounded(one.fraction, up=False)}"
    except NotACertificate:  # read from a file
        about = "that is no number"
    return f"<bound {about} by {named(one.method)}>"


def _certificate_line(one: Any) -> str:
    claims = f": claims {', '.join(said)}" if (said := _claims(one)) else ""
    return f"<certificate of type {_type(one)} about {named(one.program)}{claims}>"


LINES: Mapping[str, Callable[[Any], str]] = {
    "Bound": _bound_line,
    "Certificate": _certificate_line,
    "Formulation": lambda one: f"<program {one.full_name}>",
    "Imported": _imported_line,
    "Instance": lambda one: f"<{one.kind} instance {named(one.name)}, sha256 {one.sha256[:12]}>",
    "LinearForm": lambda one: f"<form of {named(one.name)}: {_form_size(one)}>",
    "GapProof": lambda one: f"<proof: {one.statement}>",
    "Proof": lambda one: f"<proof: {one.statement}>",
    "Registry": lambda one: f"<{len(one)} {one.role}s: {cut(', '.join(one), MOST_LETTERS)}>",
    "Run": _run_line,
    "RunProof": lambda one: f"<proof: {one.statement}>",
    "ViprProof": lambda one: f"<proof: {one.statement}>",
}
"""Lines of objects for a console, by name of their class."""


def line(one: Any) -> str:
    """Line of an object of a class of `LINES`, or of one that is derived from it."""
    return next(LINES[base.__name__] for base in type(one).__mro__ if base.__name__ in LINES)(one)


def html(one: Any) -> str:
    """Table of an object of a class of `SHOWN`, or of one that is derived from it."""
    return next(SHOWN[base.__name__] for base in type(one).__mro__ if base.__name__ in SHOWN)(one)


def summary(found: Any) -> str:
    """Write a result of a solve in lines; see `farkas.solvers.result.SolveResult`."""
    least = found.sense == "min"
    up = {"objective": least, "bound": not least, "gap": True}
    lines = [f"status:    {found.status}"]
    for word, side in up.items():
        value = getattr(found, word)
        if value is not None:
            lines.append(f"{word + ':':<11}{rounded(value, up=side)}")
    lines += [f"solver:    {found.solver}", f"seconds:   {found.seconds:.3g}"]
    return "\n".join([*lines, *(f"note:      {note}" for note in getattr(found, "notes", ()))])
