"""What ``farkas list`` lists: names of a sort, each with its first sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterator

Lines = Iterator[tuple[str, str]]


def _kinds(kind: str) -> Lines:
    from farkas.instances import kinds
    from farkas.verbs.show import catalogue

    for name in [kind] if kind else kinds():
        counts = ", ".join(f"{len(found)} {role}" for role, found in catalogue(name).items())
        yield name, counts


def _of(role: str) -> Callable[[str], Lines]:
    def lines(kind: str) -> Lines:
        from farkas.verbs.show import catalogue, hint

        for name in catalogue(kind)[role]:
            yield name, hint(role, name)

    return lines


def _sources(kind: str) -> Lines:
    from farkas.instances.traces import kinds_of
    from farkas.verbs.show import source_lines

    for name, words in source_lines():
        if not kind or kind in kinds_of(name):
            yield name, words


def _presets(kind: str) -> Lines:
    from farkas.instances import kinds
    from farkas.instances.generate import generators, presets

    for one in [kind] if kind else kinds():
        if one in generators():
            for name in presets(one):
                yield f"{one} {name}", f"farkas generate {one} --preset {name}"


def _figures(kind: str) -> Lines:
    from farkas.experiments.figures import of_kind
    from farkas.instances import kinds

    for one in [kind] if kind else kinds():
        for exhibit in of_kind(one):
            yield exhibit.name, f"{exhibit.title} ({exhibit.agreement})"


def _solvers(kind: str) -> Lines:
    from farkas.solvers import status

    for line in status():
        yield line.name, ", ".join([str(line.availability), *line.abilities])


SORTS: dict[str, Callable[[str], Lines]] = {
    "kinds": _kinds,
    "instances": _of("instances"),
    "algorithms": _of("algorithms"),
    "programs": _of("programs"),
    "claims": _of("claims"),
    "quantities": _of("quantities"),
    "sources": _sources,
    "presets": _presets,
    "figures": _figures,
    "solvers": _solvers,
}
"""What there is to list, and how."""
