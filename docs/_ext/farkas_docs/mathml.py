"""MathML of the formulas that :mod:`farkas.algebra.latex` writes; browsers draw it by themselves.

Only the vocabulary of that module is known.  Anything else raises, so that a formula is never shown
wrong without anybody noticing.
"""

from __future__ import annotations

import html
import re

_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[A-Za-z]|[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?|\s+|.")

OPERATORS = {
    r"\le": "≤", r"\ge": "≥", r"\in": "∈", r"\forall": "∀", r"\{": "{", r"\}": "}", r"\_": "_",
    r"\infty": "∞", r"\cdot": "·", r"\dots": "…", r"\ne": "≠",
    "+": "+", "-": "−", "=": "=", "(": "(", ")": ")", ",": ",", "<": "&lt;", ">": "&gt;",
    "/": "/", "|": "|", "[": "[", "]": "]",
}  # fmt: skip
SPACES = {r"\,": "0.17em", r"\ ": "0.25em", r"\quad": "1em", r"\;": "0.28em", r"\qquad": "2em"}
NAMES = {r"\min": "min", r"\max": "max"}
LARGE = {r"\sum": "∑", r"\prod": "∏"}


def mathml(tex: str) -> str:
    r"""Return one ``math`` element, with the TeX source as its alternative text.

    >>> mathml(r"x_{i} \le 2").split("<mrow>")[1]
    '<msub><mi>x</mi><mi>i</mi></msub><mo>≤</mo><mn>2</mn></mrow></math>'
    """
    reader = _Reader([t for t in _TOKEN.findall(tex) if not t.isspace()])
    body = reader.row(None)
    return f'<math display="block" alttext="{html.escape(tex)}">{body}</math>'


class _Reader:
    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens[::-1]

    def take(self, expected: str | None = None) -> str:
        if not self.tokens or (expected is not None and self.tokens[-1] != expected):
            raise ValueError(f"formula: {expected or 'more'} expected, found {self.tokens[-3:]}")
        return self.tokens.pop()

    def row(self, end: str | None) -> str:
        """Everything up to ``end``, as one element."""
        parts = []
        while self.tokens and self.tokens[-1] != end:
            parts.append(self.scripted())
        if end is not None:
            self.take(end)
        return parts[0] if len(parts) == 1 and end else f"<mrow>{''.join(parts)}</mrow>"

    def scripted(self) -> str:
        """One atom with its index and power."""
        large = self.tokens[-1] in LARGE
        base, below, above = self.atom(), None, None
        while self.tokens and self.tokens[-1] in ("_", "^"):
            if self.take() == "_":
                below = self.group()
            else:
                above = self.group()
        low, high, both = (
            ("munder", "mover", "munderover") if large else ("msub", "msup", "msubsup")
        )
        if below and above:
            return f"<{both}>{base}{below}{above}</{both}>"
        if below:
            return f"<{low}>{base}{below}</{low}>"
        return f"<{high}>{base}{above}</{high}>" if above else base

    def group(self) -> str:
        if self.tokens[-1] != "{":
            return self.atom()
        self.take("{")
        return self.row("}")

    def atom(self) -> str:
        token = self.take()
        if token == "{":
            return self.row("}")
        if token in (r"\mathit", r"\mathrm", r"\text", r"\mathbb"):
            return self.word(token)
        if token == r"\frac":
            return f"<mfrac>{self.group()}{self.group()}</mfrac>"
        if token in (r"\left", r"\right"):
            return f"<mo>{OPERATORS[self.take()]}</mo>"
        if token in SPACES:
            return f'<mspace width="{SPACES[token]}"/>'
        if token in NAMES:
            return f"<mi>{NAMES[token]}</mi>"
        if token in LARGE:
            return f"<mo>{LARGE[token]}</mo>"
        if token in "()":
            return f'<mo stretchy="false">{token}</mo>'
        if token in OPERATORS:
            return f"<mo>{OPERATORS[token]}</mo>"
        if token[0].isdigit():
            return f"<mn>{token}</mn>"
        if token.isalpha():
            return f"<mi>{token}</mi>"
        raise ValueError(f"formula: {token} is not known here")

    def word(self, style: str) -> str:
        self.take("{")
        letters = []
        while self.tokens[-1] != "}":
            letters.append(self.take().removeprefix("\\"))
        self.take("}")
        name = html.escape("".join(letters))
        if style == r"\mathbb":
            return f'<mi mathvariant="normal">{DOUBLE.get(name, name)}</mi>'
        return f"<mi>{name}</mi>"


DOUBLE = {"Z": "ℤ", "R": "ℝ", "N": "ℕ"}
