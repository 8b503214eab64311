"""What commands load: one kind at a time, and nothing heavy that was not asked for."""

from __future__ import annotations

import ast
import functools
import io
import json
import os
import subprocess
import sys
import tokenize
from pathlib import Path

import pytest

from farkas.algebra import programs
from farkas.api.solve import solve
from farkas.certificates import write
from farkas.errors import NotApplicable, UnsupportedForm
from farkas.instances import library
from farkas.instances.files import own_kinds
from tests.tools.shared import ROOT
from tests.tools.sources import nodes, text

HEAVY = {"numba", "cvxpy", "pyomo", "matplotlib", "sympy"}
SOLVERS = {"highspy", "gurobipy", "mosek", "pyscipopt", "clarabel", "scipy"}

CALL = """
import contextlib, io, json, sys
from farkas.cli import call
with contextlib.redirect_stdout(io.StringIO()):
    code = call(sys.argv[1:])
print(json.dumps([code, sorted(sys.modules)]))
"""


def loaded_by(*words: str, folder: Path = ROOT) -> set[str]:
    """Modules that a command loads, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", CALL, *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    code, modules = json.loads(done.stdout.splitlines()[-1])
    assert code == 0, done.stderr
    return set(modules)


EVERY_CALL = """
import contextlib, io, json, os, sys
import msgspec, numpy, typer  # once for all that are forked
for line in sys.stdin:
    child = os.fork()
    if child == 0:
        from farkas.cli import call
        with contextlib.redirect_stdout(io.StringIO()):
            code = call(json.loads(line))
        print(json.dumps([code, sorted(sys.modules)]), flush=True)
        os._exit(0)
    os.waitpid(child, 0)
"""


def loaded_by_each(commands: list[list[str]]) -> list[set[str]]:
    """Modules that every command loads, each in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", EVERY_CALL],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        input="".join(f"{json.dumps(words)}\n" for words in commands),
        capture_output=True,
        text=True,
        check=True,
    )
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [code for code, _ in found] == [0] * len(commands), done.stderr
    return [set(modules) for _, modules in found]


def files_of(modules: set[str]) -> list[Path]:
    """Files of the modules of farkas."""
    parts = (ROOT / name.replace(".", "/") for name in modules if name.split(".")[0] == "farkas")
    return [part / "__init__.py" if part.is_dir() else part.with_suffix(".py") for part in parts]


@functools.cache
def code_lines(file: Path) -> int:
    """Lines of a file that are neither blank, nor a comment, nor part of a docstring."""
    still = {
        tokenize.COMMENT,
        tokenize.NL,
        tokenize.NEWLINE,
        tokenize.INDENT,
        tokenize.DEDENT,
        tokenize.ENDMARKER,
    }
    found: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text(file)).readline):
        if token.type not in still:
            found |= set(range(token.start[0], token.end[0] + 1))
    for node in nodes(file):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(
            node
        ):
            first = node.body[0]
            found -= set(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    return len(found)


def heavy(modules: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in modules} & HEAVY


def other_kinds(modules: set[str], kind: str) -> set[str]:
    """Modules of farkas that belong to a kind other than ``kind``."""
    parts = {name: name.split(".") for name in modules if name.startswith("farkas.")}
    others = set(own_kinds()) - {kind}
    return {
        name
        for name, words in parts.items()
        if any(word.split("_")[0] in others for word in words[2:])
    }


# One run and one linear program of every kind; the policies are those that need no compiler.
RUNS = {
    "coded": "coded.uniform",
    "dps": "dps.pa",
    "eris": "eris.tiresias",
    "gadget": "gadget.fifo",
    "mlbroker": "mlbroker.fractional",
}
PROGRAMS = {
    "coded": "coded.assignment_lp",
    "dps": "dps.interval_lp",
    "eris": "eris.offline",
    "gadget": "gadget.gvne_lp",
    "mlbroker": "mlbroker.relaxed",
}


@pytest.mark.slow
def test_a_run_loads_no_other_kind_and_nothing_heavy() -> None:
    commands = [["run", f"{kind}/tiny", "-a", name] for kind, name in RUNS.items()]
    for kind, modules in zip(RUNS, loaded_by_each(commands), strict=True):
        assert not other_kinds(modules, kind)
        assert not heavy(modules) - {"numba"}  # compiled policies of some kinds load it


#: What the papers print.
PRINTED = ("coded.sca", "dps.dps", "eris.eris", "gadget.gadget", "mlbroker.mlbroker")

FIRST_SLOT = """
import contextlib, io, json, os, sys
import msgspec, numpy, typer  # once for all that are forked
FARKAS = os.path.join(os.getcwd(), "farkas") + os.sep


def until(frame, event, argument):
    \"\"\"Say what is loaded when the policy is first asked for a decision.\"\"\"
    code = frame.f_code
    if event != "call" or not code.co_filename.startswith(FARKAS + "online"):
        return
    own = code.co_filename.count(os.sep) > FARKAS.count(os.sep) + 1  # of a kind
    if code.co_name == "take_step" or (own and code.co_name == "decide"):
        sys.setprofile(None)
        print(json.dumps([name for name in sys.modules if name.split(".")[0] == "farkas"]),
              file=sys.__stdout__, flush=True)
        os._exit(0)


for line in sys.stdin:
    shell, instance, algorithm = json.loads(line)
    child = os.fork()
    if child == 0:
        with contextlib.redirect_stdout(io.StringIO()):
            if shell:
                from farkas.cli import call
                sys.setprofile(until)
                call(["run", instance, "-a", algorithm])
            else:
                import farkas
                sys.setprofile(until)
                farkas.run(instance, algorithm)
        os._exit(1)
    os.waitpid(child, 0)
"""


def loaded_when_begun(asked: list[tuple[bool, str]]) -> list[int]:
    """Count modules that are loaded before the first slot, by the shell or by Python."""
    kinds = [name.partition(".")[0] for _, name in asked]
    words = [
        (shell, f"{kind}/tiny", name) for (shell, name), kind in zip(asked, kinds, strict=True)
    ]
    done = subprocess.run(
        [sys.executable, "-c", FIRST_SLOT],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        input="".join(f"{json.dumps(line)}\n" for line in words),
        capture_output=True,
        text=True,
        check=True,
    )
    found = [len(json.loads(line)) for line in done.stdout.splitlines()]
    assert len(found) == len(asked), done.stderr
    return found


@pytest.mark.parametrize("shell", [False, True])
def test_at_most_sixty_modules_are_loaded_when_a_run_begins(shell: bool) -> None:
    found = loaded_when_begun([(shell, name) for name in PRINTED])
    assert 30 < min(found) <= max(found) <= 60


def test_help_loads_a_few_modules_and_no_numbers() -> None:
    modules = loaded_by("--help")
    assert not {name.partition(".")[0] for name in modules} & {*HEAVY, *SOLVERS, "numpy", "rich"}
    own = {name for name in modules if name.startswith("farkas")}
    assert len({name for name in own if not name.startswith("farkas.cli.commands.")}) <= 15


# What makes, writes, decides or prints beside; a check has no use for it.
PRODUCING = (
    "farkas.algebra.latex", "farkas.algebra.to_pyomo",
    "farkas.certificates.repair",
    "farkas.certificates.vipr",
    "farkas.cli.tables", "farkas.experiments",
    "farkas.files.writing", "farkas.instances.generate", "farkas.instances.traces",
    "farkas.instances.variates", "farkas.instances.writing",
    "farkas.online.driver", "farkas.online.loop", "farkas.proofs", "farkas.quantities",
    "farkas.rounding", "farkas.solvers", "farkas.api.run", "farkas.api.solve",
)  # fmt: skip
CASES = ("`FILE`, ", "`RUN --instance FILE`", "`FILE --instance FILE`")


def made_by(modules: set[str]) -> set[str]:
    """Modules that make."""
    return {n for n in modules if any(f"{n}.".startswith(f"{p}.") for p in PRODUCING)}


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], set[str]]:
    """Modules that a check loads, by kind and case of the page."""
    found = {}
    for kind in own_kinds():
        folder = tmp_path_factory.mktemp(kind)
        run, bound = str(folder / "run.json"), str(folder / "bound.json")
        loaded_by("run", f"{kind}/tiny", "-a", RUNS[kind], "--out", run)
        # relaxed: what proves the integer program of Eris may be prices, which need the instance
        loaded_by("solve", f"{kind}/tiny", "-p", PROGRAMS[kind], "--relax", "--write", bound)
        about = ["--instance", str(library.path(f"{kind}/tiny"))]
        for case, words in zip(CASES, ([bound], [run, *about], [bound, *about]), strict=True):
            found[kind, case] = loaded_by("check", *words)
    return found


@pytest.fixture(scope="module")
def rebuilt(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], set[str]]:
    """Modules of a check of a linear certificate that rebuilds a program, by kind and program."""
    folder, words = tmp_path_factory.mktemp("certificates"), {}
    for kind in own_kinds():
        for name in programs.names(f"{kind}."):
            try:
                solution = solve(f"{kind}/tiny", name, certify=True, relax=True)
            except (UnsupportedForm, NotApplicable):
                continue
            write(solution.certificate, folder / f"{name}.json")
            instance = str(library.path(f"{kind}/tiny"))
            words[kind, name] = ["check", str(folder / f"{name}.json"), "--instance", instance]
    assert {kind for kind, _ in words} == set(own_kinds())
    return dict(zip(words, loaded_by_each(list(words.values())), strict=True))


@pytest.mark.slow
def test_checking_loads_nothing_that_makes_and_no_other_kind(
    checked: dict[tuple[str, str], set[str]], rebuilt: dict[tuple[str, str], set[str]]
) -> None:
    for (kind, case), modules in {**checked, **rebuilt}.items():
        assert not {name.partition(".")[0] for name in modules} & (HEAVY | SOLVERS), (kind, case)
        assert not other_kinds(modules, kind)
        assert not made_by(modules), (kind, case)
        commands = {name for name in modules if name.startswith("farkas.cli.commands.")}
        assert commands == {"farkas.cli.commands.check"}
        if case == "`RUN --instance FILE`":
            # neither forms nor the search of rings that only bounds of single slots need
            unused = ("algebra", "models", "forms", "certificates.gadget_slot", "certificates.ring")
            assert not any(n.startswith(tuple(f"farkas.{u}" for u in unused)) for n in modules)


@pytest.mark.slow
def test_the_code_that_a_check_loads_is_short_for_every_program(
    checked: dict[tuple[str, str], set[str]], rebuilt: dict[tuple[str, str], set[str]]
) -> None:
    loaded = [files_of(modules) for modules in {**checked, **rebuilt}.values()]
    assert max(sum(text(file).count("\n") for file in files) for files in loaded) <= 7_250
    assert max(sum(map(code_lines, files)) for files in loaded) <= 4_500


def test_checking_a_run_loads_nothing_that_makes(tmp_path: Path) -> None:
    run, instance = str(tmp_path / "run.json"), str(library.path("mlbroker/tiny"))
    loaded_by("run", "mlbroker/tiny", "-a", RUNS["mlbroker"], "--out", run)
    modules = loaded_by("check", run, "--instance", instance)
    assert not made_by(modules)
    assert not {name.partition(".")[0] for name in modules} & (HEAVY | SOLVERS)


def test_what_is_said_to_be_producing_exists() -> None:
    for name in PRODUCING:
        path = ROOT / name.replace(".", "/")
        assert path.is_dir() or path.with_suffix(".py").exists(), name


def test_a_name_of_one_kind_loads_that_kind_only() -> None:
    code = (
        "import json, sys\n"
        "from farkas.online import algorithms\n"
        "algorithms['mlbroker.fractional'], 'mlbroker.nothing' in algorithms\n"
        "print(json.dumps(sorted(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=True)
    modules = set(json.loads(done.stdout))
    assert not other_kinds(modules, "mlbroker")
