"""What a file says of itself, whatever it holds: nothing of it is proved here."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from farkas.forms.model_text import is_model
from farkas.reading import read_record
from farkas.verbs.mistaken import role_of
from farkas.words import named, quoted

if TYPE_CHECKING:
    from farkas.instances import Instance


def described(path: str) -> tuple[str, str, dict[str, str]]:
    """Role, text and details of a file.

    Parameters
    ----------
    path
        An instance, a run, a certificate, a statement of ``farkas worst``, or a model; of a table,
        a sweep, a store or a comparison what it is and what takes it.

    Raises
    ------
    FileProblem, InvalidInstance
        There is no such file, or it is none of these.
    """
    name = named(path)
    if is_model(path):
        from farkas.forms.model_text import read_model
        from farkas.forms.words import size_words

        form = read_model(path).linear
        size = f"{size_words(form.num_rows, form.num_columns)}, sense {form.sense}"
        steps = f"Solve it: farkas solve {name}\nProve its optimum: farkas prove {name}"
        return "model", f"{name}  a model of {size}\n\n{steps}", {}
    if path.endswith(".vipr"):
        read_record(path)
        return "certificate", f"{name}  a proof in VIPR 1.0\n\nProve it: farkas check {name}", {}
    fields = _fields(path)
    if fields & {"algorithm", "statement", "certificate"}:
        return _decided_or_certificate(path, name)
    role, what = role_of(path)
    if role in ("table", "sweep", "store", "comparison"):
        return role, f"{name}  {what}", {}
    from farkas.instances import read

    item = read(path)
    text = f"{name}  {named(item.name)}, an instance of kind {item.kind}\n\n{sizes(item)}"
    if item.description:
        text += f"\n\nIts file says of it: {quoted(item.description, len(item.description))}"
    return "instance", f"{text}\n\nNext: farkas compare {name}", {"sha256": item.sha256}


def measure(item: Instance) -> str:
    """Say what values on an instance are, with their unit; empty where its kind does not say.

    >>> from farkas.instances import library
    >>> measure(library.load("mlbroker/tiny"))
    'cost (USD)'
    """
    from farkas.online import environments

    said = getattr(environments.get(item.kind), "measure", None)
    return str(said(item)) if said is not None else ""


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
    each = getattr(item, "site_capacity", None)
    if each is not None:
        whole = {tuple(row) for row in each}
        names = [named(str(n)) for n in getattr(item, "resource_names", range(len(each[0])))]
        if len(whole) == 1:
            held = ", ".join(f"{n} {x:g}" for n, x in zip(names, each[0], strict=True))
            return f"capacity of a site: {held}"
        sums = [sum(row[r] for row in each) for r in range(len(each[0]))]
        held = ", ".join(f"{n} {x:g}" for n, x in zip(names, sums, strict=True))
        return f"capacity of all sites: {held}"
    units = [getattr(item, f"server_{side}", None) for side in ("workers", "ps")]
    if all(units):
        totals = [sum(sum(row) for row in side or ()) for side in units]
        return f"capacity of all servers: {totals[0]} workers, {totals[1]} parameter servers"
    hosts = [node for node in getattr(item, "nodes", ()) if getattr(node, "server", False)]
    if hosts:
        parts = []
        for r, name in enumerate(getattr(item, "resources", ())):
            each_host = [node.capacity[r] for node in hosts]
            known = "unlimited" if None in each_host else f"{sum(each_host):g}"
            parts.append(f"{named(str(name))} {known}")
        return f"capacity of all servers: {', '.join(parts)}"
    return ""


def _fields(path: str) -> set[str]:
    import msgspec

    try:
        return set(msgspec.json.decode(read_record(path), type=dict[str, msgspec.Raw]))
    except (msgspec.DecodeError, ValueError, RecursionError):
        return set()


def _decided_or_certificate(path: str, name: str) -> tuple[str, str, dict[str, str]]:
    from farkas.adversary.gap import Gap
    from farkas.certificates.files import Certificate
    from farkas.verbs.check_file import opened

    found = opened(path)
    word = "Numbers are the file's word until it is checked."
    if isinstance(found, Certificate):
        tag = found.__struct_config__.tag
        about = f" on an instance of kind {named(found.kind)}" if found.kind else ""
        text = f"{name}  a certificate of type {tag} of {named(found.program)}{about}"
        return "certificate", f"{text}\n\nProve it: farkas check {name}{_against(found)}", {}
    if isinstance(found, Gap):
        text = (
            f"{name}  a statement: {named(found.reached.algorithm)} is behind"
            f" {named(found.witness.algorithm)} by a ratio of {named(found.ratio)}"
        )
        draw = f"farkas figure {named(found.reached.kind)} worst --of {name}"
        steps = f"Prove it: farkas check {name}\nDraw it: {draw}"
        return "statement", f"{text}\n\n{word}\n{steps}", {}
    ratio = "" if found.ratio is None else f", ratio {found.ratio:.6g}"
    text = (
        f"{name}  a run of {named(found.algorithm)} on {named(found.instance)},"
        f" kind {named(found.kind)}: it says value {found.value:.6g}{ratio},"
        f" {len(found.decisions)} steps, seed {found.manifest.seed}"
    )
    steps = f"Prove it: farkas check {name} --instance FILE\nDraw it: farkas plot {name}"
    return "run", f"{text}\n\n{word}\n{steps}", {}


def _against(found: object) -> str:
    return " --instance FILE" if getattr(found, "instance", None) else ""


def exists(name: str) -> bool:
    """Whether a name means a file: one of that name is there, or its suffix says so."""
    return os.path.lexists(name) or name.endswith((".json", ".vipr")) or is_model(name)
