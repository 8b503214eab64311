"""The names of ``import farkas``."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest

import farkas
from farkas import solvers
from farkas.errors import FarkasError, FileProblem, InvalidInstance, InvalidOption, UnknownName

STUB = ast.parse(Path(farkas.__file__).with_suffix(".pyi").read_text())
VERBS = sorted(set(farkas.__all__) - {"__version__"})


def typed_names() -> dict[str, str]:
    """What type checkers are told: name to ``module:function``."""
    imports = [node for node in STUB.body if isinstance(node, ast.ImportFrom)]
    return {
        alias.asname or alias.name: f"{node.module}:{alias.name}"
        for node in imports
        for alias in node.names
    }


def test_type_checkers_readers_and_the_interpreter_are_told_the_same() -> None:
    assert typed_names() == farkas._HOMES
    assert sorted(farkas._HOMES) == VERBS
    (exported,) = (ast.literal_eval(n.value) for n in STUB.body if isinstance(n, ast.Assign))
    assert exported == sorted(farkas.__all__)
    assert set(VERBS) <= set(dir(farkas))


def test_the_error_and_the_solvers_at_the_top_are_the_ones_of_their_modules() -> None:
    assert farkas.FarkasError is FarkasError
    assert farkas.solvers() == solvers.all_solvers()
    assert farkas.solvers is solvers


@pytest.mark.parametrize("name", [name for name in VERBS if name not in ("FarkasError", "Policy")])
def test_every_public_name_is_a_documented_typed_function(name: str) -> None:
    function = getattr(farkas, name)
    assert inspect.getdoc(function)
    signature = inspect.signature(function)
    assert signature.return_annotation is not inspect.Signature.empty
    assert all(p.annotation is not p.empty for p in signature.parameters.values())


def test_a_file_hides_the_shipped_instance_of_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mlbroker").mkdir()
    (tmp_path / "mlbroker" / "tiny").write_text("[]")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidInstance):
        farkas.load("mlbroker/tiny")


def test_a_name_that_is_neither_file_nor_shipped_is_answered_with_the_nearest() -> None:
    with pytest.raises(FileProblem, match="did you mean mlbroker/tiny"):
        farkas.load("mlbroker/tinny")
    with pytest.raises(FileProblem, match="no such file"):
        farkas.load("market.json")


def test_everything_of_a_kind_is_listed_and_every_listed_name_is_shown() -> None:
    assert farkas.kinds() == ["coded", "dps", "eris", "gadget", "mlbroker"]
    assert set(farkas.library("coded")) < set(farkas.library())
    listed = [*farkas.programs("coded"), *farkas.algorithms("coded"), *farkas.library("coded")]
    listed += [item.name for item in farkas.claims("coded")]
    page = farkas.show("coded")
    for name in listed:
        assert f"  {name}" in page
        assert farkas.show(name)
    with pytest.raises(UnknownName, match="unknown kind"):
        farkas.algorithms("code")
    with pytest.raises(UnknownName, match="did you mean"):
        farkas.show("coded.unifrm")


GIVEN: dict[str, dict[str, object]] = {
    "load": {"file": "mlbroker/tiny"},
    "generate": {"kind": "mlbroker", "preset": "small", "seed": 0, "name": None, "num_sites": 3},
    "import_trace": {"source": "csv", "path": "jobs.csv", "kind": "dps", "seed": 0,
                     "map": {"submit": "at", "gpus": "gpus", "duration": "long"}},
    "solve": {"instance": "mlbroker/tiny", "program": "mlbroker.relaxed", "variant": None,
              "solver": "highs", "relax": False, "certify": False, "embed": False,
              "time_limit": None, "gap": None, "threads": None, "seed": None, "log": False},
    "run": {"instance": "mlbroker/tiny", "algorithm": "mlbroker.fractional", "seed": 0,
            "progress": None, "epsilon": 0.1},
    "compare": {"instance": "mlbroker/tiny", "algorithms": "mlbroker.local", "problem": None,
                "seed": 0, "progress": None, "time_limit": None, "bound_seconds": None,
                "bound_progress": None},
    "evaluate": {"instance": "mlbroker/tiny", "keys": "mlbroker.offline[strict]"},
    "optimum": {"instance": "mlbroker/tiny", "problem": None, "gap": 0.1, "time_limit": 60.0,
                "progress": None},
    "prove": {"model": "mlbroker/tiny", "program": "mlbroker.relaxed", "numbers": None,
              "solver": "highs", "time_limit": None, "gap": 0.0, "embed": True, "progress": None},
    "check": {"what": "run.json", "instance": "mlbroker/tiny"},
    "claims": {"name": "mlbroker.usage_growth"},
    "show": {"name": "mlbroker.fractional", "latex": False},
    "save": {"what": None, "path": "x.json"},
    "programs": {"kind": "dps"},
    "algorithms": {"kind": "dps"},
    "library": {"kind": "dps"},
}  # fmt: skip
"""Arguments of every verb with which it does something, but for what is saved."""

ODD: list[object] = [
    3, -1, 2.5, float("nan"), True, "", "x" * 5000, "\0", "\ud800", "[", "a.b", b"x", [], [None],
    {}, {3: 4}, set(), object(), 10**5000, [10**5000],
]  # fmt: skip


@pytest.mark.parametrize(
    ("verb", "argument"), [(verb, key) for verb, given in GIVEN.items() for key in given]
)
def test_whatever_is_given_only_errors_of_farkas_come_back(
    verb: str, argument: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("jobs.csv").write_text("at,gpus,long\n0,1,100\n50,2,300\n")
    tiny = farkas.load("mlbroker/tiny")
    farkas.save(farkas.run(tiny, "mlbroker.local"), "run.json")
    given = {**GIVEN[verb], **({"what": tiny} if verb == "save" else {})}
    getattr(farkas, verb)(**given)
    refused = []
    for odd in ODD:
        try:
            getattr(farkas, verb)(**{**given, argument: odd})
        except FarkasError as error:
            refused.append(str(error))
    assert len(refused) >= len(ODD) // 3
    assert all(len(words) < 1000 and words.isprintable() for words in refused)


def test_seeds_and_solvers_of_a_wrong_type_are_refused() -> None:
    with pytest.raises(InvalidOption, match="seed cannot be 'a': give int"):
        farkas.run("mlbroker/tiny", "mlbroker.fractional", seed="a")
    with pytest.raises(InvalidOption, match="solver cannot be 3"):
        farkas.solve("mlbroker/tiny", "mlbroker.relaxed", solver=3)
