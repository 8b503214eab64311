"""What the claims about dedicated workers found, by hand."""

import itertools


def test_entries_of_algorithm_2_by_counting(verdict_of):
    # the printed loops: pairs of masters without workers and free workers; then sums and workers
    for masters, workers in itertools.product(range(1, 5), range(4, 9)):
        looked = sum((masters - r) * (workers - r) for r in range(masters))
        looked += sum(masters + workers - j for j in range(masters, workers))
        m, n = masters, workers
        factored = -(m**3 - 3 * m**2 * n + 3 * m**2 - 3 * m * n + 2 * m - 3 * n**2 - 3 * n) / 6
        assert looked == factored <= (m + 3) / 2 * n**2
    entries = "-(M**3 - 3*M**2*N + 3*M**2 - 3*M*N + 2*M - 3*N**2 - 3*N)/6"
    assert entries in verdict_of("coded.complexity").note
