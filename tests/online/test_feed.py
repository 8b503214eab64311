"""A policy that is fed step by step does what the driver does with the whole instance."""

from __future__ import annotations

import re
from fractions import Fraction

import msgspec
import pytest

import farkas
from farkas.errors import FarkasError, FileProblem, InvalidInstance, InvalidOption, NotApplicable
from farkas.online import algorithms, environments
from farkas.online.feed import Feed
from tests.generators.dps import random_market
from tests.generators.eris import random_auction

INSTANCES = {
    "dps": lambda: random_market(1, jobs=14),
    "eris": lambda: random_auction(1, most_chunks=4, jobs=6),
    "gadget": lambda: farkas.load("gadget/demo"),
    "mlbroker": lambda: farkas.generate("mlbroker", "small", seed=0),
}
ALGORITHMS = [
    "dps.learned", "dps.simple", "dps.dps_pairs", "dps.random", "dps.best_fit",
    "eris.learned", "eris.eris", "eris.tiresias", "eris.antman",
    "gadget.columns", "gadget.gadget", "gadget.las", "gadget.drf", "gadget.fifo",
    # as printed, constants are those of the whole instance, and no prefix has them
    "mlbroker.pooled", "mlbroker.fractional[tight]", "mlbroker.mlbroker", "mlbroker.local",
]  # fmt: skip


def by_steps(instance) -> list[list]:
    """Jobs of every step."""
    jobs = sorted(instance.jobs, key=lambda job: job.arrival)
    slots = environments[instance.kind].steps(instance)
    if slots is None:
        return [[job] for job in jobs]
    return [[job for job in jobs if job.arrival == slot] for slot in range(slots)]


def in_order(instance):
    """The same instance with its jobs in the order in which they are fed."""
    return instance.replace(jobs=[job for jobs in by_steps(instance) for job in jobs])


def fed(instance, name: str, seed: int = 3, **options) -> Feed:
    known = environments[instance.kind].known(instance)
    return farkas.feed(instance, name, seed=seed, known=known, **options)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_the_run_is_that_of_the_driver_and_every_prefix_is_proved(name, tmp_path):
    instance = in_order(INSTANCES[name.partition(".")[0]]())
    sense = environments[instance.kind].sense
    feed = fed(instance, name)
    steps = by_steps(instance)
    for number, jobs in enumerate(steps):
        feed.step(*jobs)
        if number % 3 and number + 1 < len(steps):
            continue
        run, so_far = feed.run(), feed.so_far()
        assert so_far.num_jobs == sum(map(len, steps[: number + 1]))
        assert not run.violations
        proved = farkas.check(run, so_far).proof.bound
        assert proved == run.certificate.fraction
        if run.value_exact is not None:
            value = Fraction(run.value_exact)
            assert proved <= value if sense == "min" else proved >= value
    assert feed.so_far() == instance
    assert feed.so_far().sha256 == instance.sha256
    whole = farkas.run(instance, name, seed=3)
    assert feed.run() == whole
    assert feed.decisions


def test_decisions_are_made_before_anything_later_is_known():
    instance = in_order(INSTANCES["eris"]())
    steps = by_steps(instance)
    feed = farkas.feed(instance.replace(jobs=()), "eris.learned")
    first = [feed.step(*jobs) for jobs in steps[:3]]
    whole = farkas.run(instance, "eris.learned")
    assert msgspec.to_builtins(first) == whole.decisions[:3]


def test_prefixes_are_runs_of_what_was_there():
    # a cluster that ends with the third slot is what the driver sees of it
    for kind, name in (("gadget", "gadget.las"), ("mlbroker", "mlbroker.pooled")):
        instance = in_order(INSTANCES[kind]())
        feed = fed(instance, name)
        for jobs in by_steps(instance)[:3]:
            feed.step(*jobs)
        assert environments[kind].steps(feed.so_far()) == 3
        assert feed.run() == farkas.run(feed.so_far(), name, seed=3)


def test_a_run_so_far_is_a_file_that_is_checked(tmp_path):
    instance = in_order(INSTANCES["dps"]())
    feed = fed(instance, "dps.learned")
    for jobs in by_steps(instance)[:5]:
        feed.step(*jobs)
    farkas.save(feed.so_far(), tmp_path / "market.json")
    farkas.save(feed.run(), tmp_path / "run.json")
    proof = farkas.check(tmp_path / "run.json", tmp_path / "market.json")
    assert proof.proof.bound == feed.run().certificate.fraction


def test_jobs_of_mlbroker_go_on_from_slot_to_slot(tmp_path):
    instance = in_order(INSTANCES["mlbroker"]())
    feed = fed(instance, "mlbroker.pooled")
    for slot, jobs in enumerate(by_steps(instance)):
        short = [msgspec.structs.replace(job, departure=slot, data=job.data[:1]) for job in jobs]
        more = {
            number: job.data[slot - job.arrival]
            for number, job in enumerate(instance.jobs)
            if job.arrival < slot <= job.departure
        }
        feed.step(*short, more=more)
    assert feed.so_far() == instance
    feed.save(tmp_path / "feed.json")
    again = Feed.load(tmp_path / "feed.json", environments["mlbroker"].known(instance))
    assert again.so_far() == instance
    assert feed.run() == farkas.run(instance, "mlbroker.pooled", seed=3)


def job(kind: str, **changes) -> dict:
    return {**msgspec.to_builtins(INSTANCES[kind]().jobs[0]), **changes}


def one_slot(slot: int) -> dict:
    first = job("mlbroker", arrival=slot, departure=slot)
    return first | {"data": first["data"][:1]}


@pytest.mark.parametrize(
    ("kind", "name", "feeding", "message"),
    [
        ("dps", "dps.bfp_coord", lambda f: f, "has to see the whole instance"),
        ("dps", "dps.learned", lambda f: f.step(), "0 jobs at once"),
        ("dps", "dps.learned", lambda f: f.step(job("dps"), job("dps")), "2 jobs at once"),
        ("dps", "dps.learned", lambda f: f.run(), "nothing was fed"),
        ("dps", "dps.learned", lambda f: f.so_far(), "nothing was fed"),
        ("dps", "dps.learned",
         lambda f: [f.step(job("dps", arrival=2)), f.step(job("dps", arrival=1))], "in slot 2"),
        ("dps", "dps.learned",
         lambda f: [f.step(job("dps")), f.step(job("dps"), more={0: 1.0})], "does not end"),
        ("mlbroker", "mlbroker.local", lambda f: f.step(more=5), "give data by number"),
        ("eris", "eris.learned",
         lambda f: f.step(job("eris", arrival=1, utility=[1.0])), "slot 0 is next"),
        ("gadget", "gadget.las", lambda f: [f.step() for _ in range(99)], "slots are over"),
        ("mlbroker", "mlbroker.local", lambda f: f.step(more={0: []}), "never fed"),
        ("mlbroker", "mlbroker.local", lambda f: f.step(departure=1), "departure"),
        *(
            ("mlbroker", "mlbroker.local",
             lambda f, data=data, key=key: [f.step(one_slot(0)), f.step(more={key: data})], words)
            for key, data, words in (
                (0, None, "goes on with None"), (0, 5, "goes on with 5"), (0, "xy", "goes on with"),
                (0, {}, "goes on with"), (False, [1.0], "never fed"),
            )
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_fed_is_refused(kind, name, feeding, message):
    with pytest.raises((InvalidOption, TypeError), match=message):
        feeding(farkas.feed(INSTANCES[kind](), name))


def test_a_refused_step_changes_nothing():
    feed = farkas.feed(INSTANCES["dps"](), "dps.learned")
    feed.step(job("dps"))
    for wrong in ({**job("dps"), "workers": 0}, {**job("dps"), "worker_type": 99}, {}):
        with pytest.raises(InvalidInstance):
            feed.step(wrong)
    assert len(feed.jobs) == len(feed.decisions) == 1
    assert feed.step(job("dps")) is not None


def test_a_row_of_another_length_is_refused():
    instance = INSTANCES["mlbroker"]()
    first = job("mlbroker", arrival=0, departure=0)
    first["data"] = first["data"][:1]
    feed = farkas.feed(instance, "mlbroker.local")
    feed.step(first)
    with pytest.raises(FarkasError, match=re.compile("data", re.I)):
        feed.step(more={0: [1.0]})
    assert feed.step() is not None
    with pytest.raises(InvalidOption, match="does not end"):
        feed.step(more={0: first["data"][0]})


def test_nothing_arrives_over_time_in_kind_coded():
    with pytest.raises(NotApplicable, match="coded"):
        farkas.feed("coded/demo", "coded.uniform")


@pytest.mark.parametrize("power", [-30, 30])
def test_money_has_no_unit(power):
    from tests.generators.dps import market_in

    market = INSTANCES["dps"]().replace(price_cap=1.0)
    one, other = (fed(each, "dps.learned") for each in (market, market_in(market, 2.0**power)))
    for feed, each in ((one, market), (other, market_in(market, 2.0**power))):
        for jobs in by_steps(each)[:9]:
            feed.step(*jobs)
    assert other.run().value == one.run().value * 2.0**power > 0
    assert algorithms["dps.learned"].kind == "dps"


@pytest.mark.parametrize("name", ["dps.simple", "dps.top", "dps.dps_pairs"])
def test_sellers_that_learn_for_foretold_jobs_say_where_none_is(name: str) -> None:
    market = farkas.load("dps/tiny")
    feed = farkas.feed(market, name)  # of its servers alone
    with pytest.raises(InvalidOption, match="tell feed so by known="):
        any(feed.step(job) for job in market.jobs)


@pytest.mark.parametrize("name", ["dps.dps_pairs", "dps.learned", "mlbroker.mlbroker"])
def test_a_saved_feed_goes_on_where_it_was(name, tmp_path):
    instance = in_order(INSTANCES[name.partition(".")[0]]())
    known, steps = environments[instance.kind].known(instance), by_steps(instance)
    feed, path = fed(instance, name), tmp_path / "feed.json"
    for jobs in steps[: len(steps) // 2]:
        feed.step(*jobs)
    feed.save(path)
    again = Feed.load(path, known)
    for jobs in steps[len(steps) // 2 :]:
        again.step(*jobs)
        feed.step(*jobs)
    assert again.run() == feed.run()


def test_files_that_are_no_feed_or_decide_otherwise_are_refused(tmp_path):
    path = tmp_path / "feed.json"
    market = in_order(INSTANCES["dps"]())
    feed = fed(market, "dps.dps_pairs")
    for job in market.jobs:
        feed.step(job)
    feed.save(path)
    saved = msgspec.json.decode(path.read_bytes())
    turned = [{**each, "payment": each["payment"] + 1.0} for each in saved["decisions"]]
    known = environments["dps"].known(market)
    for change, words in (
        ({"decisions": turned}, "now decides otherwise"),
        ({"feed": 2}, "is no feed"),
        ({"algorithm": "dps.nobody"}, "is no feed"),
        ({"more": []}, "is no feed"),
        ({"steps": [[{}]], "more": [{}]}, "is no feed"),
    ):
        path.write_bytes(msgspec.json.encode(saved | change))
        with pytest.raises(FileProblem, match=words):
            Feed.load(path, known)
