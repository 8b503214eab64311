"""A market that runs: jobs come, users answer, jobs end, and nobody knows the rest.

`RunningMarket` prices and places jobs by any of the sellers, from what a provider knows: its
servers, and the largest unit price.  Numbers of jobs and the horizon, which the paper assumes
known, are guesses that double when they are exceeded, and learning then begins anew.  With the
true numbers it never does, and the decisions are those of ``farkas run`` on the same market.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from typing import Any, Literal, Self

import msgspec
import numpy as np

from farkas.errors import FileProblem, InvalidOption
from farkas.files import read_record
from farkas.files.writing import replacing
from farkas.instances.dps import Learning
from farkas.messages import named, shown
from farkas.messages.refusals import parsed
from farkas.numbers import Ints
from farkas.online import algorithms
from farkas.online.dps.offers import Ask, Decision, Known, Quote
from farkas.online.dps.seller import Seller

#: First guesses of the number of jobs that ask for a type, and of the horizon.
FIRST_JOBS, FIRST_SLOTS = 64, 1024


class Provider(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a provider knows or guesses."""

    #: server_workers, server_ps: units installed, by server and type.
    server_workers: tuple[tuple[int, ...], ...]
    server_ps: tuple[tuple[int, ...], ...]
    price_cap: float = 1.0  #: Largest unit price.
    horizon: int = FIRST_SLOTS  #: Slots; a guess.
    #: worker_jobs, ps_jobs: number of jobs that will ask for each type; guesses.
    worker_jobs: tuple[int, ...] | None = None
    ps_jobs: tuple[int, ...] | None = None
    #: most_workers, most_ps: largest demand of each type; None for all that is installed.
    most_workers: tuple[int, ...] | None = None
    most_ps: tuple[int, ...] | None = None
    #: Whether a job also holds its units in the slot in which it ends.
    occupancy: Literal["closed", "half_open"] = "closed"
    learning: Learning = Learning()  #: Constants of the pricing algorithm.

    def known(self) -> Known:
        """Facts and guesses as sellers take them.

        Raises
        ------
        InvalidOption
            When sizes differ, or a number is negative or not finite.
        """
        installed = self._table("server_workers"), self._table("server_ps")
        if len(installed[0]) != len(installed[1]):
            raise InvalidOption(
                f"server_workers is about {len(installed[0])} servers, server_ps about "
                f"{len(installed[1])}"
            )
        if not 0 < self.price_cap < np.inf or self.horizon < 1:
            raise InvalidOption("price_cap and horizon are positive and finite")
        most = [units.sum(axis=0) for units in installed]
        return Known(
            horizon=self.horizon,
            occupancy=self.occupancy,
            price_cap=self.price_cap,
            installed_workers=installed[0],
            installed_ps=installed[1],
            worker_jobs=self._row("worker_jobs", np.full(len(most[0]), FIRST_JOBS)),
            ps_jobs=self._row("ps_jobs", np.full(len(most[1]), FIRST_JOBS)),
            most_workers=self._row("most_workers", most[0]),
            most_ps=self._row("most_ps", most[1]),
            learning=self.learning,
        )

    def _table(self, name: str) -> Ints:
        rows = getattr(self, name)
        if not rows or not rows[0] or len({len(row) for row in rows}) > 1:
            raise InvalidOption(f"{name} is a table, one row a server and one column a type")
        return _counts(name, rows)

    def _row(self, name: str, otherwise: Ints) -> Ints:
        given = getattr(self, name)
        if given is None:
            return otherwise
        if len(given) != len(otherwise):
            raise InvalidOption(f"{name} has {len(given)} numbers for {len(otherwise)} types")
        return _counts(name, given)


class _Held(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A job that holds units."""

    ask: Ask
    workers: tuple[int, ...]
    ps: tuple[int, ...]


class _Saved(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The file of a running market."""

    running_market: Literal[1] = 1
    algorithm: str
    options: dict[str, Any]
    provider: Provider
    seed: int
    jobs: int
    slot: int
    since: int
    seen_workers: tuple[int, ...]
    seen_ps: tuple[int, ...]
    random: dict[str, Any]
    held: tuple[_Held, ...]
    learned: dict[str, tuple[float, ...]]


class RunningMarket:
    """Prices and places jobs one after the other.

    Parameters
    ----------
    provider
        What is known, and first guesses.
    algorithm
        Name of a seller that sees no budgets, for example ``dps.dps_pairs``.
    options
        Of the algorithm.
    seed
        Of random prices and placements.

    Raises
    ------
    UnknownName, InvalidOption
        No such algorithm or option, or one that has to see the whole market.
    """

    def __init__(
        self,
        provider: Provider,
        algorithm: str = "dps.dps_pairs",
        options: Mapping[str, Any] | None = None,
        seed: int = 0,
    ) -> None:
        self.algorithm, self.options, self.seed = algorithm, dict(options or {}), seed
        seller = algorithms[algorithm].policy(**self.options)
        if not isinstance(seller, Seller):
            raise InvalidOption(f"{algorithm} has to see the whole market; it cannot run one")
        if seller.asks_for_reports:
            raise InvalidOption(
                f"{algorithm} has to see budgets and runtimes on arrival; feed it whole jobs"
            )
        self.seller: Seller = seller
        self.provider = provider
        self.state: Any = self.seller.start(provider.known(), seed)
        self.jobs = self.slot = self.since = 0
        known: Known = self.state.known
        self._seen = np.zeros_like(known.worker_jobs), np.zeros_like(known.ps_jobs)
        self._open: tuple[Ask, Quote] | None = None

    def offer(self, slot: int, worker_type: int, workers: int, ps_type: int, ps: int) -> Quote:
        """Quote prices for a job that asks for units now; `answer` it before the next.

        Parameters
        ----------
        slot
            Now; not before the last offer.
        worker_type, workers, ps_type, ps
            What the job asks for, at least one unit of either side.

        Raises
        ------
        InvalidOption
            When the last offer has no answer, or the job is none that can come now.
        """
        if self._open is not None:
            raise InvalidOption(f"the offer to job {self._open[0].job} has no answer yet")
        ask = Ask(self.jobs, slot, worker_type, workers, ps_type, ps)
        self._require_possible(ask)
        self._look_at_guesses(ask)
        self.jobs, self.slot = self.jobs + 1, slot
        self._seen[0][worker_type] += 1
        self._seen[1][ps_type] += 1
        quote = self.seller.priced(self.state, ask)
        self._open = ask, quote
        return quote

    def answer(self, accepted: bool) -> Decision:
        """Tell what the user says to the last offer; return what becomes of the job.

        A job that does not fit is full whatever the user says; one that is free of charge is
        served if the user takes it.

        Raises
        ------
        InvalidOption
            When there is no open offer.
        """
        if self._open is None:
            raise InvalidOption("there is no open offer to answer")
        (ask, quote), self._open = self._open, None
        return self.seller.settled(self.state, ask, quote, accepted)

    def over(self, job: int, runtime: float) -> None:
        """Tell that a job is over, before the next offer; its units are idle again.

        Parameters
        ----------
        job
            Its number, counted from 0 in order of the offers.
        runtime
            Slots it ran.

        Raises
        ------
        InvalidOption
            When the job holds nothing, or the runtime is no number of slots.
        """
        if job not in self.state.cluster.running:
            raise InvalidOption(f"job {job} holds no units")
        if not 0 <= runtime < np.inf:
            raise InvalidOption(f"runtime = {runtime:g}; give slots, finite and >= 0")
        gone = self.state.cluster.take_back(job)
        self.seller.finished(self.state, dataclasses.replace(gone, runtime=float(runtime)))

    def _require_possible(self, ask: Ask) -> None:
        known: Known = self.state.known
        if ask.slot < self.slot:
            raise InvalidOption(f"slot {ask.slot} lies before slot {self.slot} of the last offer")
        for kind, types, units in (
            (ask.worker_type, known.worker_jobs, ask.workers),
            (ask.ps_type, known.ps_jobs, ask.ps),
        ):
            if not 0 <= kind < len(types) or units < 1:
                raise InvalidOption(
                    f"{units} units of type {kind}; there are types 0 to {len(types) - 1}, and "
                    "jobs ask for at least one unit"
                )

    def _look_at_guesses(self, ask: Ask) -> None:
        """Double what the job exceeds, and learn anew with the new constants."""
        known: Known = self.state.known
        horizon, worker_jobs, ps_jobs = known.horizon, known.worker_jobs, known.ps_jobs
        while ask.slot - self.since >= horizon:
            horizon, self.since = 2 * horizon, self.since + horizon
        if self._seen[0][ask.worker_type] >= worker_jobs[ask.worker_type] or (
            self._seen[1][ask.ps_type] >= ps_jobs[ask.ps_type]
        ):
            worker_jobs, ps_jobs = np.maximum(1, 2 * worker_jobs), np.maximum(1, 2 * ps_jobs)
        elif horizon == known.horizon:
            return
        guessed = dataclasses.replace(
            known, horizon=horizon, worker_jobs=worker_jobs, ps_jobs=ps_jobs
        )
        cluster, rng = self.state.cluster, self.state.rng
        self.state = self.seller.start(guessed, self.seed)
        self.state.cluster, self.state.rng = cluster, rng
        for seen in self._seen:
            seen[:] = 0

    def _require_idle(self, ask: Ask, units: tuple[Ints, Ints]) -> None:
        cluster = self.state.cluster
        idle = cluster.idle_workers[:, ask.worker_type], cluster.idle_ps[:, ask.ps_type]
        if ask.job in cluster.running or any(
            (held > free).any() for held, free in zip(units, idle, strict=True)
        ):
            raise InvalidOption(f"job {ask.job} holds units that are not idle")

    def to_json(self) -> bytes:
        """Return all that the market knows, as JSON.

        Raises
        ------
        InvalidOption
            When the last offer has no answer.
        """
        if self._open is not None:
            raise InvalidOption(f"the offer to job {self._open[0].job} has no answer yet")
        state, known = self.state, self.state.known
        guessed = msgspec.structs.replace(
            self.provider,
            horizon=known.horizon,
            worker_jobs=tuple(known.worker_jobs.tolist()),
            ps_jobs=tuple(known.ps_jobs.tolist()),
        )
        learned = self.seller.remembered(state)
        content = _Saved(
            algorithm=self.algorithm,
            options=self.options,
            provider=guessed,
            seed=self.seed,
            jobs=self.jobs,
            slot=self.slot,
            since=self.since,
            seen_workers=tuple(self._seen[0].tolist()),
            seen_ps=tuple(self._seen[1].tolist()),
            random=_as_text(state.rng.bit_generator.state),
            held=tuple(
                _Held(job.ask, *(tuple(units.tolist()) for units in job.units))
                for job in state.cluster.running.values()
            ),
            learned={name: tuple(values.tolist()) for name, values in learned.items()},
        )
        return msgspec.json.encode(content)

    @classmethod
    def from_json(cls, content: bytes, where: str = "running market") -> Self:
        """Go on where `to_json` stopped.

        Raises
        ------
        FileProblem
            When the content is no running market; names what is wrong.
        """
        try:
            saved = msgspec.json.decode(content, type=_Saved)
        except (msgspec.DecodeError, ValueError, RecursionError) as error:
            raise FileProblem(f"{where}: no running market: {parsed(error)}") from None
        market = cls(saved.provider, saved.algorithm, saved.options, saved.seed)
        market.jobs, market.slot, market.since = saved.jobs, saved.slot, saved.since
        try:
            _overwrite({"seen": market._seen[0]}, {"seen": saved.seen_workers})
            _overwrite({"seen": market._seen[1]}, {"seen": saved.seen_ps})
            places = market.seller.recall(market.state, saved.learned)
            _overwrite(places, saved.learned)
            market.state.rng.bit_generator.state = _as_numbers(saved.random)
            for held in saved.held:
                units = _counts("held", held.workers), _counts("held", held.ps)
                market._require_idle(held.ask, units)
                market.state.cluster.hold(held.ask, units)
        except (ValueError, TypeError, KeyError, IndexError, InvalidOption) as error:
            raise FileProblem(f"{where}: no running market: {error}") from None
        return market

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write `to_json` to a file, whole or not at all."""
        content = self.to_json()
        with replacing(path) as stream:
            stream.write(content)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read what `save` wrote; raises `FileProblem`."""
        return cls.from_json(read_record(path), named(os.fspath(path)))


def _counts(name: str, values: Any) -> Ints:
    found = np.array(values, np.int64)
    if (found < 0).any():
        raise InvalidOption(f"{name} has a negative number")
    return found


def _overwrite(places: Mapping[str, Any], numbers: Mapping[str, tuple[float, ...]]) -> None:
    if places.keys() != numbers.keys():
        odd = min(places.keys() ^ numbers.keys())
        raise InvalidOption(f"learned: {shown(odd)} is missing or unknown")
    for name, array in places.items():
        if len(numbers[name]) != len(array):
            raise InvalidOption(f"{shown(name)} has {len(numbers[name])} of {len(array)} numbers")
        array[:] = numbers[name]


def _as_text(state: Any) -> Any:
    """State of a generator with its integers as text: JSON readers keep 64 bits at most."""
    if isinstance(state, dict):
        return {name: _as_text(value) for name, value in state.items()}
    return str(int(state)) if not isinstance(state, str) else state


def _as_numbers(state: Any) -> Any:
    if isinstance(state, dict):
        return {
            name: value if name == "bit_generator" else _as_numbers(value)
            for name, value in state.items()
        }
    return int(state)
