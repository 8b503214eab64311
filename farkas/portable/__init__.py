"""Arithmetic with the same bits on every machine.

``np.exp`` and its kin, BLAS and numpy's random variates choose their code by the processor or call
the C library, and the last bits follow the choice.  What decides an instance, a run or a
certificate uses `exponentials`, `less_one`, `logarithms`, `powers`, `turns`, `sums`, `products` and
`draws` instead.
"""
