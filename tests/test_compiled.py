"""Kernels: compiled on first call, and no sooner."""

from __future__ import annotations

import subprocess
import sys

import pytest

import farkas.compiled
from farkas.compiled import Kernel, compiled, compiled_if_long


@compiled
def twice(x: float) -> float:
    """Twice x."""
    return x + x


@compiled
def four_times(x: float) -> float:
    return twice(twice(x))


def test_kernels_call_kernels() -> None:
    assert four_times(1.5) == 6.0


def test_a_kernel_keeps_name_and_docstring() -> None:
    assert isinstance(twice, Kernel) or twice.__name__ == "twice"
    assert twice.__doc__ == "Twice x."


def test_importing_a_module_with_kernels_does_not_load_the_compiler() -> None:
    code = "import sys, farkas.online.eris.repaired; print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


PROPOSALS = """
import farkas.compiled
from farkas.online.eris.printed import printed_schedule
from farkas.online.eris.repaired import repaired_schedule
from farkas.proofs.eris.samples import ledger_of
from farkas.relaxations.eris.payoff_bound import bound_payoff
from tests.generators.eris import random_auction

farkas.compiled.STEPS_INTERPRETED = {steps}
for seed in range(30):
    auction = random_auction(seed, most_chunks=4)
    ledger = ledger_of(auction)
    for job in auction.jobs:
        seen = ledger.meet(job)
        for found in (repaired_schedule(auction, job, seen), printed_schedule(seen)):
            print(f"{{found.payoff:.9g}} {{found.cost:.9g}} {{found.finish}} {{found.bound:.9g}}")
            print(found.workers.tolist(), found.server.tolist(), found.moved.tolist())
        print(f"{{bound_payoff(seen).payoff:.9g}}")
"""


def test_short_work_is_interpreted_until_it_adds_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(farkas.compiled, "STEPS_INTERPRETED", 10)
    monkeypatch.setattr(farkas.compiled, "_steps_so_far", 0)
    calls = []

    @compiled
    def thrice(x: float) -> float:
        calls.append(x)  # which the compiler would refuse
        return 3 * x

    for _ in range(2):
        with compiled_if_long(5):
            assert thrice(2.0) == 6.0
    assert calls == [2.0, 2.0]
    # 5 + 5 + 1 > 10: compiled from here on, which this function does not survive
    with compiled_if_long(1), pytest.raises(Exception, match="calls"):
        thrice(2.0)


def test_interpreter_and_machine_code_propose_the_same() -> None:
    said = []
    for steps in (-1, 10**12):
        code = PROPOSALS.format(steps=steps)
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True
        )
        said.append(done.stdout)
    assert len(said[0].splitlines()) > 100
    assert said[0] == said[1]


def test_a_small_auction_does_not_wait_for_the_compiler() -> None:
    code = """
from farkas.compiled import Kernel
from farkas.instances import library
from farkas.online import algorithms
from farkas.online.eris import repaired
algorithms["eris.eris"].run(library.load("eris/demo"))
print(isinstance(repaired._best, Kernel) and "compiled" not in vars(repaired._best))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True"
