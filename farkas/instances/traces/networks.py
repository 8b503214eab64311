"""Public network files: Topology Zoo (GraphML) and SNDlib (native format)."""

import dataclasses
import math
import os
import re
from xml.etree import ElementTree

from farkas.errors import FileProblem
from farkas.files import read_bytes
from farkas.instances.traces.importer import Path
from farkas.messages import named
from farkas.messages.refusals import parsed

GIGA = 1e9


@dataclasses.dataclass(frozen=True)
class Network:
    """An undirected network."""

    source: str  #: ``topology zoo`` or ``SNDlib``.
    nodes: tuple[str, ...]  #: Names, unique.
    #: (node, node, capacity in Gbps, None if unknown); parallel ones stay apart.
    cables: tuple[tuple[int, int, float | None], ...]


def read_network(path: Path, unit: float = 1e-3) -> Network:
    """Read a network file of either format.

    Parameters
    ----------
    unit
        Gbps per unit of capacity of an SNDlib file; its own unit, where stated, wins.

    Raises
    ------
    FileProblem
        The file cannot be read or holds no network; names what is wrong.
    """
    name = named(os.fspath(path))
    try:
        text = read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FileProblem(f"{name}: is no text file") from None
    if text.lstrip().startswith("?SNDlib"):
        network = _sndlib(text, name, unit)
    elif text.lstrip().startswith("<"):
        network = _graphml(text, name)
    else:
        raise FileProblem(f"{name}: is neither GraphML nor SNDlib native format")
    if not network.nodes:
        raise FileProblem(f"{name}: holds no node")
    return network


def _graphml(text: str, name: str) -> Network:
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise FileProblem(f"{name}: declares a document type; remove it")
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise FileProblem(f"{name}: is no XML: {parsed(error)}") from None
    keys = {
        key.get("id", ""): key.get("attr.name", "") for key in root.iter() if _tag(key) == "key"
    }
    ids: dict[str, int] = {}
    names: list[str] = []
    for node in (e for e in root.iter() if _tag(e) == "node"):
        identity = node.get("id", "")
        if identity in ids:
            raise FileProblem(f"{name}: node {identity!r} stands twice")
        ids[identity] = len(names)
        label = _data(node, keys).get("label", "")
        names.append(label if label and label not in names else f"{label}{identity}")
    cables = []
    for edge in (e for e in root.iter() if _tag(e) == "edge"):
        ends = edge.get("source", ""), edge.get("target", "")
        for end in ends:
            if end not in ids:
                raise FileProblem(f"{name}: an edge ends at the unknown node {end!r}")
        speed = _data(edge, keys).get("LinkSpeedRaw")
        capacity = None if speed is None else _amount(speed, f"{name}: LinkSpeedRaw") / GIGA
        cables.append((ids[ends[0]], ids[ends[1]], capacity))
    return Network("topology zoo", tuple(names), tuple(cables))


def _tag(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]


def _data(element: ElementTree.Element, keys: dict[str, str]) -> dict[str, str]:
    found = [child for child in element if _tag(child) == "data"]
    return {keys.get(d.get("key", ""), ""): (d.text or "").strip() for d in found}


def _sndlib(text: str, name: str, unit: float) -> Network:
    lines = [line.partition("#")[0] for line in text.splitlines()]
    sections = dict(re.findall(r"^(META|NODES|LINKS) \(\n(.*?)^\)", "\n".join(lines), re.M | re.S))
    for needed in ("NODES", "LINKS"):
        if needed not in sections:
            raise FileProblem(f"{name}: has no section {needed}")
    if re.search(r"unit\s*=\s*MBITPERSEC", sections.get("META", "")):
        unit = 1e-3
    nodes = re.findall(r"^\s*(\S+)", sections["NODES"], re.M)
    index = {node: place for place, node in enumerate(nodes)}
    cables = []
    for line in filter(str.strip, sections["LINKS"].splitlines()):
        found = re.match(r"\s*(\S+) \( (\S+) (\S+) \) (\S+) \S+ \S+ \S+ \(\s*(\S*)", line)
        if found is None:
            raise FileProblem(f"{name}: cannot read the link {line.strip()[:60]!r}")
        link, source, target, installed, module = found.groups()
        where = f"{name}: link {named(link)}"
        for end in (source, target):
            if end not in index:
                raise FileProblem(f"{where} ends at the unknown node {end!r}")
        capacity = _amount(installed, where)
        if capacity == 0 and module not in ("", ")"):
            capacity = _amount(module, where)  # its smallest module
        cables.append((index[source], index[target], capacity * unit if capacity else None))
    return Network("SNDlib", tuple(nodes), tuple(cables))


def _amount(text: str, where: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise FileProblem(f"{where}: {text!r} is no number") from None
    if not (math.isfinite(value) and value >= 0):
        raise FileProblem(f"{where}: {text!r} is no capacity")
    return value
