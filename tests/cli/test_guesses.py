"""First guesses of people who have read nothing: they work, or the answer says what to type."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import farkas
from farkas.cli import call

Capture = pytest.CaptureFixture[str]

WORKS, NOTHING = "", "-"  #: In place of the answer: it works, or ends without help.
#: What is typed behind ``farkas``, and what the answer contains.
COMMANDS = {
    "run my.json mlbroker.local": WORKS,
    "run my.json local": WORKS,
    "run mlbroker.local my.json": WORKS,
    "run local my.json": WORKS,
    "run my.json --algorithm local": WORKS,
    "run my.json -a local -a central": "farkas compare my.json -a local -a central",
    "run my.json --policy mine.py": "--algorithm",
    "run my.json": "mlbroker.central",
    "run my.json locl": "mlbroker.local",
    "run my.json local --output x.json": WORKS,
    "run my.json local --out x.json": WORKS,
    "run my.json local --write x.json": "did you mean --output?",
    "run my.json local --verbose": "--slots",
    "run my.json local --format json": "--json",
    "run my.json local --random-state 3": "--seed",
    "run mlbroker.local": "mlbroker.local: no such file",
    "compare my.json local central": WORKS,
    "compare my.json mlbroker.local mlbroker.central": WORKS,
    "compare local my.json central": WORKS,
    "compare my.json -a local": WORKS,
    "compare my.json -a local -a central": WORKS,
    "compare my.json --algorithms local,central": WORKS,
    "compare my.json --policies local": "--algorithms",
    "compare my.json --all": NOTHING,
    "compare my.json -a local --timeout 3": "--time-limit",
    "prove shop.lp": WORKS,
    "prove shop.lp --timeout 10": "--time-limit",
    "prove shop.lp -o x.json": "did you mean --write?",
    "solve shop.lp --solver highs": WORKS,
    "solve shop.lp --solver higs": "highs",
    "solve shop.lp --solver HIGHS": WORKS,
    "solve shop.lp --mip-gap 0.01": "--gap",
    "solve shop.lp --verbose": "--log",
    "solve shop.lp -v": "--log",
    "solve shop.lp --output x.json": "--write",
    "solve shop.lp --proof x.json": "--write",
    "solve my.json": "mlbroker.offline",
    "shop.lp": "farkas prove shop.lp",
    "my.json": "farkas run my.json",
    "mlbroker/tiny": "farkas show mlbroker/tiny",
    "generate mlbroker --jobs 2 -o x.json": WORKS,
    "generate mlbroker --set jobs=2": "num_jobs",
    "generate mlbroker --size 2": "--jobs",
    "generate mlbrokr": "mlbroker",
    "generate": "mlbroker",
    "import jobs.csv --kind gadget": "farkas import csv jobs.csv",
    "check shop.lp": "farkas prove shop.lp",
    "check run.json my.json": WORKS,
    "verify run.json": "check",
    "validate run.json": "check",
    "bound my.json": "optimum",
    "info my.json": "show",
    "describe mlbroker.local": "show",
    "inspect my.json": "show",
    "list solvers": WORKS,
    "list algorithms gadget": WORKS,
    "show algorithms gadget": WORKS,
    "show gadget --algorithms": NOTHING,
    "algorithms gadget": "list algorithms",
    "policies": "list algorithms",
    "programs mlbroker": "list programs",
    "instances": "list instances",
    "kinds": "list kinds",
    "theorems": "claims",
    "claim gadget": "claims",
    "help solve": "--help",
    "version": "--version",
    "dual mlbroker.relaxed": "show NAME --dual",
    "show mlbroker.relaxed --dual": WORKS,
    "convert shop.lp shop.mps": "solve FILE --write",
    "export shop.lp shop.mps": "solve FILE --write",
    "plot run.json": "figure",
    "draw run.json": "figure",
    "new kind": "Missing argument 'NAME'",
    "new policy mlbroker": WORKS,
    "init": "new",
    "simulate my.json local": "run",
    "benchmark my.json": "compare",
    "optimize shop.lp": "solve or prove",
    "iis shop.lp": "solve",
    "attack mlbroker.local": "worst",
    "worst local": "mlbroker.local",
    "worst mlbroker.local --time-limit 1": "--seconds",
    "doctor": "show install",
    "report s.sqlite": "sweep STORE --report",
    "ratios s.sqlite": "sweep STORE --ratios",
    "experiments": "sweep",
    "examples": "demo",
    "demo mlbroker": NOTHING,
}
#: What is typed in Python: ``m`` is an instance, ``r`` a run, ``s`` a solution, ``c`` a comparison.
PYTHON = {
    'farkas.run(m, "local")': WORKS,
    'farkas.run(m, algorithm="mlbroker.local")': WORKS,
    'farkas.run(m, "mlbroker.locl")': "mlbroker.local",
    'farkas.run(m, policy="local")': "algorithm",
    'farkas.run("mlbroker.local", m)': NOTHING,
    'farkas.compare(m, algorithms=["local"])': WORKS,
    'farkas.compare(m, "local")': WORKS,
    'farkas.compare(m, policies=["local"])': "did you mean algorithms?",
    'farkas.compare(m, [r, "local"])': "name of an algorithm",
    'farkas.solve("shop.lp", "gurobi")': "solver=",
    'farkas.solve(m, "gurobi")': 'solver="gurobi"',
    'farkas.solve("shop.lp", solver="HIGHS")': WORKS,
    'farkas.solve("shop.lp", mip_gap=0.01)': "gap",
    'farkas.solve("shop.lp", tee=True)': "log",
    'farkas.solve("shop.lp", timeout=3)': "time_limit",
    "farkas.solve(m)": "mlbroker.offline",
    'farkas.prove("shop.lp")': WORKS,
    'farkas.prove("shop.lp", timeout=3)': "time_limit",
    'farkas.load("shop.lp")': "farkas prove shop.lp",
    'farkas.generate("mlbroker", n_jobs=5)': "num_jobs",
    'farkas.generate("mlbroker", jobs=5)': "num_jobs",
    "farkas.solvers()": WORKS,
    "farkas.kinds()": WORKS,
    'farkas.algorithms("mlbroker")': WORKS,
    "farkas.show(m)": NOTHING,
    'farkas.worst("mlbroker.local", time_limit=2)': "seconds",
    'farkas.worst("local")': "mlbroker.local",
    "farkas.check(r)": WORKS,
    "farkas.optimum(m, timeout=2)": "did you mean time_limit?",
    "farkas.linprog": "solve or prove",
    "farkas.Model": "solve or prove",
    "farkas.read_csv": "import_trace",
    "farkas.sweep": "farkas sweep",
    "farkas.simulate": "run",
    "farkas.verify": "check",
    "farkas.describe": "show",
    "farkas.optimize": "solve or prove",
    "farkas.benchmark": "compare",
    "farkas.policies": "algorithms",
    "farkas.draw": "plot",
    'farkas.dual(m, "mlbroker.relaxed")': WORKS,
    "farkas.bound": "optimum",
    "s.status": WORKS,
    "s.objective": WORKS,
    "s.x": WORKS,
    's.values()["x"]': WORKS,
    "s.objective_value": "objective",
    "s.runtime": "seconds",
    "s.solution": "did you mean x",
    "r.cost": "did you mean value",
    "r.objective": "did you mean value",
    "r.schedule": "did you mean decisions",
    "r.bound": "did you mean certificate",
    "r.gap": "did you mean ratio",
    "r.summary()": "to_frame()",
    "c.best": WORKS,
    'c["mlbroker.local"]': WORKS,
    'c["local"]': "mlbroker.local",
    "c.to_pandas()": "to_frame()",
    "m.num_jobs": WORKS,
    "m.n_jobs": NOTHING,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a newcomer has: a market, a run of it, a model and a table."""
    place = tmp_path_factory.mktemp("guesses")
    market = farkas.load("mlbroker/tiny")
    farkas.save(market, place / "my.json")
    farkas.save(farkas.run(market, "local"), place / "run.json")
    (place / "shop.lp").write_text(
        "max\n obj: 3 x\nsubject to\n c: 4 x <= 30.5\ngeneral\n x\nend\n"
    )
    (place / "jobs.csv").write_text("start,gpus\n0,1\n5,2\n")
    return place


@pytest.mark.parametrize("words", COMMANDS)
def test_a_first_guess_at_a_command_works_or_is_answered(
    words: str, folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    code, answer = call(words.split()), COMMANDS[words]
    said = capsys.readouterr().err
    if answer == WORKS:
        assert code == 0, said
    else:
        assert code == 2
        assert answer == NOTHING or answer in said


@pytest.mark.parametrize("text", PYTHON)
def test_a_first_guess_in_python_works_or_is_answered(
    text: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    market, answer = farkas.load("my.json"), PYTHON[text]
    names: dict[str, Any] = {"farkas": farkas, "m": market}
    if "r" in text.replace("farkas", "").replace("broker", ""):
        names["r"] = farkas.run(market, "local")
    names["s"] = farkas.solve("shop.lp") if text.startswith("s.") else None
    names["c"] = farkas.compare(market, ["local", "central"]) if text.startswith("c") else None
    if answer == WORKS:
        eval(text, names)
        return
    with pytest.raises((farkas.FarkasError, AttributeError, TypeError)) as caught:
        eval(text, names)
    assert answer == NOTHING or answer in str(caught.value)


def test_four_of_five_guesses_work_or_are_answered_and_no_more_are_lost() -> None:
    answers = [*COMMANDS.values(), *PYTHON.values()]
    assert len(answers) >= 80
    assert answers.count(NOTHING) <= len(answers) // 5
