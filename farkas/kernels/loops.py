"""Loops that kernels share: numba compiles them faster than ``target[:] = source``."""

from farkas.kernels import Floats1, Floats2, Ints1, Out, compiled


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


@compiled
def scale(factor: float, source: Floats2, target: Out[Floats2]) -> None:
    """Write the multiple of a matrix to the first rows and columns of ``target``."""
    for i in range(source.shape[0]):
        for j in range(source.shape[1]):
            target[i, j] = factor * source[i, j]
