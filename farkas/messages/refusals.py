"""What is said of wrong input: near names, keys that stand twice, the words of decoders."""

from __future__ import annotations

import collections
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from farkas.messages import PLAIN, quoted

#: What decoders of JSON and TOML repeat of a file, between marks that they do not escape.
_OF_THE_FILE = re.compile(
    r"((?:unknown value|Invalid value|Object contains unknown field) )"
    r"(['`])(.*?)\2((?: - at `\$[^`]*`)?)",
    re.DOTALL,
)


#: What is meant here by words of other tools, and of the versions before: names, each with what
#: belongs to it, where the list that is looked into has them.
MEANT = {
    "adversary attack search": "worst",
    "algo algorithms policy policies scheduler method": "algorithm; algorithms; list algorithms",
    "bench benchmark evaluate_all": "compare",
    "best bound opt oracle": "optimum; solve --certify",
    "certify verify_optimum": "prove; solve --certify",
    "convert export": "solve FILE --write OUT; save; write",
    "cat describe details explain_name inspect info load open read view": "show; load",
    "create draw_instance gen make new sample": "generate; howto",
    "doctor install setup": "show install",
    "docs example examples init quickstart tutorial start": "demo",
    "draw plot visualize visualise render": "figure FILE; plot",
    "file output save_as": "out; write; save",
    "claim lemma lemmas theorem theorems": "claims",
    "instance instances": "list instances; library; instance",
    "kinds": "list kinds",
    "jobs n num_jobs n_jobs njobs size": "num_jobs; jobs; set",
    "explain iis infeasible linprog lp maximize minimize model optimize": "solve; prove",
    "load_csv load_trace read_csv from_csv trace parse": "import_trace; import",
    "log tee trace_log verbose v": "log; slots",
    "mip_gap mipgap tol tolerance rel_gap epsilon": "gap",
    "page": "check --page OUT.html",
    "format json_output": "json",
    "proof certificate cert": "write; check; certify",
    "ratios": "sweep STORE --ratios",
    "programs": "list programs",
    "random_state rng random_seed": "seed",
    "replay recheck test validate verify": "check",
    "report": "sweep STORE --report OUT.html",
    "save": "solve --write OUT; run -o OUT",
    "simulate exec execute play go": "run",
    "solvers backends": "list solvers",
    "sweep experiments": "sweep; the command farkas sweep",
    "time_limit timeout max_time maxtime timelimit limit budget": "time_limit; seconds",
    "warm": "show --compile",
}
_MEANT = {word: there for words, there in MEANT.items() for word in words.split()}
#: What results are asked by the names of other packages without capitals and underscores.
_ATTRIBUTES = {
    "x; decisions": "primal solution variables schedule plan allocation assignment",
    "objective; value": "obj objval objectivevalue optimalvalue fun opt optimum cost objective",
    "duals": "dual pi shadowprices marginals multipliers rowduals",
    "bound; certificate": "bestbound objbound dualbound lowerbound upperbound bestobjective bound",
    "gap; ratio": "mipgap relativegap gap",
    "seconds; timings": "time runtime solvetime walltime elapsed seconds",
    "status == 'optimal'": "success isoptimal optimal",
    "status; violations": "terminationcondition solverstatus state status",
    "to_pandas(); to_frame()": "todataframe todf df frame topandas table results",
    "to_builtins(); save(path)": "todict tojson json asdict",
    "load_into(model)": "load loadsolution writeback loadvars",
    "save(path)": "write tofile",
    "verify(); best": "certify proof check winner",
    "duals, which are those of rows": "reducedcosts rc",
    "summary(); to_frame()": "summary report",
}
_ELSEWHERE = {word: there for there, words in _ATTRIBUTES.items() for word in words.split()}


def of_attribute(name: str, known: Iterable[str]) -> str:
    """Return the hint at what a result calls something."""
    names = set(known)
    for there in _ELSEWHERE.get(name.lower().replace("_", ""), "").split("; "):
        if re.split(r"\W", there)[0] in names:
            return f"; use {there}"
    return suggestion(name, names)


#: Names that people need most, in the lists of any sort that have them.
FIRST = ("run", "compare", "solve", "prove", "check")
MOST_NAMED = 20  #: Names of a list.


def meant(name: str, known: Iterable[str]) -> list[str]:
    """Return what stands here for a word of other tools, as far as the names hold it."""
    names = {one.lstrip("-").replace("-", "_"): one for one in known}
    found = []
    for there in _MEANT.get(name.lower().strip("-").replace("-", "_"), "").split("; "):
        first, blank, rest = there.partition(" ")
        if first.strip("-") in names or there.startswith("the command"):
            found.append(there if first not in names else names[first] + blank + rest)
    return ([one for one in found if " " not in one] or found)[:2]


def suggestion(name: str, known: Iterable[str]) -> str:
    """Text that names the closest known names, or lists them all when they are few.

    A name is looked for among those of its own kind; one that names no kind, in every kind.
    """
    from difflib import get_close_matches  # here: names are seldom wrong

    names = sorted(set(known), key=lambda one: (one not in FIRST, one))
    if there := meant(name, names):
        return f"; did you mean {' or '.join(there)}?"
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


def repeated(content: bytes) -> Iterator[tuple[str, str]]:
    """Path and key of every object in which one key stands twice; raises what `json` does."""
    read = json.loads(content, object_pairs_hook=_object, parse_int=len, parse_float=len)
    return _found(read, "$")


class _Repeated(dict[str, Any]):
    """An object of a file in which one key stands twice."""

    key: str


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    plain = dict(pairs)
    if len(plain) == len(pairs):
        return plain
    marked = _Repeated(plain)
    counts = collections.Counter(name for name, _ in pairs)
    marked.key = next(name for name, count in counts.items() if count > 1)
    return marked


def _found(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, _Repeated):
        yield path, value.key
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _found(item, f"{path}.{key}")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            if isinstance(item, list | dict):
                yield from _found(item, f"{path}[{index}]")
