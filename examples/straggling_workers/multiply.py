"""Multiply real matrices on workers that straggle, and decode before the last one is done.

Two masters share eight workers.  The rounded linear program of P3 says who works for whom; every
worker is a thread that sleeps as long as its sampled delay says.  Longer loads need fewer workers
and take each of them longer, which the exact quantiles weigh against each other.

The same on the command line, without the matrices::

    farkas generate coded --preset small -o cluster.json
    farkas compare cluster.json
"""

import numpy as np
from workers import execute

import farkas
from farkas.models.coded.completion_times import Allocation, Law
from farkas.online import algorithms


def main() -> None:
    data = farkas.generate("coded", num_masters=2, num_workers=8, rows=200, seed=1)
    run = farkas.run(data, "coded.round_lp")
    print(f"expected results suffice after {run.value:.2f} {data.time_unit}")
    print(f"proved: no plan needs less than {float(run.certificate):.2f} {data.time_unit}")
    plan = algorithms["coded.round_lp"].policy().plan(data, seed=0)
    for stretch in (1.0, 1.2, 1.5):
        longer = Allocation(plan.share, stretch * plan.loads)
        quantile = Law.given(data, longer.share, longer.whole_loads).quantile(0.98)
        print(f"loads times {stretch}: 98 % of the time done by {quantile:.2f} {data.time_unit}")
    rng = np.random.default_rng(0)
    matrices = [rng.standard_normal((200, 50)) for _ in range(2)]
    vectors = [rng.standard_normal(50) for _ in range(2)]
    longer = Allocation(plan.share, 1.5 * plan.loads)
    results = execute(data, longer, matrices, vectors, rng)
    for master, result in enumerate(results):
        assert result.error < 1e-9
        print(
            f"master {master}: A x to {result.error:.0e}, rows of workers {result.used}, "
            f"not waited for {result.ignored}"
        )


if __name__ == "__main__":
    main()
