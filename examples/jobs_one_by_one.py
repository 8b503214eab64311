"""Sellers that are told of one job after the other, against the best bound with hindsight.

A market is drawn at random.  Each seller sees a job when it comes and answers at once; of what is
to come it knows the number of jobs by type, as in the paper.  When all have come, a search with
hindsight proves what nobody could have exceeded.
"""

from fractions import Fraction

import farkas
from farkas.certificates.ratio import ratio_words
from farkas.online.driver import environments

SELLERS = ("dps.learned", "dps.simple", "dps.top")


def main() -> None:
    market = farkas.generate("dps", seed=0, num_jobs=150)
    known = environments["dps"].known(market)
    feeds = {name: farkas.feed(market, name, known=known) for name in SELLERS}
    for job in market.jobs:
        for feed in feeds.values():
            feed.step(job)
    best = farkas.optimum(market, gap=0.01, time_limit=10.0)
    print(f"nobody earns more than {best.run.certificate.words('max')}; with hindsight ", end="")
    print(f"{float(best.value):.9g} can be had ({best.found_by})")
    print(f"{'seller':14} {'earns':>9} {'sold':>5}  {'at most so many times from the best':35}")
    for name, feed in feeds.items():
        run = feed.run()
        # what a run proves of itself is weaker than what the search has proved of the market
        ratio = ratio_words(best.bound / Fraction(run.reached)) if run.value > 0 else "no bound"
        sold = sum(decision.outcome == "sold" for decision in feed.decisions)
        print(f"{name:14} {run.value:9.2f} {sold:5d}  {ratio}, by its own bound {run.ratio:.3f}")


if __name__ == "__main__":
    main()
