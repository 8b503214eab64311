"""What there is, and what each thing says: programs, algorithms, claims, quantities, instances."""

import contextlib
import dataclasses
import inspect
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import NoneType
from typing import Any

import msgspec

from farkas.algebra import programs
from farkas.algebra.formulation import Formulation
from farkas.api.load import role_of
from farkas.errors import InvalidOption, UnknownName, require_type
from farkas.files import is_model, read_record
from farkas.instances import Instance, kinds, library, read
from farkas.instances.files import require_kind
from farkas.instances.traces import importers, kinds_of, sources
from farkas.messages import named, quoted, shown
from farkas.online import algorithms
from farkas.proofs import claims
from farkas.quantities import find as find_quantity
from farkas.quantities import quantities
from farkas.quantities.names import OLD_NAMES
from farkas.solvers import backends
from farkas.solvers.base import find

_HEADING = re.compile(r"^Parameters\n-+\n", re.MULTILINE)
_FIELD = re.compile(r"^(\w[\w, ]*)\n((?:    .*\n?|\n)+)", re.MULTILINE)
SENTENCE_END = re.compile(r"(?<=[.?!]) ")


class Page(str):
    """Text that an interactive session shows as it is."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


@dataclasses.dataclass(frozen=True, slots=True)
class Meaning:
    """What one name means in one role."""

    role: str  #: ``program``, ``algorithm``, ...; of a file what it holds.
    name: str
    text: str  #: In words and, for programs, mathematics.
    #: Plain data of the role: options, source, names.
    details: dict[str, Any] = dataclasses.field(default_factory=dict)
    module: str = ""  #: Where it is written; empty for what is no code.

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
    articles = ("an" if one.role[0] in "aeio" else "a" for one in found)
    return "\n\n".join(f"As {a} {one.role}:\n{one}" for a, one in zip(articles, found, strict=True))


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
    said: dict[str, Callable[[], str]] = {
        "programs": lambda: (programs[name].__doc__ or "").strip(),
        "algorithms": lambda: algorithms[name].doc,
        "claims": lambda: claims[name].statement,
        "quantities": lambda: quantities[name].doc,
        "instances": lambda: (library.load(name).description or "").partition(", settings {")[0],
    }
    words = said[role]() if role in said else ""
    first = " ".join(words.partition("\n\n")[0].split())
    sentence = SENTENCE_END.split(first)[0]
    return f"{sentence}  {_brackets(name)}".rstrip() if role == "programs" else sentence


def _brackets(name: str) -> str:
    """Variants of a program as its name takes them; nothing where there is one only.

    >>> _brackets("dps.offline")
    '[free|capped|forced]'
    """
    choices = ["|".join(values) for values in programs[name].options().values()]
    return f"[{','.join(choices)}]" if "|" in "".join(choices) else ""


def _variants(program: Formulation) -> str:
    """Say what the brackets of a program's name choose, with what its docstrings know of that."""
    options = program.options()
    lines = [f"  {option} = {', '.join(values)}" for option, values in options.items()]
    docs = [inspect.cleandoc(vars(base).get("__doc__") or "") for base in type(program).__mro__]
    for paragraph in "\n\n".join(docs).split("\n\n"):
        if any(f"``{option}" in paragraph for option in options):
            lines += ["", paragraph]
    return "\n".join(["Variants, the first is the default:", *lines])


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
        if options and not latex:
            text += f"\n\n{_variants(program)}"
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
        yield Meaning("claim", name, text, {"source": item.source}, item.module)


def _quantities(name: str, latex: bool) -> Iterator[Meaning]:
    owner, dot, _ = name.partition(".")
    if not dot or owner not in kinds():
        return
    with contextlib.suppress(UnknownName, InvalidOption):
        item = quantities[name] if name in quantities else find_quantity(name, owner)
        written = getattr(item.function, "func", item.function).__module__
        # what programs and algorithms themselves are worth is said where they are shown
        derived = written == find_quantity.__module__ and name not in OLD_NAMES
        if not (derived and (name.partition("[")[0] in programs or name in algorithms)):
            yield Meaning("quantity", name, item.doc, module=written)


def _instances(name: str, latex: bool) -> Iterator[Meaning]:
    if name in library.names(name.partition("/")[0]):
        item = library.load(name)
        text = f"{name}  {sizes(item)}\n\n{item.description or ''}".rstrip()
        text += f"\n\nNext: farkas compare {name}"
        yield Meaning("instance", name, text, {"sha256": item.sha256})


def _files(name: str, latex: bool) -> Iterator[Meaning]:
    """Yield what a file holds, where something of that name is on disk or must be."""
    if os.path.lexists(name) or name.endswith((".json", ".vipr")) or is_model(name):
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


def list_programs(kind: str = "") -> list[str]:
    """Names of the programs, sorted; raises `UnknownName` for a kind that does not exist.

    >>> import farkas
    >>> "mlbroker.relaxed" in farkas.programs("mlbroker")
    True
    """
    return programs.names(_prefix(kind))


def list_algorithms(kind: str = "") -> list[str]:
    """Names of the algorithms and baselines, sorted; raises `UnknownName` likewise.

    >>> import farkas
    >>> farkas.algorithms("gadget")[:3]
    ['gadget.columns', 'gadget.drf', 'gadget.fifo']
    """
    return algorithms.names(_prefix(kind))


def list_library(kind: str = "") -> list[str]:
    """Names of the shipped instances, sorted; raises `UnknownName` likewise.

    >>> import farkas
    >>> "mlbroker/tiny" in farkas.library("mlbroker")
    True
    """
    _prefix(kind)
    return library.names(kind)


def _prefix(kind: str) -> str:
    return f"{require_kind(kind)}." if kind != "" else ""


def described(path: str) -> tuple[str, str, dict[str, str]]:
    """Role, text and details of a file; `FileProblem` or `InvalidInstance` where it has none."""
    name = named(path)
    if is_model(path):
        from farkas.forms.feasibility import size_words
        from farkas.forms.model_text import read_model

        form = read_model(path).linear
        size = f"{size_words(form.num_rows, form.num_columns)}, sense {form.sense}"
        steps = f"Solve it: farkas solve {name}\nProve its optimum: farkas prove {name}"
        return "model", f"{name}  a model of {size}\n\n{steps}", {}
    if path.endswith(".vipr"):
        read_record(path)
        return "certificate", f"{name}  a proof in VIPR 1.0\n\nProve it: farkas check {name}", {}
    role, what = role_of(path)
    if role in ("run", "statement", "certificate"):
        return _decided_or_certificate(path, name)
    if role in ("table", "sweep", "store", "comparison"):
        return role, f"{name}  {what}", {}
    item = read(path)
    text = f"{name}  {named(item.name)}, an instance of kind {item.kind}\n\n{sizes(item)}"
    if item.description:
        text += f"\n\nIts file says of it: {quoted(item.description, len(item.description))}"
    return "instance", f"{text}\n\nNext: farkas compare {name}", {"sha256": item.sha256}


def sizes(item: Instance) -> str:
    """Say how large an instance is: slots, sites, jobs, capacity.

    >>> from farkas.instances import library
    >>> sizes(library.load("eris/demo"))
    '4 jobs, 3 resources, 2 sites, 4 slots; capacity of a site: gpu 2, cpu 8, ram 12'
    """
    counts = {
        word: found
        for word in ("jobs", "masters", "workers", "servers", "nodes", "links", "resources",
                     "sites", "slots")
        if (found := _count(item, word)) is not None
    }  # fmt: skip
    horizon = getattr(item, "horizon", None)
    if horizon is not None and "slots" not in counts:
        counts["slots"] = horizon
    said = ", ".join(f"{n} {word[:-1] if n == 1 else word}" for word, n in counts.items())
    capacity = _capacity(item)
    return f"{said}; {capacity}" if capacity else said


def _count(item: Instance, word: str) -> int | None:
    for name in (f"num_{word}", word):
        found = getattr(item, name, None)
        if isinstance(found, int):
            return found
        if isinstance(found, tuple | list):
            return len(found)
    return None


def _capacity(item: Instance) -> str:
    """Words for what sites or servers hold, where the instance has a number of it."""

    def words(names: Iterable[object], amounts: Iterable[float | None]) -> str:
        said = ("unlimited" if x is None else f"{x:g}" for x in amounts)
        return ", ".join(f"{named(str(n))} {x}" for n, x in zip(names, said, strict=True))

    each = getattr(item, "site_capacity", None)
    if each is not None:
        names = getattr(item, "resource_names", range(len(each[0])))
        if len({tuple(row) for row in each}) == 1:
            return f"capacity of a site: {words(names, each[0])}"
        return f"capacity of all sites: {words(names, map(sum, zip(*each, strict=True)))}"
    units = [getattr(item, f"server_{side}", None) for side in ("workers", "ps")]
    if all(units):
        totals = [sum(sum(row) for row in side or ()) for side in units]
        return f"capacity of all servers: {totals[0]} workers, {totals[1]} parameter servers"
    hosts = [node.capacity for node in getattr(item, "nodes", ()) if getattr(node, "server", False)]
    if not hosts:
        return ""
    sums = (None if None in column else sum(column) for column in zip(*hosts, strict=True))
    return f"capacity of all servers: {words(getattr(item, 'resources', ()), sums)}"


def _decided_or_certificate(path: str, name: str) -> tuple[str, str, dict[str, str]]:
    from farkas.adversary.gap import Gap
    from farkas.api.check import opened
    from farkas.certificates.files import Certificate

    found = opened(path)
    against = " --instance FILE" if getattr(found, "instance", None) else ""
    word = "Numbers are the file's word until it is checked."
    if isinstance(found, Certificate):
        tag = found.__struct_config__.tag
        about = f" on an instance of kind {named(found.kind)}" if found.kind else ""
        text = f"{name}  a certificate of type {tag} of {named(found.program)}{about}"
        return "certificate", f"{text}\n\nProve it: farkas check {name}{against}", {}
    if isinstance(found, Gap):
        text = (
            f"{name}  a statement: {named(found.reached.algorithm)} is behind"
            f" {named(found.witness.algorithm)} by a ratio of {named(found.ratio)}"
        )
        steps = f"Prove it: farkas check {name}\nDraw it: farkas figure {name}"
        return "statement", f"{text}\n\n{word}\n{steps}", {}
    ratio = "" if found.ratio is None else f", ratio {found.ratio:.6g}"
    text = (
        f"{name}  a run of {named(found.algorithm)} on {named(found.instance)},"
        f" kind {named(found.kind)}: it says value {found.value:.6g}{ratio},"
        f" {len(found.decisions)} steps, seed {found.manifest.seed}"
    )
    about = f"{name} --instance FILE"
    steps = f"Prove it: farkas check {about}\nDraw it: farkas figure {about}"
    return "run", f"{text}\n\n{word}\n{steps}", {}


def source_text(name: str) -> str:
    """Say what a source is: columns, kinds, settings; a block a kind."""
    parts = [f"{name}  a trace source, for kinds {', '.join(kinds_of(name))}"]
    for kind in kinds_of(name):
        importer = importers[f"{name}:{kind}"]
        lines = [f"farkas import {name} FILE --kind {kind}"]
        said = columns(importer)
        if said:
            lines += ["  columns:", *(f"    {role}{what}" for role, what in said.items())]
        lines += ["  settings (--set NAME=VALUE):"]
        told = documented(importer)
        for field in msgspec.structs.fields(importer):
            words = told.get(field.name, "")
            lines.append(f"    {field.name} = {_default(field)}" + (f"  {words}" if words else ""))
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def columns(importer: type[Any]) -> dict[str, str]:
    """Columns that an importer reads, or the roles that columns can have, and what they are."""
    if (fixed := getattr(importer, "fixed_columns", None)) is not None:
        return dict.fromkeys(fixed, "")
    for cls in importer.__mro__:
        held = vars(sys.modules[cls.__module__])
        if (roles := held.get("ROLES")) is not None:
            told = roles if isinstance(roles, Mapping) else dict.fromkeys(roles, "")
            return {
                role: f"  {what}; --map {role}=COLUMN" if what else f"  --map {role}=COLUMN"
                for role, what in told.items()
            }
        for word in ("COLUMNS", "POD_COLUMNS"):
            if word in held:
                return dict.fromkeys(held[word], "")
    return {}


def documented(cls: type[Any]) -> dict[str, str]:
    """First sentence about every field, from the docstrings of a class and its bases."""
    found: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        text = inspect.cleandoc(base.__doc__ or "")
        for names, words in _FIELD.findall("\n".join(_HEADING.split(text)[1:])):
            first = re.split(r"(?<=[.?!])\s", " ".join(words.split()))[0]
            found |= dict.fromkeys(names.split(", "), first)
    return found


def _default(field: Any) -> str:
    value = field.default
    if value is msgspec.NODEFAULT:
        value = "" if field.default_factory is msgspec.NODEFAULT else field.default_factory()
    return msgspec.json.encode(value).decode()
