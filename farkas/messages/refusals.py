"""What is said of wrong input: near names, the words of decoders."""

from __future__ import annotations

import re
from collections.abc import Iterable

from farkas.messages import PLAIN, quoted

#: What decoders of JSON and TOML repeat of a file, between marks that they do not escape.
_OF_THE_FILE = re.compile(
    r"((?:unknown value|Invalid value|Object contains unknown field) )"
    r"(['`])(.*?)\2((?: - at `\$[^`]*`)?)",
    re.DOTALL,
)


#: Words of version 0.2, and what took their place; it counts where the list has its first word.
RENAMED = {
    "page": "check --page OUT.html",
    "plot": "figure FILE",
    "ratios": "sweep STORE --ratios",
    "report": "sweep STORE --report OUT.html",
    "solvers": "list solvers",
    "warm": "show --compile",
    "gadget.exact_greedy_is_half": "gadget.greedy_ratio",
    "gadget.competitive_ratio_around_mean": "gadget.competitive_ratio",
    "gadget.competitive_ratio_without_selection": "gadget.competitive_ratio",
    "gadget.decomposition": "gadget.rounding_value",
    "gadget.floor_and_ceiling_keep_half": "gadget.ring_selection_relaxed",
    "mlbroker.step_13b_13f_corrected_dual": "mlbroker.step_13b_13f",
}
MOST_NAMED = 20  #: Names of a list.


def suggestion(name: str, known: Iterable[str]) -> str:
    """Text that names the closest known names, or lists them all when they are few.

    A name is looked for among those of its own kind; one that names no kind, in every kind.
    """
    from difflib import get_close_matches  # here: names are seldom wrong

    names = sorted(set(known))
    there = RENAMED.get(name, name)
    if there != name and there.partition(" ")[0] in names:
        return f"; did you mean {there}?"
    owner, dot, _ = name.partition(".")
    if dot:
        names = [one for one in names if one.startswith(f"{owner}.")] or names
    near = get_close_matches(name, names, n=3, cutoff=0.6)
    if not dot:  # those whose part after the kind is the name or, where there is none, close to it
        last: dict[str, list[str]] = {}
        for one in names:
            last.setdefault(one.partition(".")[2] or one, []).append(one)
        parts = [name] if name in last else get_close_matches(name, last, n=3, cutoff=0.6)
        near = [one for part in parts for one in last[part]][:3] or near
    if near:
        return f"; did you mean {' or '.join(near)}?"
    if not names:
        return "; there is none"
    owners = sorted({one.partition(".")[0] for one in names})
    if len(owners) < MOST_NAMED < len(names) and all("." in one for one in names):
        return f"; known: names that begin with {', '.join(f'{owner}.' for owner in owners)}"
    return f"; known: {', '.join(names[:MOST_NAMED])}{', ...' * (len(names) > MOST_NAMED)}"


def parsed(error: object) -> str:
    r"""Return what a decoder says of a file, types in words: every such message goes through here.

    The file's words are quoted unless they are a name.

    >>> print(parsed("Object contains unknown field `a`. Proved: `b`"))
    unknown field "a`. Proved: `b"
    >>> print(parsed("Expected `int | null`, got `str` - at `$.x`"))
    Expected a whole number or null, got text - at `$.x`
    """
    text = str(error).replace("JSON is malformed", "not JSON", 1)
    text = text.replace("Input data was truncated", "not JSON: it ends too early", 1)
    text = text.replace("'utf-8' codec", "not JSON: 'utf-8' codec", 1)
    text = text.replace("Invalid enum value", "unknown value", 1)
    found = _OF_THE_FILE.fullmatch(text)
    if found is not None and not PLAIN.fullmatch(found[3]):
        text = f"{found[1]}{quoted(found[3])}{found[4]}"
    if text.startswith("Object "):  # contains unknown field, missing required field
        return text.removeprefix("Object ").removeprefix("contains ")
    return _TYPES.sub(_in_words, _PATTERN.sub(r"\1 without control characters\2", text))


def _in_words(found: re.Match[str]) -> str:
    """Say types of JSON in words."""
    said = found[1] + " or ".join(_TYPE.get(name, name) for name in found[2].split(" | "))
    if found[3] is not None:
        said += found[3] + _GOT.get(found[4], _TYPE.get(found[4], found[4]))
    return said


_TYPE = {
    "float": "a number",
    "int": "a whole number",
    "str": "text",
    "bool": "true or false",
    "array": "a list",
    "object": "an object of names and values",
}
# of names that a certificate may hold, whose pattern lists what is forbidden: nobody reads that
_PATTERN = re.compile(r"^(Expected `str`) matching regex '\^\[\^.*'( - at `\$[^`]*`)$", re.DOTALL)
#: What a value is called that is none of those expected, where that differs.
_GOT = {"float": "a number with a point", "bool": "a truth value"}
_TYPES = re.compile(r"^(Expected )`([a-z]+(?: \| [a-z]+)*)`(?:(, got )`([a-z]+)`)?")
