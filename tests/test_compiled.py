"""Kernels: compiled on first call, and no sooner."""

from __future__ import annotations

import subprocess
import sys

from farkas.compiled import Kernel, compiled


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
