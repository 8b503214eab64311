"""The method of all kinds whose owners choose plans that share limits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from farkas.decomposition.protocol import Pricing
from farkas.decomposition.search import Search
from farkas.errors import NoAnswer, NotACertificate
from farkas.offline.methods import Candidate, Method, SearchState
from farkas.online.run import Bound


def price_search(pricing: Callable[[Any], Pricing], about: str = "prices") -> Method:
    """Search by prices, a choice of plans, exchanges and cases.

    ``pricing``: called with an instance.  Bounds whose proof is too long, or whose sums leave all
    doubles, are left out; the last reason is told at the end as what the search has no answer to.
    """

    def run(instance: Any, state: SearchState) -> Iterator[Candidate]:
        problem = pricing(instance)
        search, refused = Search(problem, float(state.gap), lambda: state.deadline.left), ""
        for found in search.run():
            if found.tree is not None:
                words = f"{about} and charges" if found.tree.knapsacks else about
                if len(found.tree.leaves) > 1:
                    words = f"{words} in {found.words}"
                try:
                    made = problem.certificate(found.tree, state.executor)
                except NotACertificate as error:
                    refused = f"{words}: {error}"
                else:
                    yield Candidate(
                        words, bound=Bound.of(Fraction(made.bound), words, made.plain())
                    )
            if found.plans is not None:
                yield Candidate(found.words, problem.decisions(found.plans))
        if refused:
            raise NoAnswer(refused)

    return run
