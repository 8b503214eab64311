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


#: What is meant here by words of other tools: names, each with what belongs to it, of which those
#: count that the list has that is looked into.
MEANT = {
    "adversary attack search": "worst",
    "algo algorithms policy policies scheduler method": "algorithm; algorithms; list algorithms",
    "bench benchmark evaluate_all": "compare",
    "best oracle": "optimum",
    "best_bound best_objective bound dual_bound lower_bound obj_bound upper_bound":
        "optimum; bound; certificate",
    "bound_seconds": "the command farkas compare, which has it",
    "certify": "prove; verify(); best",
    "convert export": "solve FILE --write OUT; save; write",
    "cat describe details explain_name inspect info open read view": "show; load",
    "cost fun obj obj_val objective objective_value opt optimal_value optimum":
        "optimum; objective; value",
    "create draw_instance gen make new sample": "generate",
    "doctor install setup": "show install",
    "docs example examples quickstart tutorial start": "demo",
    "init scaffold template": "new",
    "draw plot visualize visualise render": "figure FILE; plot",
    "dual marginals multipliers pi row_duals shadow_prices": "duals; show NAME --dual",
    "elapsed run_time solve_time time timings wall_time": "seconds; timings",
    "file o out output save_as": "output; write; save",
    "claim lemma lemmas theorem theorems": "claims",
    "instance instances": "list instances; library; instance",
    "kinds": "list kinds",
    "jobs n num_jobs n_jobs njobs size": "num_jobs; jobs; set",
    "explain iis infeasible linprog lp maximize minimize model optimize": "solve; prove",
    "load": "show; load_into(model)",
    "load_csv load_trace read_csv from_csv trace parse": "import_trace; import",
    "load_solution load_vars write_back": "load_into(model)",
    "log tee trace_log verbose v": "log; slots",
    "gap mip_gap relative_gap tol tolerance rel_gap epsilon": "gap; ratio",
    "is_optimal optimal success": "status == 'optimal'",
    "page": "check --page OUT.html",
    "format json_output": "json",
    "proof certificate cert check": "write; check; certify; verify(); best",
    "ratios": "sweep STORE --ratios",
    "programs": "list programs",
    "random_state rng random_seed": "seed",
    "rc reduced_costs": "duals, which are those of rows",
    "recheck": "trust, without which all is proved again; check",
    "replay test validate verify": "check",
    "report summary": "sweep STORE --report OUT.html; summary(); to_frame()",
    "save": "solve --write OUT; run -o OUT",
    "simulate exec execute play go": "run",
    "solver_status state status termination_condition": "status; violations",
    "solvers backends": "list solvers",
    "sweep experiments": "sweep; the command farkas sweep",
    "allocation assignment plan primal schedule solution variables": "x; decisions",
    "as_dict json to_dict to_json": "to_builtins(); save(path)",
    "df frame results table to_data_frame to_df to_pandas": "to_pandas(); to_frame()",
    "time_limit timeout max_time limit budget": "time_limit; seconds",
    "to_file write savefig write_image show": "output; save(path)",
    "feed": "run, or farkas.feed in Python",
    "warm": "show --compile",
    "winner": "best",
    "gadget.exact_greedy_is_half": "gadget.greedy_ratio",
    "gadget.competitive_ratio_around_mean gadget.competitive_ratio_without_selection":
        "gadget.competitive_ratio",
    "gadget.decomposition": "gadget.rounding_value",
    "gadget.floor_and_ceiling_keep_half": "gadget.ring_selection_relaxed",
    "mlbroker.step_13b_13f_corrected_dual": "mlbroker.step_13b_13f",
}  # fmt: skip


def _plain(name: str) -> str:
    """Letters of a name, which tools part in different ways."""
    return name.lower().replace("-", "").replace("_", "")


_MEANT = {_plain(word): there for words, there in MEANT.items() for word in words.split()}

#: Names that people need most, in the lists of any sort that have them.
FIRST = ("run", "compare", "solve", "prove", "check")
MOST_NAMED = 20  #: Names of a list.


def meant(name: str, known: Iterable[str]) -> list[str]:
    """Return what stands here for a word of other tools, as far as the names hold it."""
    names = {one.lstrip("-").replace("-", "_"): one for one in known}
    found = []
    for there in _MEANT.get(_plain(name), "").split("; "):
        first = there.partition(" ")[0].partition("(")[0].rstrip(",")
        if first in names or there.startswith("the command"):
            found.append(there.replace(first, names.get(first, first), 1))
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
