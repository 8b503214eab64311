"""Kernels that copy arrays: numba compiles these loops faster than ``target[:] = source``."""

from farkas.kernels import Floats1, Ints1, Out, compiled


@compiled
def copy_floats(source: Floats1, target: Out[Floats1]) -> None:
    """Copy numbers to the begin of ``target``."""
    for k in range(len(source)):
        target[k] = source[k]


@compiled
def copy_ints(source: Ints1, target: Out[Ints1]) -> None:
    """Copy whole numbers to the begin of ``target``."""
    for k in range(len(source)):
        target[k] = source[k]
