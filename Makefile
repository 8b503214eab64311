# Everything runs from a .venv that the first target fills: `make demo` from requirements-core.lock, all else
# from requirements.lock.  Needs on the machine: python3 (3.11 or newer, with venv), git, make.
PYTHON ?= python3
JOBS   ?= 2
VENV   := .venv
BIN    := $(VENV)/bin
CORE   := $(VENV)/.core-installed
STAMP  := $(VENV)/.farkas-installed
SHELL  := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c

# A hundred processes of the tests import the sources, which are compiled once.
export PYTHONDONTWRITEBYTECODE :=
# One thread per process: the tests already use every core, and timings stay comparable.
export OMP_NUM_THREADS ?= 1
export OPENBLAS_NUM_THREADS ?= 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: demo test test-all quick quick-touched lint format types contracts bench bench-proofs docs record worst mutants \
        fuzz figures browser lock wheel install clean

demo: $(CORE)  ## one certified run of every kind
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/farkas demo
	@echo "The command is $(BIN)/farkas; source $(BIN)/activate puts it on the path."

# Types are checked beside the tests, which run in one process for each group of folders: a process imports the
# tests of its own group only.  The longest begins first.  Whatever is new under tests belongs to group 6.
SUITES := tests-4 tests-6 compiled tests-1 tests-2 tests-3 tests-5 doctests
tests-1 := $(wildcard $(addprefix tests/,online offline adversary replay))
tests-2 := $(wildcard $(addprefix tests/,certificates exact duals standalone forms algebra))
tests-3 := $(wildcard $(addprefix tests/,experiments executor solvers))
tests-4 := $(wildcard $(addprefix tests/,cli api))
tests-5 := $(wildcard $(addprefix tests/,proofs docs fuzz))
compiled := $(wildcard tests/kernels tests/api/test_warm.py)
tests-6 := $(filter-out $(tests-1) $(tests-2) $(tests-3) $(tests-4) $(tests-5) $(compiled), \
    $(patsubst %/,%,$(wildcard tests/test_*.py tests/[a-z]*/)))

PYTEST := $(BIN)/python -m pytest -q
BESIDE := $(MAKE) --no-print-directory --keep-going --output-sync=target -j $(JOBS)

test: $(STAMP)  ## what has to pass before a commit
	@$(BESIDE) types $(SUITES:%=quick-%) lint contracts

test-all: $(STAMP)  ## also the slow tests
	@$(BESIDE) types $(SUITES:%=all-%) lint contracts

quick: $(STAMP)  ## the tests of the layers that git says are touched
	@$(BESIDE) types lint contracts quick-touched

# Loops of kernels are interpreted but where machine code is what is tested: compiling all takes minutes.
quick-%: export NUMBA_DISABLE_JIT := 1
quick-compiled: export NUMBA_DISABLE_JIT := 0
quick-tests-% all-tests-% quick-touched: IGNORED = $(compiled:%=--ignore=%)

quick-touched: $(STAMP)
	@$(PYTEST) --quick $$($(BIN)/python -m tests.tools.touched) $(IGNORED)

quick-%: $(STAMP)
	@$(PYTEST) --quick $($*) $(IGNORED)

all-%: $(STAMP)
	@$(PYTEST) $($*) $(IGNORED)

quick-doctests all-doctests: $(STAMP)
	@$(PYTEST) --doctest-modules $$(grep -rl --include='*.py' '>>> ' farkas)

lint: $(STAMP)  ## style
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

format: $(STAMP)  ## rewrite the files in the project's style
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

types: $(STAMP)  ## mypy --strict
	@$(BIN)/mypy

contracts: $(STAMP)  ## layering
	@$(BIN)/lint-imports --cache-dir .import_linter_cache

bench: $(STAMP)  ## ratios measured side by side; JSON in benchmarks/results
	@$(BIN)/python -m benchmarks

PROGRAMS ?= ../shared/mps
bench-proofs: $(STAMP)  ## exact proofs of public programs beside HiGHS; PROGRAMS=FOLDER of .mps and .lp
	@$(BIN)/python -m benchmarks.bench_proofs --folder $(PROGRAMS)

docs: $(STAMP)  ## documentation site in docs/_build/html; notebooks are run, prompts by the tests
	@$(BIN)/sphinx-build -q -W --keep-going -b html -d docs/_build/.doctrees docs docs/_build/html

CASES ?= 1e4
fuzz: $(STAMP)  ## attack the checkers with changed certificates; CASES=1e6 SEED=1 for long
	@$(BIN)/python -m tests.fuzz --cases $(CASES) --jobs $(JOBS) $(if $(SEED),--seed $(SEED))

record: $(STAMP)  ## golden texts, verdicts, solver matrix: what is missing, or NAMES="a b", CHANGED="c", ATTACKED="d"
	@$(BIN)/python -m tests.recorded --names "$(NAMES)" --changed "$(CHANGED)" \
	    --attacked "$(ATTACKED)" --seconds $(or $(SECONDS),60)

worst: $(STAMP)  ## worst cases that ship: what is missing, or AGAIN="a b"; SECONDS=60 for each
	@PYTHONPATH=docs/_ext $(BIN)/python -m tests.recorded.worst --again "$(AGAIN)" --seconds $(or $(SECONDS),20)

mutants: $(STAMP)  ## do the tests notice changes?  FOLDERS="certificates by_hand" SAMPLE=100 (0: all)
	@$(BIN)/python -m tests.mutants $(FOLDERS) --sample $(or $(SAMPLE),100)

figures: $(STAMP)  ## every published figure and table; stopped, it goes on where it was
	@$(BIN)/farkas figure all --jobs $(JOBS)

browser:  ## Debian's headless Chromium, for the tests that look at a report (needs root)
	@apt-get update -qq
	@DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium

lock: $(STAMP)  ## newest allowed versions, pinned with hashes
	@$(BIN)/uv pip compile pyproject.toml --extra dev --universal --python-version 3.11 \
	    --generate-hashes --upgrade --no-header --no-annotate --quiet -o requirements.lock
	@$(BIN)/uv pip compile pyproject.toml --universal --python-version 3.11 -c requirements.lock \
	    --generate-hashes --no-header --no-annotate --quiet -o requirements-core.lock
	@sed -i '1i # Exact versions with hashes of everything that `make` installs; rewrite with `make lock`.' \
	    requirements.lock requirements-core.lock

wheel: $(STAMP)  ## wheel and sdist in dist
	@$(BIN)/python -m hatchling build -d dist

install: $(STAMP)  ## only the set-up

# $(call install,LOCK): uv, which the lock pins, unpacks in seconds; where it cannot be had, pip does.
UV = $(BIN)/python -m uv
define install
	@$(UV) --version >/dev/null 2>&1 || { sed -n '/^uv==/,/^[a-z]/p' requirements.lock | sed '$$d' >$(VENV)/uv.txt && \
	    $(BIN)/python -m pip install --quiet --require-hashes -r $(VENV)/uv.txt; } || true
	@$(UV) pip install --quiet --python $(BIN)/python --require-hashes -r $(1) || \
	    $(BIN)/python -m pip install --quiet --require-hashes -r $(1)
endef

# A stamp is written last: an interrupted set-up starts over.  A .venv that already works is kept.
$(CORE): requirements-core.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	    { echo "farkas needs Python 3.11 or newer; set PYTHON=/path/to/python" >&2; exit 2; }
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV) || \
	    { echo "cannot create $(VENV); on Debian: apt install python3-venv" >&2; exit 2; }
	@echo "setting up $(VENV) (once)"
	$(call install,requirements-core.lock)
	@$(BIN)/python -c 'import pathlib, sysconfig; \
	    pathlib.Path(sysconfig.get_path("purelib"), "farkas_checkout.pth").write_text("$(CURDIR)\n")'
	@printf '#!%s/python\nfrom farkas.cli import main\nmain()\n' "$(CURDIR)/$(BIN)" >$(BIN)/farkas
	@chmod +x $(BIN)/farkas
	@touch $@

$(STAMP): $(CORE) requirements.lock pyproject.toml
	$(call install,requirements.lock)
	@$(BIN)/python -m pip install --quiet --no-index --no-deps --no-build-isolation --editable .
	@touch $@

clean:  ## caches and build products, not the .venv
	@rm -rf .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis build dist docs/_build
