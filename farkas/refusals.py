"""What messages of refusals repeat: lines, values, and what decoders say of a file."""

from __future__ import annotations

import re

from farkas.words import LONGEST_WORDS, PLAIN, cleaned, cut, quoted

LONGEST_LINE = 4000  #: Characters of a message that are shown.

#: What decoders of JSON and TOML repeat of a file, between marks that they do not escape.
_OF_THE_FILE = re.compile(
    r"((?:unknown value|Invalid value|Object contains unknown field) )"
    r"(['`])(.*?)\2((?: - at `\$[^`]*`)?)",
    re.DOTALL,
)


def one_line(text: str, most: int = LONGEST_LINE) -> str:
    r"""One printable line; runs of blanks and line breaks become one blank.

    A word that is too long to be read loses its middle, whoever repeats it.

    >>> one_line("two\nlines,  \x07")
    'two lines, \\x07'
    """
    return cut(cleaned(" ".join(cut(word, 2 * LONGEST_WORDS) for word in text.split())), most)


def parsed(error: object) -> str:
    r"""Return what a decoder says of a file, types in words: every such message goes through here.

    The file's words are quoted unless they are a name.

    >>> print(parsed("Object contains unknown field `jobz` - at `$.x`"))
    unknown field `jobz` - at `$.x`
    >>> print(parsed("Object contains unknown field `a`. Proved: `b`"))
    unknown field "a`. Proved: `b"
    >>> print(parsed("Expected `float` >= 0.0 - at `$.x`"))
    Expected a number >= 0.0 - at `$.x`
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


def shown(value: object, most: int = LONGEST_WORDS) -> str:
    """Return a value as Python writes it, without its middle where that is longer than ``most``.

    >>> shown("x"), shown([1, 2]), shown("0123456789", 7), shown(10**5000)
    ("'x'", '[1, 2]', "'0...9'", '<int>')
    """
    try:
        return cut(repr(value), most)
    except ValueError:  # an integer of more digits than Python writes
        return f"<{type(value).__name__}>"
