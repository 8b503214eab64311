"""A page that checks certificates in any browser: one file, which loads nothing."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

import msgspec
from msgspec import inspect

import farkas
from farkas.certificates.files import certificate_types
from farkas.duals.multipliers import restatements
from farkas.instances import library
from farkas.instances.files import kind_class, own_kinds
from farkas.messages import number_of

#: The checker, in the order in which its parts build on one another.
CHECKER = ("numbers.js", "linear.js", "vipr.js", "tree.js", "judge.js")


def proof_page() -> str:
    """Return a page on which a reader drops a proof and sees it checked, as HTML."""
    html = _asset("page.html")
    for name, text in (
        ("base", _asset("page.css")),
        ("version", farkas.__version__),
        ("section", proof_section(example(), "Try an example: a bound and its instance")),
    ):
        html = html.replace(f"@{name}@", text)
    return html


def example() -> list[tuple[str, str]]:
    """Return a certificate that has its program inside, and the instance that it is about."""
    instance = library.path("dps/tiny").read_text(encoding="utf-8")
    return [("bound.json", _asset("example.json")), ("market.json", instance)]


def proof_section(given: list[tuple[str, str]] | None = None, button: str = "") -> str:
    """Return it as a section of another page, where a button checks the files that are given.

    Its content policy must allow workers from ``blob:``, else the page stands still meanwhile; its
    style has to name the colours ``--card``, ``--soft``, ``--strong``, ``--accent``, ``--good``,
    ``--bad`` and ``--warn``.
    """
    files = ""
    if given:
        button = button or f"Check the {number_of(len(given), 'certificates')} of this page"
        data = _inline({"button": button, "files": given})
        files = f'<script type="application/json" id="check-files-given">{data}</script>'
    return "\n".join(
        [
            f"<style>\n{_asset('section.css')}</style>",
            _asset("section.html").rstrip(),
            files,
            f'<script id="farkas-checker">\n{checker_script()}</script>',
            f"<script>\n{_asset('view.js')}</script>",
        ]
    )


def checker_script() -> str:
    """Return the checker: JavaScript that defines ``farkasChecker.judge(files, progress)``."""
    parts = "".join(map(_asset, CHECKER))
    known = {
        "kinds": described_kinds(),
        "certificates": certificate_types.names(),
        "restated": restatements.names(),
    }
    judge = "(files, progress) => judge(files, KNOWN, progress).map(plain)"
    return (
        f'const farkasChecker = (() => {{\n"use strict";\n{parts}'
        f"const KNOWN = {_inline(known)};\nreturn {{ judge: {judge} }};\n}})();\n"
    )


def described_kinds() -> dict[str, Any]:
    """Describe what hashes of instances depend on: types and defaults of fields, by kind."""
    found = {}
    for kind in own_kinds():
        cls = kind_class(kind)
        described = inspect.type_info(cls)
        assert isinstance(described, inspect.StructType)
        ignored = cls.bookkeeping
        found[kind] = {"fields": _fields(described, ignored), "ignored": sorted(ignored)}
    return found


def _fields(struct: inspect.StructType, ignored: frozenset[str] = frozenset()) -> dict[str, Any]:
    """Types of a record's fields, and the text of their defaults as hashes cover it."""
    found: dict[str, Any] = {}
    for field in struct.fields:
        entry = {"type": _described(field.type, free=field.encode_name in ignored)}
        if not field.required:
            made = field.default is msgspec.NODEFAULT
            default = field.default_factory() if made else field.default
            entry["default"] = msgspec.json.encode(default, order="sorted").decode()
        found[field.encode_name] = entry
    return found


_PLAIN = {
    inspect.FloatType: "float",
    inspect.IntType: "int",
    inspect.StrType: "str",
    inspect.BoolType: "bool",
    inspect.NoneType: "null",
}


def _described(kind: inspect.Type, free: bool = False) -> Any:
    """One type as the page's script knows it; ``free`` where no hash covers it."""
    match kind:
        case inspect.DictType() if free:
            return "record"
        case inspect.Metadata():
            return _described(kind.type)
        case inspect.VarTupleType():
            return {"list": _described(kind.item_type)}
        case inspect.TupleType():
            return {"tuple": [*map(_described, kind.item_types)]}
        case inspect.UnionType():
            return {"any": [_described(one, free) for one in kind.types]}
        case inspect.LiteralType():
            return _PLAIN[type(inspect.type_info(type(kind.values[0])))]
        case inspect.StructType():
            tag = [kind.tag_field, kind.tag] if kind.tag_field else None
            return {"fields": _fields(kind), **({"tag": tag} if tag else {})}
    return _PLAIN[type(kind)]


def _inline(data: Any) -> str:
    """JSON that no reader of HTML takes for the end of a script."""
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")


def _asset(name: str) -> str:
    return (resources.files("farkas.standalone") / "page" / name).read_text(encoding="utf-8")
