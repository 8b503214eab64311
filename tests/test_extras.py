"""Every extra can be missing: what needs it says so in one line, and all else works."""

from __future__ import annotations

import ast
import importlib
import json
import os
import pickle
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from farkas.errors import Exit, FarkasError
from farkas.experiments.sweeps import Store
from farkas.extras import EXTRAS, MissingExtra, needed
from farkas.registry import when_used
from tests.tools.shared import ROOT
from tests.tools.sources import MODULES, parsed

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
FEATURES = ("convex", "figures", "kernels", "pyomo", "report", "symbolic")
ENGINES = ("gurobipy", "mosek", "ortools", "pyscipopt")
WRITES_MARKUP = "farkas/experiments/report/"
"""The one package of farkas that cannot be imported without its extra."""

EVERY_CALL = """
import contextlib, io, json, os, sys
missing = set(json.loads(sys.stdin.readline()))
class Nowhere:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] in missing:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Nowhere)
import msgspec, numpy, typer  # once for all that are forked
for line in sys.stdin:
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            words = json.loads(line)
            if words[0] == "python":
                try:
                    exec(words[1])
                    code = 0
                except Exception as error:
                    err.write(f"{type(error).__name__}: {error}")
                    code = 1
            else:
                from farkas.cli import call
                code = call(words)
        print(json.dumps([code, out.getvalue(), err.getvalue()]), flush=True)
        os._exit(0)
    os.waitpid(child, 0)
"""


def without(missing: list[str], commands: list[list[str]], folder: Path) -> list[list[Any]]:
    """Exit code, stdout and stderr of commands in processes that cannot import some packages."""
    done = subprocess.run(
        [sys.executable, "-c", EVERY_CALL],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        input="".join(f"{json.dumps(line)}\n" for line in [missing, *commands]),
        capture_output=True,
        text=True,
        check=True,
    )
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(found) == len(commands), done.stderr
    return found


def test_what_is_there_is_imported() -> None:
    assert needed("pyomo.environ").__name__ == "pyomo.environ"


def test_what_is_not_there_is_told_with_its_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EXTRAS, "nowhere_at_all", "convex")
    with pytest.raises(MissingExtra) as caught:
        needed("nowhere_at_all.part")
    assert str(caught.value) == "this needs nowhere_at_all: pip install 'farkas[convex]'"
    assert caught.value.remedy == "pip install 'farkas[convex]'"
    assert isinstance(caught.value, FarkasError)
    assert isinstance(caught.value, ImportError)
    assert caught.value.exit_code is Exit.NO_ANSWER
    again = pickle.loads(pickle.dumps(caught.value))
    assert (type(again), str(again)) == (MissingExtra, str(caught.value))


@pytest.mark.parametrize(
    "text", ["raise ImportError('numpy is too new')", "import no_such_part_of_it"]
)
def test_what_is_there_and_broken_is_not_called_missing(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "half_installed.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setitem(EXTRAS, "half_installed", "kernels")
    words = r"half_installed cannot be imported, .*(too new|no_such_part).*--upgrade 'farkas\[ker"
    with pytest.raises(MissingExtra, match=words) as caught:
        needed("half_installed")
    assert caught.value.remedy == "pip install --upgrade 'farkas[kernels]'"


def names(requirements: list[str]) -> set[str]:
    """Names of the distributions in a list of requirements."""
    return {line.partition(">")[0].partition("[")[0].strip() for line in requirements}


def test_the_core_is_six_packages() -> None:
    core = {"highspy", "msgspec", "numpy", "rich", "scipy", "typer"}
    assert names(PROJECT["dependencies"]) == core


def test_every_package_that_can_be_missing_is_brought_by_the_extra_that_is_named() -> None:
    extras = PROJECT["optional-dependencies"]
    for package, extra in EXTRAS.items():
        assert package in names(extras[extra]), package
    brought = {name for extra in FEATURES for name in names(extras[extra])}
    assert brought == {package for package, extra in EXTRAS.items() if extra in FEATURES}


def test_all_brings_every_feature_and_dev_brings_all() -> None:
    extras = PROJECT["optional-dependencies"]
    (everything,) = extras["all"]
    assert set(everything[7:-1].split(",")) == {*FEATURES, "fast", "sweep"}
    assert "all" in extras["dev"][0][7:-1].split(",")


def imported(path: Path) -> tuple[set[str], set[str]]:
    """Packages that importing a module imports, and those that its functions import."""
    at_once: set[str] = set()
    later: set[str] = set()
    waiting: list[tuple[ast.AST, set[str]]] = [(parsed(path), at_once)]
    while waiting:
        node, found = waiting.pop()
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(str(node.module).partition(".")[0])
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            waiting += [(child, found) for child in node.orelse]
        elif isinstance(node, ast.FunctionDef | ast.ClassDef | ast.stmt | ast.ExceptHandler):
            inside = later if isinstance(node, ast.FunctionDef) else found
            waiting += [(child, inside) for child in ast.iter_child_nodes(node)]
        elif isinstance(node, ast.Module):
            waiting += [(child, found) for child in node.body]
    return at_once, later


def test_importing_a_module_imports_the_core_and_nothing_else() -> None:
    core = {*sys.stdlib_module_names, "farkas", *names(PROJECT["dependencies"])}
    known = {*EXTRAS, *ENGINES, "coptpy", "gmpy2", "google", "markupsafe", "xpress"}
    seen: set[str] = set()
    for path in MODULES:
        place = path.relative_to(ROOT).as_posix()
        allowed = {"jinja2", "markupsafe"} if place.startswith(WRITES_MARKUP) else set()
        if place.startswith("farkas/exact/from_"):
            reads = path.stem.removeprefix("from_")  # whose model was given, so it is there
            allowed = {"highspy", "linopy"} if reads == "arrays" else {reads}
        at_once, later = imported(path)
        assert not at_once - core - allowed, place
        assert not later - core - known - allowed, place
        seen |= later
    assert {"cvxpy", "pyomo", "matplotlib"} <= seen, "functions were not read"


TO_PYOMO = (
    "from farkas.algebra import programs; import farkas\n"
    "programs.build('mlbroker.relaxed').to_pyomo(farkas.load('mlbroker/tiny'))"
)
PLOT = "import farkas; farkas.run('dps/tiny', 'dps.pa').plot().save('run.png')"
NEEDS: dict[str, list[list[str]]] = {
    "clarabel": [["solve", "mlbroker/tiny", "-p", "mlbroker.relaxed", "--solver", "clarabel"]],
    "cvxpy": [
        ["solve", "coded/tiny", "-p", "coded.loads"],
        ["solve", "mlbroker/tiny", "-p", "mlbroker.relaxed", "--solver", "cvxpy:SCS"],
        ["run", "coded/tiny", "-a", "coded.sca"],
        ["python", "import farkas; farkas.solve('coded/tiny', 'coded.loads')"],
    ],
    "distributed": [["optimum", "gadget/tiny", "--scheduler", "tcp://localhost:1"]],
    "jinja2": [
        ["sweep", "sweep.sqlite", "--report", "page.html"],
        ["python", "from farkas.experiments.report import render"],
    ],
    "matplotlib": [
        ["figure", "eris", "7", "-o", "seven.svg"],
        ["figure", "eris", "all", "-o", "figures"],
        ["figure", "run.json", "-o", "run.svg"],
        ["python", PLOT],
    ],
    "pyomo": [
        ["solve", "mlbroker/tiny", "-p", "mlbroker.relaxed", "--solver", "pyomo:highs"],
        ["claims", "eris.server_in_every_slot", "--run"],
        ["python", TO_PYOMO],
    ],
    "sympy": [["claims", "coded.theorem1", "--run"]],
}
"""What asks for each package, on the command line and in Python."""


def test_every_extra_but_the_one_that_is_never_needed_is_asked_for() -> None:
    assert NEEDS.keys() == EXTRAS.keys() - {"numba"}


def make_store(folder: Path) -> None:
    """Make a store without results: a report looks first at what a file is."""
    with Store(folder / "sweep.sqlite"):
        pass


@pytest.mark.slow
@pytest.mark.parametrize("package", NEEDS)
def test_what_needs_a_missing_package_says_which_extra_brings_it(
    package: str, tmp_path: Path
) -> None:
    (tmp_path / "run.json").write_text("{}")
    make_store(tmp_path)
    missing = ["jinja2", "markupsafe"] if package == "jinja2" else [package]
    found = without(missing, NEEDS[package], tmp_path)
    for words, (code, printed, said) in zip(NEEDS[package], found, strict=True):
        assert code == (1 if words[0] == "python" else Exit.NO_ANSWER), (words, said, printed)
        assert said.strip().count("\n") == 0, said
        assert f"pip install 'farkas[{EXTRAS[package]}]'" in said, (words, said)
        assert not (tmp_path / "figures").exists()


TRACE = "at,gpus,took\n0,1,60\n30,2,90\n200,1,120\n"
CORE: list[list[str]] = [
    ["show", "solvers", "--json"],
    ["run", "eris/tiny", "-a", "eris.eris", "-o", "run.json"],
    ["check", "run.json", "--instance", "eris/tiny"],
    ["figure", "run.json"],
    ["run", "coded/tiny", "-a", "coded.iterated_greedy"],
    ["run", "dps/tiny", "-a", "dps.learned"],
    ["run", "gadget/tiny", "-a", "gadget.gadget"],
    ["run", "mlbroker/tiny", "-a", "mlbroker.mlbroker"],
    ["compare", "coded/tiny"],
    ["solve", "mlbroker/tiny", "-p", "mlbroker.offline", "--certify"],
    ["solve", "eris/tiny", "-p", "eris.offline", "--write", "bound.json"],
    ["optimum", "dps/tiny"],
    ["prove", "model.lp"],
    ["generate", "gadget", "-o", "drawn.json"],
    [
        "import", "csv", "jobs.csv", "--kind", "gadget", "-o", "traced.json",
        "--map", "submit=at,gpus=gpus,duration=took",
        "--set", "slot_seconds=60", "--set", "slots=9",
    ],
    ["show", "coded.loads"],
    ["show", "eris"],
    ["claims"],
    ["claims", "eris.server_in_every_slot"],
    ["claims", "coded.surrogate_meets_chance", "--run"],  # refuted
    ["worst", "gadget.fifo", "--seconds", "0.5"],
    ["figure"],
]  # fmt: skip
"""What works without any extra."""


@pytest.mark.slow
def test_the_core_alone_does_all_that_needs_no_more(tmp_path: Path) -> None:
    (tmp_path / "model.lp").write_text("max\n obj: x + y\nst\n c: 2 x + y <= 4\nend\n")
    (tmp_path / "jobs.csv").write_text(TRACE)
    everything = [*EXTRAS, *ENGINES, "markupsafe", "gmpy2", "ecos", "pandas", "polars"]
    found = without(everything, CORE, tmp_path)
    for words, (code, printed, said) in zip(CORE, found, strict=True):
        assert code == (Exit.NEGATIVE if words[-1] == "--run" else 0), (words, said)
        assert printed, words
        assert not said, words
    listed = {line["name"]: line for line in json.loads(found[0][1])["solvers"]}
    for solver, extra in (("clarabel", "convex"), ("pyomo", "pyomo"), ("scip", "scip")):
        assert listed[solver]["standing"] == "missing"
        assert listed[solver]["detail"] == f"pip install 'farkas[{extra}]' to use it"
    assert "pip install 'farkas[convex]'" in found[8][1]  # beside coded.sca
    assert "accepted" in found[2][1]


PACKAGES = ("algebra", "certificates", "forms", "instances", "offline", "online", "solvers")


def test_a_name_is_imported_from_the_module_that_holds_it() -> None:
    load = when_used("json", {"decoder": "JSONDecoder", "encoder": "JSONEncoder py_encode"})
    assert load("JSONDecoder") is importlib.import_module("json.decoder").JSONDecoder
    assert load("JSONEncoder") is importlib.import_module("json.encoder").JSONEncoder
    with pytest.raises(AttributeError, match="module 'json' has no attribute 'Reader'"):
        load("Reader")


@pytest.mark.parametrize("package", PACKAGES)
def test_what_type_checkers_see_of_a_package_is_what_it_gives(package: str) -> None:
    folder = ROOT / "farkas" / package
    module = importlib.import_module(f"farkas.{package}")
    seen = set()
    for node in ast.parse((folder / "__init__.pyi").read_text()).body:
        if isinstance(node, ast.FunctionDef):
            assert getattr(module, node.name).__module__ == module.__name__
            continue
        assert isinstance(node, ast.ImportFrom)
        assert node.module is not None
        home = importlib.import_module(node.module)
        for name in node.names:
            assert name.asname == name.name  # only so it is seen from outside
            assert getattr(module, name.name) is getattr(home, name.name)
            seen.add(name.name)
    (named,) = (
        node.args[1]
        for node in ast.walk(ast.parse((folder / "__init__.py").read_text()))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "when_used"
    )
    given = {name for held in ast.literal_eval(named).values() for name in held.split()}
    assert seen - {"check"} == given  # which is imported at once: its module has the same name


def test_only_packages_that_import_when_used_have_types_of_their_own() -> None:
    stubs = {path.parent.name for path in (ROOT / "farkas").rglob("*.pyi")}
    assert stubs == {*PACKAGES, "farkas"}
