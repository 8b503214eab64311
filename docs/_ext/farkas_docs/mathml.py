"""MathML of formulas: those of `farkas.algebra.latex`, and those of pages; browsers draw it.

Only the vocabulary below is known.  Anything else raises, so that a formula is never shown wrong
without anybody noticing.
"""

from __future__ import annotations

import html
import re

# The words of \text keep their blanks, so that they are one token.
_TOKEN = re.compile(
    r"\\(?:text|textbf|textit|operatorname\*?|tag|label)\s*\{[^{}]*\}"
    r"|\\(?:begin|end)\s*\{[a-z]+\*?\}"
    r"|\\[A-Za-z]+|\\.|[A-Za-z]|[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?|\s+|.",
    re.DOTALL,
)

OPERATORS = {
    r"\le": "≤", r"\ge": "≥", r"\in": "∈", r"\forall": "∀", r"\{": "{", r"\}": "}", r"\_": "_",
    r"\infty": "∞", r"\cdot": "·", r"\dots": "…", r"\ne": "≠", r"\leq": "≤", r"\geq": "≥",
    r"\neq": "≠", r"\ldots": "…", r"\cdots": "⋯", r"\times": "×", r"\to": "→", r"\mapsto": "↦",
    r"\Rightarrow": "⇒", r"\implies": "⟹", r"\iff": "⟺", r"\approx": "≈", r"\sim": "∼",
    r"\notin": "∉", r"\subseteq": "⊆", r"\subset": "⊂", r"\cup": "∪", r"\cap": "∩",
    r"\setminus": "∖", r"\emptyset": "∅", r"\exists": "∃", r"\pm": "±", r"\ll": "≪", r"\gg": "≫",
    r"\mid": "∣", r"\lceil": "⌈", r"\rceil": "⌉", r"\lfloor": "⌊", r"\rfloor": "⌋",
    r"\langle": "⟨", r"\rangle": "⟩", r"\|": "‖", r"\colon": ":", r"\top": "⊤", r"\perp": "⊥",
    r"\%": "%", r"\#": "#", r"\$": "$", r"\prime": "′", r"\lt": "&lt;", r"\gt": "&gt;",
    r"\wedge": "∧", r"\vee": "∨", r"\equiv": "≡", r"\partial": "∂", r"\star": "⋆",
    "+": "+", "-": "−", "=": "=", "(": "(", ")": ")", ",": ",", "<": "&lt;", ">": "&gt;",
    "/": "/", "|": "|", "[": "[", "]": "]", ":": ":", ";": ";", "!": "!", "*": "∗", ".": ".",
    "≤": "≤", "≥": "≥", "∈": "∈", "·": "·", "…": "…", "−": "−", "×": "×",
}  # fmt: skip
SPACES = {r"\,": "0.17em", r"\ ": "0.25em", r"\quad": "1em", r"\;": "0.28em", r"\qquad": "2em",
          r"\:": "0.22em", "~": "0.25em", r"\!": "-0.17em"}  # fmt: skip
NAMES = {
    rf"\{name}": name
    for name in ("min", "max", "log", "ln", "exp", "sup", "inf", "lim", "det", "gcd", "arg")
} | {r"\Pr": "Pr", r"\argmin": "arg min", r"\argmax": "arg max"}
LARGE = {r"\sum": "∑", r"\prod": "∏", r"\bigcup": "⋃", r"\bigcap": "⋂", r"\int": "∫"}
BELOW = {r"\min", r"\max", r"\sup", r"\inf", r"\lim", r"\argmin", r"\argmax"}
"""Names whose index stands below them."""
_GREEK = (
    "alpha beta gamma delta epsilon varepsilon zeta eta theta iota kappa lambda mu nu xi pi rho "
    "sigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega "
    "ell"
)
_LETTERS = "αβγδϵεζηθικλμνξπρστυϕφχψωΓΔΘΛΞΠΣΦΨΩℓ"
LETTERS = {rf"\{name}": sign for name, sign in zip(_GREEK.split(), _LETTERS, strict=True)}
ACCENTS = {r"\hat": "^", r"\bar": "¯", r"\tilde": "~", r"\overline": "¯", r"\vec": "→"}
DOUBLE = {"Z": "ℤ", "R": "ℝ", "N": "ℕ", "Q": "ℚ"}
SIZES = {rf"\{word}{side}" for word in ("big", "Big", "bigg", "Bigg") for side in ("", "l", "r")}
DROPPED = {r"\notag", r"\nonumber", r"\limits", r"\displaystyle"}
ALIGNED = {"align", "aligned", "gather", "gathered", "split", "equation"}


def mathml(tex: str, *, inline: bool = False) -> str:
    r"""Return one ``math`` element, with the TeX source as its alternative text.

    Raises
    ------
    ValueError
        The formula uses what is not known here.

    >>> mathml(r"x_{i} \le 2").split("<mrow>")[1]
    '<msub><mi>x</mi><mi>i</mi></msub><mo>≤</mo><mn>2</mn></mrow></math>'
    """
    reader = _Reader([t for t in _TOKEN.findall(tex) if not t.isspace()])
    # rows and columns without an environment around them are those of an aligned one
    open_rows = r"\\" in reader.tokens and not any(t.startswith(r"\begin") for t in reader.tokens)
    body = reader.table("aligned", None) if open_rows else reader.row(None)
    display = "" if inline else ' display="block"'
    return f'<math{display} alttext="{html.escape(" ".join(tex.split()))}">{body}</math>'


class _Reader:
    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens[::-1]

    def take(self, expected: str | None = None) -> str:
        if not self.tokens or (expected is not None and self.tokens[-1] != expected):
            raise ValueError(f"formula: {expected or 'more'} expected, found {self.tokens[-3:]}")
        return self.tokens.pop()

    def row(self, *ends: str | None) -> str:
        """Everything before any of ``ends``; a single one is taken, of several none is."""
        parts = []
        while self.tokens and self.tokens[-1] not in ends:
            parts.append(self.scripted())
        if len(ends) == 1 and ends[0] is not None:
            self.take(ends[0])
            return parts[0] if len(parts) == 1 else f"<mrow>{''.join(parts)}</mrow>"
        return f"<mrow>{''.join(parts)}</mrow>"

    def scripted(self) -> str:
        """One atom with its index and power."""
        large = self.tokens[-1] in LARGE or self.tokens[-1] in BELOW
        base, below, above = self.atom(), None, None
        while self.tokens and self.tokens[-1] in ("_", "^", "'", r"\limits"):
            mark = self.take()
            if mark == "_":
                below = self.group()
            elif mark == "'":
                above = (above or "") + "<mo>′</mo>"
            elif mark == "^":
                above = (above or "") + self.group()
        low, high, both = (
            ("munder", "mover", "munderover") if large else ("msub", "msup", "msubsup")
        )
        if above and above.count("<mo>′</mo>"):
            above = f"<mrow>{above}</mrow>"
        if below and above:
            return f"<{both}>{base}{below}{above}</{both}>"
        if below:
            return f"<{low}>{base}{below}</{low}>"
        return f"<{high}>{base}{above}</{high}>" if above else base

    def group(self) -> str:
        if not self.tokens or self.tokens[-1] != "{":
            return self.atom()
        self.take("{")
        return self.row("}")

    def atom(self) -> str:
        token = self.take()
        if token == "{":
            return self.row("}")
        if token.startswith(r"\begin"):
            return self.table(*_environment(token))
        if token.startswith((r"\text", r"\operatorname")) and "{" in token:
            return _text(token)
        if token in (r"\mathit", r"\mathrm", r"\mathbb", r"\mathbf", r"\mathcal"):
            return self.word(token)
        if token in (r"\frac", r"\tfrac", r"\dfrac"):
            return f"<mfrac>{self.group()}{self.group()}</mfrac>"
        if token == r"\sqrt":
            return f"<msqrt>{self.group()}</msqrt>"
        if token in ACCENTS:
            stretchy = str(token == r"\overline").lower()
            mark = f'<mo stretchy="{stretchy}">{ACCENTS[token]}</mo>'
            return f'<mover accent="true">{self.group()}{mark}</mover>'
        if token in (r"\left", r"\right") or token in SIZES:
            side = self.take()
            return "" if side == "." else f"<mo>{OPERATORS[side]}</mo>"
        if token in DROPPED or token.startswith(r"\label"):
            return ""
        if token.startswith(r"\tag"):
            return f'<mspace width="1em"/><mtext>({_inside(token)})</mtext>'
        if token in SPACES:
            return f'<mspace width="{SPACES[token]}"/>'
        return _leaf(token)

    def table(self, name: str, end: str | None) -> str:
        """Rows of an environment, its columns to the right and left in turn."""
        rows: list[list[str]] = [[]]
        while True:
            rows[-1].append(self.row("&", r"\\", end))
            if not self.tokens:
                if end is not None:
                    raise ValueError(f"formula: {end} expected")
                break
            mark = self.take()
            if mark == end:
                break
            if mark == r"\\":
                rows.append([])
        sides = ("left",) if name == "cases" else ("right", "left")
        found = [
            "<mtr>"
            + "".join(f'<mtd style="text-align: {sides[place % len(sides)]}">{cell}</mtd>'
                      for place, cell in enumerate(row))
            + "</mtr>"
            for row in rows if any(cell != "<mrow></mrow>" for cell in row)
        ]  # fmt: skip
        inside = f'<mtable class="{name}">{"".join(found)}</mtable>'
        return f"<mrow><mo>{{</mo>{inside}</mrow>" if name == "cases" else inside

    def word(self, style: str) -> str:
        self.take("{")
        letters = []
        while self.tokens and self.tokens[-1] != "}":
            letters.append(self.take().removeprefix("\\"))
        self.take("}")
        name = html.escape("".join(letters))
        if style == r"\mathbb":
            return f'<mi mathvariant="normal">{DOUBLE.get(name, name)}</mi>'
        if style == r"\mathbf":
            return f'<mi style="font-weight: bold">{name}</mi>'
        if style == r"\mathrm":
            return f'<mi mathvariant="normal">{name}</mi>'
        return f"<mi>{name}</mi>"


def _environment(token: str) -> tuple[str, str]:
    name = _inside(token)
    bare = name.removesuffix("*")
    if bare not in {*ALIGNED, "cases"}:
        raise ValueError(f"formula: environment {name} is not known here")
    return bare, token.replace(r"\begin", r"\end", 1)


def _inside(token: str) -> str:
    return token.partition("{")[2].removesuffix("}")


def _text(token: str) -> str:
    words = html.escape(_inside(token).replace("\\", ""))
    if token.startswith(r"\operatorname"):
        return f'<mi mathvariant="normal">{words}</mi>'
    # blanks at the ends of an element are none
    return f"<mtext>{words.replace(' ', chr(0xA0))}</mtext>"


def _leaf(token: str) -> str:
    if token in NAMES:
        return f"<mi>{NAMES[token]}</mi>"
    if token in LARGE:
        return f"<mo>{LARGE[token]}</mo>"
    if token in LETTERS:
        return f"<mi>{LETTERS[token]}</mi>"
    if token in "()":
        return f'<mo stretchy="false">{token}</mo>'
    if token in OPERATORS:
        return f"<mo>{OPERATORS[token]}</mo>"
    if token[0].isdigit():
        return f"<mn>{token}</mn>"
    if token.isalpha():
        return f"<mi>{token}</mi>"
    raise ValueError(f"formula: {token} is not known here")
