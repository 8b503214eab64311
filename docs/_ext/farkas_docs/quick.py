"""What makes builds quick: work that numpydoc and Sphinx repeat for every object is done once."""

from __future__ import annotations

import copy
import functools
import gc
import logging
import posixpath
import re
import types
import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import docutils.frontend
import docutils.nodes
import docutils.statemachine
import furo
import furo.navigation
import myst_parser.mdit_to_docutils.base
import numpydoc.docscrape
import numpydoc.docscrape_sphinx
import numpydoc.numpydoc
import sphinx.builders.latex.transforms
import sphinx.domains.c
import sphinx.domains.cpp
import sphinx.events
import sphinx.transforms.i18n
from sphinx.domains.python import PythonDomain
from sphinx.pycode.parser import Parser

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def keep_templates() -> None:
    """Let numpydoc compile its template once, and empty sections be copied as what they are."""
    module: Any = numpydoc.docscrape_sphinx
    make, made = module.SandboxedEnvironment, []

    def environment(**given: Any) -> Any:
        if not made:
            made.append(make(**given))
        return made[0]

    module.SandboxedEnvironment = environment
    scraping: Any = numpydoc.docscrape  # words, and lists and dictionaries of words
    scraping.copy = types.SimpleNamespace(
        deepcopy=lambda sections: {name: copy.copy(empty) for name, empty in sections.items()}
    )


def keep_settings() -> None:
    """Let docutils describe its two hundred options once, and not for every part of a page."""
    module: Any = docutils.frontend
    made: dict[Any, Any] = {}

    def settings(*components: Any) -> Any:
        if components not in made:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)
                made[components] = module.OptionParser(components)
        return made[components].get_default_values()

    module.get_default_settings = settings
    pages: Any = myst_parser.mdit_to_docutils.base
    pages.get_default_settings = settings


def leave_out_what_nobody_reads(app: Sphinx) -> None:
    """Leave out, a sixth of a build, what makes no difference to its pages.

    That is where definitions begin and end, translations, footnotes of LaTeX, aliases of C, what
    events are about, sections of docstrings without a word, and signatures in docstrings.
    """
    Parser.parse_definition = lambda self: None  # type: ignore[method-assign]
    events: Any = sphinx.events
    events.repr = lambda given: ""
    sections: Any = numpydoc.numpydoc

    def mangle(app: Sphinx, what: Any, name: Any, thing: Any, options: Any, lines: Any) -> None:
        if any(lines):
            sections.mangle_docstrings(app, what, name, thing, options, lines)

    def sign(app: Sphinx, what: Any, name: Any, thing: Any, *given: Any) -> Any:
        if getattr(thing, "__text_signature__", None):
            return sections.mangle_signature(app, what, name, thing, *given)
        return None

    def leave_out(app: Sphinx) -> None:
        heard: Any = app.events.listeners
        for event, slow, quick in (
            ("autodoc-process-docstring", sections.mangle_docstrings, mangle),
            ("autodoc-process-signature", sections.mangle_signature, sign),
        ):
            heard[event] = [
                one._replace(handler=quick) if one.handler is slow else one for one in heard[event]
            ]
        unread = {
            sphinx.domains.c.AliasTransform,
            sphinx.domains.cpp.AliasTransform,
            sphinx.transforms.i18n.TranslationProgressTotaliser,
            sphinx.transforms.i18n.AddTranslationClasses,
            sphinx.transforms.i18n.RemoveTranslatableInline,
            sphinx.builders.latex.transforms.FootnoteDocnameUpdater,
        }
        for transforms in (app.registry.transforms, app.registry.post_transforms):
            transforms[:] = [one for one in transforms if one not in unread]

    app.connect("builder-inited", leave_out)


def walk_without_recursion() -> None:
    """Let docutils walk documents with a stack of their nodes and not of generators, an eighth."""
    slow = docutils.nodes.Node.findall

    def find(
        self: docutils.nodes.Node, condition: Any = None, *given: Any, **named: Any
    ) -> Iterator[docutils.nodes.Node]:
        if given or named:
            return slow(self, condition, *given, **named)
        if condition is None or isinstance(condition, type):
            return fast(self, condition or docutils.nodes.Node)
        return filter(condition, fast(self, docutils.nodes.Node))

    def fast(self: docutils.nodes.Node, wanted: type) -> Iterator[docutils.nodes.Node]:
        waiting = [self]
        while waiting:
            node = waiting.pop()
            if isinstance(node, wanted):
                yield node
            if node.children:
                waiting.extend(node.children[::-1])

    module: Any = docutils.nodes
    module.Node._fast_findall = fast
    module.Node._superfast_findall = lambda self: fast(self, docutils.nodes.Node)
    module.Node.findall = find


class MadeWhenAsked(dict[str, Any]):
    """States of a parser by name: docutils makes all sixteen for every nested list of fields."""

    def __init__(self, machine: Any, classes: Iterable[type]) -> None:
        super().__init__()
        self.machine, self.classes = machine, {one.__name__: one for one in classes}

    def __missing__(self, name: str) -> Any:
        state = self.classes[name](self.machine, self.machine.debug)
        if hasattr(self.machine, "memo"):  # it runs already
            state.runtime_init()
        self[name] = state
        return state


def make_states_when_asked() -> None:
    """Let parsers of reStructuredText make the states that they enter, an eleventh of a build."""

    def add(machine: Any, classes: Iterable[type]) -> None:
        machine.states = MadeWhenAsked(machine, classes)

    module: Any = docutils.statemachine
    module.StateMachine.add_states = add


class IndexedDomain(PythonDomain):
    """Python domain that looks for a name among the objects whose last part it is."""

    _among: Mapping[str, Any] | None = None

    @property
    def objects(self) -> Any:
        return super().objects if self._among is None else self._among

    def find_obj(
        self, env: Any, modname: Any, classname: Any, name: str, type: Any, searchmode: int = 0
    ) -> list[tuple[str, Any]]:
        """Find what Sphinx would find, among fewer objects."""
        every = super().objects
        last = name.removesuffix("()").rpartition(".")[2]
        self._among = _by_last_part(self, len(every)).get(last, {})
        try:
            return super().find_obj(env, modname, classname, name, type, searchmode)
        finally:
            self._among = None


@functools.lru_cache(maxsize=2)
def _by_last_part(domain: PythonDomain, count: int) -> dict[str, dict[str, Any]]:
    """Objects by the last part of their names, made again when there are more or fewer."""
    found: dict[str, dict[str, Any]] = {}
    for name, entry in domain.data["objects"].items():
        found.setdefault(name.rpartition(".")[2], {})[name] = entry
    return found


_ITEM = re.compile(r'(<li class="[^"]*">|</li>)')
_LINK = re.compile(r'<a class="reference internal" href="([^"#]*)">')


class Contents:
    """Contents in the margin, made once for all pages of a folder; they differ in what is current.

    >>> tree = '<li class="a"><a class="reference internal" href="x.html">X</a></li>'
    >>> Contents(tree).at("x.html")
    '<li class="a current current-page"><a class="reference internal" href="#">X</a></li>'
    """

    def __init__(self, tree: str) -> None:
        self.parts = _ITEM.split(tree)
        self.items: dict[str, list[int]] = {}
        above: list[int] = []
        for place, part in enumerate(self.parts):
            if part == "</li>":
                above.pop()
            elif part.startswith("<li "):
                above.append(place)
                if link := _LINK.match(self.parts[place + 1]):
                    self.items.setdefault(link[1], above[:])

    def at(self, address: str) -> str:
        """Contents with the page of an address open."""
        parts = self.parts[:]
        *_, own = chain = self.items.get(address, [-1])
        if own < 0:
            return "".join(parts)
        for place in chain:
            more = "current current-page" if place == own else "current"
            parts[place] = parts[place].replace('">', f' {more}">')
            box = 'class="toctree-checkbox"'
            parts[place + 1] = parts[place + 1].replace(box, f'checked="" {box}', 1)
        parts[own + 1] = parts[own + 1].replace(f'href="{address}"', 'href="#"', 1)
        return "".join(parts)


def keep_contents(app: Sphinx) -> None:
    """Let furo make the contents in the margin once for every folder."""

    @functools.cache
    def made(folder: str) -> Contents:
        nowhere = posixpath.join(folder, "nowhere")
        builder: Any = app.builder
        tree = builder._get_local_toctree(
            nowhere, collapse=False, titles_only=True, maxdepth=-1, includehidden=True
        )
        return Contents(furo.navigation.get_navigation_tree(tree))

    def contents(context: dict[str, Any]) -> str:
        page = context["pagename"]
        folder = posixpath.dirname(page)
        address = app.builder.get_relative_uri(posixpath.join(folder, "nowhere"), page)
        return made(folder).at(address)

    module: Any = furo
    module._compute_navigation_tree = contents


def setup(app: Sphinx) -> None:
    """Join the build."""
    gc.set_threshold(100_000, 20, 100)  # nodes by the million, hardly any of them garbage
    logging.getLogger("sphinx").setLevel(logging.INFO)  # a line for every event, which nobody reads
    keep_templates()
    keep_settings()
    leave_out_what_nobody_reads(app)
    walk_without_recursion()
    make_states_when_asked()
    keep_contents(app)
    app.add_domain(IndexedDomain, override=True)
