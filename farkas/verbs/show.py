"""What there is, and what each thing says: programs, algorithms, claims, quantities, instances."""

import dataclasses
import re
from collections.abc import Callable, Iterator, Sequence
from types import NoneType
from typing import Any

from farkas.algebra import programs
from farkas.errors import InvalidOption, UnknownName
from farkas.instances import kinds, library
from farkas.instances.traces import sources
from farkas.online import algorithms
from farkas.proofs import claims
from farkas.quantities import quantities
from farkas.refusals import shown
from farkas.required import require_type
from farkas.solvers import backends
from farkas.solvers.base import find
from farkas.verbs.shown_files import described, exists, sizes
from farkas.verbs.shown_sources import source_text

SENTENCE_END = re.compile(r"(?<=[.?!]) ")


class Page(str):
    """Text that an interactive session shows as it is."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


@dataclasses.dataclass(frozen=True, slots=True)
class Meaning:
    """What one name means in one role.

    Parameters
    ----------
    role
        ``program``, ``algorithm``, ``claim``, ``quantity``, ``instance``, ``kind``, ``source``,
        ``solver``; of a file what it holds.
    text
        In words and, for programs, mathematics.
    details
        Plain data of the role: options, source, names.
    module
        Where it is written; empty for what is no code.
    """

    role: str
    name: str
    text: str
    details: dict[str, Any] = dataclasses.field(default_factory=dict)
    module: str = ""

    def to_builtins(self) -> dict[str, Any]:
        """Plain data for JSON."""
        where = {"module": self.module} if self.module else {}
        return {"role": self.role, "name": self.name, **self.details, **where, "text": self.text}

    def __str__(self) -> str:
        return f"{self.text}\n\nWritten in {self.module}." if self.module else self.text


def show(name: str | None = None, *, latex: bool = False) -> str:
    """Say what a name means; without one, what there is.

    Parameters
    ----------
    name
        A program (also with variant), algorithm, claim, quantity, instance, kind, trace source or
        solver; or a file: an instance, a run, a certificate, a statement, a model.
    latex
        A program as LaTeX.

    Raises
    ------
    UnknownName
        Nothing has that name.
    FileProblem, InvalidInstance
        A file that holds none of these.
    InvalidOption
        LaTeX of something that is no program.
    UnsupportedForm
        The program has no LaTeX.

    Examples
    --------
    >>> import farkas
    >>> farkas.show("mlbroker.opt").splitlines()[0]
    'mlbroker.opt  mlBroker (8)'
    """
    return Page(text_of(entries(name, latex=latex)))


def entries(name: str | None = None, *, latex: bool = False) -> list[Meaning]:
    """Everything that a name means, one entry a role; arguments and errors as in `show`."""
    require_type(name, (str, NoneType), "name")
    require_type(latex, bool, "latex")
    if name is None or name in kinds():
        found = [_overview()] if name is None else [_kind(name)]
    else:
        found = [entry for look in LOOKS for entry in look(name, latex)]
    if latex and not any(entry.role == "program" for entry in found):
        raise InvalidOption(f"latex: {name} is not a program")
    if latex:
        return [entry for entry in found if entry.role == "program"]
    if not found:
        owner, dot, _ = str(name).partition(".")
        of_kind = owner if dot and owner in kinds() else ""
        known = [one for names in catalogue(of_kind).values() for one in names]
        known += [*kinds(), *sources(), *backends]
        wrong = UnknownName.of("name", str(name), known)
        if "; known: " not in str(wrong):
            raise wrong
        lists = f"farkas show {of_kind} lists its names" if of_kind else "farkas list says which"
        raise UnknownName(f"unknown name {shown(str(name))}: neither a name nor a file; {lists}")
    return found


def text_of(found: Sequence[Meaning]) -> str:
    """One text of all entries of a name; several are told apart by their roles."""
    if len(found) == 1:
        return str(found[0])
    return "\n\n".join(f"As {_article(one.role)}:\n{one}" for one in found)


def catalogue(kind: str = "") -> dict[str, list[str]]:
    """Names by role (in the plural), of one kind or of all."""
    prefix = f"{kind}." if kind else ""
    return {
        "programs": programs.names(prefix),
        "algorithms": algorithms.names(prefix),
        "claims": claims.names(prefix),
        "quantities": quantities.names(prefix),
        "instances": library.names(kind),
    }


def _overview() -> Meaning:
    lines = []
    for kind in kinds():
        counts = ", ".join(f"{len(names)} {role}" for role, names in catalogue(kind).items())
        lines.append(f"{kind}: {counts}")
    lines += ["", "farkas list SORT KIND lists the names of a kind, farkas show NAME explains one."]
    return Meaning("overview", "farkas", "\n".join(lines), {"kinds": kinds()})


def _kind(kind: str) -> Meaning:
    names = catalogue(kind)
    lines = [kind]
    for role, listed in names.items():
        lines += ["", f"{role}:", *(f"  {name}  {hint(role, name)}".rstrip() for name in listed)]
    return Meaning("kind", kind, "\n".join(lines), names)


def hint(role: str, name: str) -> str:
    """First sentence about a name; nothing where there is none."""
    if role == "programs":
        words = (programs[name].__doc__ or "").strip()
    elif role == "algorithms":
        words = algorithms[name].doc
    elif role == "claims":
        words = claims[name].statement
    elif role == "quantities":
        words = quantities[name].doc
    elif role == "instances":
        words = (library.load(name).description or "").partition(", settings {")[0]
    else:
        words = ""
    first = " ".join(words.partition("\n\n")[0].split())
    return SENTENCE_END.split(first)[0]


def _programs(name: str, latex: bool) -> Iterator[Meaning]:
    if name.partition("[")[0].strip() in programs:
        try:
            program = programs.build(name)
        except InvalidOption:
            if any(_quantities(name, latex)):  # brackets hold indices of a quantity
                return
            raise
        options = {key: list(values) for key, values in program.options().items()}
        text = program.latex() if latex else program.describe()
        module = "" if latex else type(program).__module__
        yield Meaning("program", program.full_name, text, {"options": options}, module)


def _algorithms(name: str, latex: bool) -> Iterator[Meaning]:
    if name in algorithms:
        item = algorithms[name]
        lines = [f"{name}  {item.source}".rstrip(), "", item.doc]
        if item.options:
            lines += ["", "Options (--set):"]
            lines += [f"  {key} = {value}" for key, value in item.options.items()]
        details = {"source": item.source, "options": item.options}
        yield Meaning("algorithm", name, "\n".join(lines), details, item.make.__module__)


def _claims(name: str, latex: bool) -> Iterator[Meaning]:
    if name in claims:
        item = claims[name]
        text = f"{name}  {item.source}\n\n{item.statement}\n\nCheck it: farkas claims {name} --run"
        yield Meaning("claim", name, text, {"source": item.source}, item.check.__module__)


def _quantities(name: str, latex: bool) -> Iterator[Meaning]:
    for pattern in quantities.names(f"{name.partition('.')[0]}."):
        if pattern == name or quantities[pattern].matches(name):
            item = quantities[pattern]
            written = getattr(item.function, "func", item.function).__module__
            yield Meaning("quantity", name, item.doc, module=written)
            return  # its other keys say the same


def _instances(name: str, latex: bool) -> Iterator[Meaning]:
    if name in library.names(name.partition("/")[0]):
        item = library.load(name)
        text = f"{name}  {sizes(item)}\n\n{item.description or ''}".rstrip()
        text += f"\n\nNext: farkas compare {name}"
        yield Meaning("instance", name, text, {"sha256": item.sha256})


def _files(name: str, latex: bool) -> Iterator[Meaning]:
    """Yield what a file holds, where something of that name is on disk or must be."""
    if exists(name):
        role, text, details = described(name)
        yield Meaning(role, name, text, details)


def _sources(name: str, latex: bool) -> Iterator[Meaning]:
    if name in sources():
        yield Meaning("source", name, source_text(name))


def _solvers(name: str, latex: bool) -> Iterator[Meaning]:
    if name.partition(":")[0] in backends:
        engine = find(name)
        abilities = ", ".join(str(ability.name).lower() for ability in engine.abilities)
        text = f"{name}  {engine.availability()}\n\nCan do: {abilities}\n\n"
        text += f"Use it: farkas solve FILE -p PROGRAM --solver {name}"
        yield Meaning("solver", name, text, {}, type(engine).__module__)


LOOKS: tuple[Callable[[str, bool], Iterator[Meaning]], ...] = (
    _programs, _algorithms, _claims, _quantities, _instances, _files,
    _sources, _solvers,
)  # fmt: skip


def _article(role: str) -> str:
    return f"an {role}" if role[0] in "aeio" else f"a {role}"
