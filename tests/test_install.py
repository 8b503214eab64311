"""Wheel and sdist are whole, and the wheel works by itself in a fresh environment."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

import farkas
from farkas.errors import Exit
from farkas.extras import EXTRAS
from tests.test_extras import CORE, EVERY_CALL, FEATURES, NEEDS, TRACE, make_store
from tests.tools.shared import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
VERSION = farkas.__version__
UV = Path(sys.executable).with_name("uv")
UNREACHABLE = re.compile(
    r"error sending request|dns error|failed to lookup|connection (refused|reset)|timed out"
    r"|network (is )?(unreachable|connectivity)|tunnel error|certificate",
    re.IGNORECASE,
)
"""What uv says where there is no registry."""


def run(*words: str | Path, folder: Path, given: str = "") -> subprocess.CompletedProcess[str]:
    """Run a command outside the checkout, with nothing of this process's environment for Python."""
    mine = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "PYTEST_CURRENT_TEST")
    env = {name: value for name, value in os.environ.items() if name not in mine}
    return subprocess.run(
        list(map(str, words)), cwd=folder, env=env, input=given, capture_output=True, text=True
    )


def build(target: str, source: Path, folder: Path) -> Path:
    """Build a wheel or an sdist, without a network and without isolation."""
    words = ("-m", "hatchling", "build", "-t", target, "-d", folder)
    done = run(sys.executable, *words, folder=source)
    assert done.returncode == 0, done.stderr
    (made,) = folder.glob("*.whl" if target == "wheel" else "*.tar.gz")
    return made


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout."""
    return build("wheel", ROOT, tmp_path_factory.mktemp("wheel"))


def shipped() -> set[str]:
    """Files of the package in this checkout."""
    found = (path for path in (ROOT / "farkas").rglob("*") if path.is_file())
    return {p.relative_to(ROOT).as_posix() for p in found if "__pycache__" not in p.parts}


def test_the_wheel_holds_the_package_its_licence_and_nothing_else(wheel: Path) -> None:
    assert wheel.name == f"farkas-{VERSION}-py3-none-any.whl"
    inside = set(zipfile.ZipFile(wheel).namelist())
    about = f"farkas-{VERSION}.dist-info/"
    assert {name for name in inside if not name.startswith(about)} == shipped()
    assert {name for name in inside if name.startswith(about)} == {
        about + name for name in ("METADATA", "RECORD", "WHEEL", "entry_points.txt",
                                  "licenses/LICENSE")
    }  # fmt: skip
    needed = (
        "py.typed",
        "__init__.pyi",
        "experiments/report/templates/page.html",
        "standalone/checker.py",
        "standalone/page/example.json",
    )
    assert {f"farkas/{name}" for name in needed} <= inside
    for kind in farkas.kinds():
        assert any(name.startswith("farkas/") and f"/{kind}/tiny" in name for name in inside), kind


def test_the_metadata_say_licence_authors_pythons_and_extras(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    text = archive.read(f"farkas-{VERSION}.dist-info/METADATA").decode()
    said = Parser().parsestr(text)
    assert (said["License-Expression"], said["License-File"]) == ("MIT", "LICENSE")
    assert (said["Author"], said["Requires-Python"]) == ("the farkas authors", ">=3.11")
    assert set(said.get_all("Provides-Extra", [])) == PROJECT["optional-dependencies"].keys()
    always = [line for line in said.get_all("Requires-Dist", []) if "extra ==" not in line]
    assert len(always) == len(PROJECT["dependencies"])
    licence = archive.read(f"farkas-{VERSION}.dist-info/licenses/LICENSE")
    assert licence == (ROOT / "LICENSE").read_bytes()


@pytest.mark.slow
def test_the_sdist_builds_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    sdist = build("sdist", ROOT, tmp_path / "sdist")
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    source = tmp_path / f"farkas-{VERSION}"
    for name in ("LICENSE", "CITATION.cff", "CONTRIBUTING.md", "SECURITY.md", "Makefile",
                 "requirements.lock", "tests/test_install.py", "docs/install.md"):  # fmt: skip
        assert (source / name).is_file(), name
    again = build("wheel", source, tmp_path / "wheel")
    assert again.read_bytes() == wheel.read_bytes()


def fresh(folder: Path) -> Path:
    """Python of a fresh environment that holds nothing."""
    if not UV.is_file():
        pytest.skip("uv is not beside this Python; `make install` brings it")
    done = run(UV, "venv", "-q", "--python", sys.executable, folder / "fresh", folder=folder)
    assert done.returncode == 0, done.stderr
    return folder / "fresh" / "bin" / "python"


def install(python: Path, *words: str | Path) -> None:
    """Install into an environment; skips where no registry can be reached."""
    done = run(UV, "pip", "install", "-q", "--python", python, *words, folder=python.parent)
    if done.returncode and UNREACHABLE.search(done.stderr):
        pytest.skip(f"no package registry is reached: {done.stderr.strip().splitlines()[-1][:200]}")
    assert done.returncode == 0, done.stderr


def pinned(folder: Path) -> list[str | Path]:
    """Hold to the versions that the tests know, so that no release of others breaks them."""
    lock = (ROOT / "requirements.lock").read_text()
    pins = folder / "pins.txt"
    pins.write_text("\n".join(re.findall(r"^[a-z0-9._-]+==[^\\\n]*", lock, re.MULTILINE)))
    return ["-c", pins]


def core_works(python: Path, folder: Path) -> None:
    """Do everything that the core can, and ask for what it cannot."""
    (folder / "model.lp").write_text("max\n obj: x + y\nst\n c: 2 x + y <= 4\nend\n")
    (folder / "jobs.csv").write_text(TRACE)
    make_store(folder)
    asks = [commands[0] for commands in NEEDS.values()]
    lines = "".join(f"{json.dumps(line)}\n" for line in [[], *CORE, *asks])
    done = run(python, "-c", EVERY_CALL, folder=folder, given=lines)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(found) == len(CORE) + len(asks), done.stderr
    for words, (code, printed, said) in zip(CORE, found, strict=False):
        assert code == (Exit.NEGATIVE if words[-1] == "--run" else 0), (words, said)
        assert printed, words
    for words, (code, _, said) in zip(asks, found[len(CORE) :], strict=True):
        assert code == Exit.NO_ANSWER, (words, said)
        assert "pip install 'farkas[" in said, words


@pytest.mark.slow
def test_the_core_runs_in_a_fresh_environment(wheel: Path, tmp_path: Path) -> None:
    python = fresh(tmp_path)
    install(python, wheel, *pinned(tmp_path))
    held = run(UV, "pip", "list", "--format", "json", "--python", python, folder=tmp_path)
    optional = {*EXTRAS, "pytest"}
    assert not {one["name"] for one in json.loads(held.stdout)} & optional
    script = python.with_name("farkas")
    asked = run(script, "--version", folder=tmp_path)
    assert asked.stdout.split() == ["farkas", VERSION], asked.stderr
    where = run(python, "-c", "import farkas; print(farkas.__file__)", folder=tmp_path)
    assert Path(where.stdout.strip()).is_relative_to(tmp_path / "fresh")
    demo = run(script, "demo", folder=tmp_path)
    assert (demo.returncode, demo.stderr) == (0, "")
    assert all(f"{kind}." in demo.stdout for kind in farkas.kinds())
    core_works(python, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("resolution", ["lowest-direct", "highest"])
def test_the_core_runs_with_the_oldest_and_the_newest_releases(
    resolution: str, wheel: Path, tmp_path: Path
) -> None:
    python = fresh(tmp_path)
    install(python, "--resolution", resolution, "-r", ROOT / "pyproject.toml")
    install(python, "--no-deps", wheel)
    core_works(python, tmp_path)


POSITIVE: dict[str, list[list[str]]] = {
    "convex": [
        ["solve", "coded/tiny", "-p", "coded.loads"],
        ["solve", "mlbroker/tiny", "-p", "mlbroker.relaxed", "--solver", "clarabel"],
    ],
    "figures": [["figure", "eris", "7", "--preset", "reduced", "-o", "seven.svg"]],
    "kernels": [["python", "from farkas.online.dps.cluster import *; import numba; print(1)"]],
    "pyomo": [
        ["solve", "mlbroker/tiny", "-p", "mlbroker.relaxed", "--solver", "pyomo"],
        ["claims", "eris.server_in_every_slot", "--run"],
    ],
    "report": [["sweep", "one.toml"], ["sweep", "one.sqlite", "--report", "one.html"]],
    "symbolic": [["claims", "coded.theorem1", "--run"]],
}
"""What works with the core and one extra."""
SWEEP = 'name = "one"\n[[instances]]\nkind = "coded"\n[[algorithms]]\nname = "coded.uniform"\n'


@pytest.mark.slow
@pytest.mark.parametrize("extra", FEATURES)
def test_an_extra_brings_all_that_it_is_for(extra: str, wheel: Path, tmp_path: Path) -> None:
    python = fresh(tmp_path)
    install(python, wheel, *pinned(tmp_path))
    (tmp_path / "one.toml").write_text(SWEEP)
    # as the error says; what is installed satisfies farkas, whatever a registry has by that name
    install(python, f"farkas[{extra}]", *pinned(tmp_path))
    for command in POSITIVE[extra]:
        if command[0] == "python":
            done = run(python, "-c", command[1], folder=tmp_path)
        else:
            done = run(python.with_name("farkas"), *command, folder=tmp_path)
        refuted = command[-1] == "--run" and "refuted" in done.stdout
        assert done.returncode == (Exit.NEGATIVE if refuted else 0), (command, done.stderr)


def numbers(text: str, pattern: str) -> list[str]:
    return re.findall(pattern, text, re.MULTILINE)


def test_changelog_and_citation_name_the_last_release_and_what_follows_it_is_no_release() -> None:
    changes = (ROOT / "CHANGELOG.md").read_text()
    releases = numbers(changes, r"^## (\d+\.\d+\.\d+) - (\S+)$")
    citation = (ROOT / "CITATION.cff").read_text()
    said = dict(re.findall(r"^([a-z-]+): (\S.*)$", citation, re.MULTILINE))
    assert releases[0] == (said["version"], said["date-released"])
    release, _, development = VERSION.partition(".dev")
    if "\n## Unreleased\n" in changes:
        parts, last = release.split("."), said["version"].split(".")
        assert development
        assert [int(part) for part in parts] > [int(part) for part in last]
    else:
        assert said["version"] == VERSION
    assert (said["cff-version"], said["type"], said["license"]) == ("1.2.0", "software", "MIT")


def test_the_licence_is_the_one_that_is_named() -> None:
    text = (ROOT / "LICENSE").read_text()
    assert text.startswith("MIT License\n\nCopyright (c) 2026 the farkas authors\n")
    assert "WITHOUT WARRANTY OF ANY KIND" in text


def test_the_lock_pins_everything_that_is_asked_for() -> None:
    requirements = pytest.importorskip("packaging.requirements")
    lock = (ROOT / "requirements.lock").read_text()
    pins: dict[str, list[str]] = {}
    for name, version in re.findall(r"^([a-z0-9._-]+)==([^\s;]+)", lock, re.MULTILINE):
        pins.setdefault(name, []).append(version)
    extras = PROJECT["optional-dependencies"]
    waiting, seen = [*PROJECT["dependencies"], "farkas[dev]"], set()
    while waiting:
        asked = requirements.Requirement(waiting.pop())
        if asked.name == "farkas":
            new = asked.extras - seen
            seen |= new
            waiting += [line for extra in new for line in extras[extra]]
            continue
        versions = pins[asked.name.lower()]
        assert all(asked.specifier.contains(version) for version in versions), str(asked)
    assert set(FEATURES) <= seen


def test_the_page_on_installing_says_the_size_of_every_extra() -> None:
    row = r"^\| (?:`farkas(?:\[([\w,]+)\])?`) \|.* (\d[\d,]*) \|$"
    page = numbers((ROOT / "docs" / "install.md").read_text(), row)
    sizes = {extra: int(size.replace(",", "")) for extra, size in page}
    assert set(sizes) == {"", *FEATURES, "all"}
    assert sizes[""] < min(sizes[extra] for extra in FEATURES) < sizes["all"]


def test_nothing_says_that_the_package_is_on_an_index() -> None:
    for name in ("README.md", "docs/install.md", "docs/getting_started.md", "docs/index.md"):
        assert "pip install farkas" not in (ROOT / name).read_text(), name
