"""Which options the words in a program's brackets mean."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from farkas.errors import InvalidOption

if TYPE_CHECKING:
    from farkas.algebra.formulation import Formulation, ProgramRegistry


def built(programs: ProgramRegistry, name: str, variant: Mapping[str, str]) -> Formulation:
    """Make a program of a name with brackets; see `ProgramRegistry.build`."""
    match = re.fullmatch(r"([^\[\]]+)(?:\[([^\[\]]*)\])?", name.strip())
    if match is None:
        raise InvalidOption(f"{name!r} is no program name; write kind.program[value,...]")
    cls = programs[match[1]]
    given = [part.strip() for part in (match[2] or "").split(",") if part.strip()]
    return cls(**{**by_option(cls, given), **variant} if given else variant)


def by_option(cls: type[Formulation], given: list[str]) -> dict[str, str]:
    """Give every word of a name an option of its own, the first that fits in order."""
    options, found, words = cls.options(), dict[str, str](), list[str]()
    for part in given:
        key, _, value = part.rpartition("=")
        if not key:
            words.append(part)
        elif key in found:
            raise InvalidOption(f"{cls.name}: {key} is given twice")
        else:
            found[key] = value
    for word in words:
        if not any(word in values for values in options.values()):
            known = list(dict.fromkeys(v for values in options.values() for v in values))
            raise InvalidOption.near(f"{cls.name} has no variant {word!r}", word, known)
    free = [key for key in options if key not in found]
    for keys in itertools.permutations(free, len(words)):
        if all(word in options[key] for key, word in zip(keys, words, strict=True)):
            return found | dict(zip(keys, words, strict=True))
    listed = ", ".join(f"{key}={'|'.join(options[key])}" for key in options)
    raise InvalidOption(f"{cls.name}[{','.join(given)}] says one option twice; options: {listed}")
