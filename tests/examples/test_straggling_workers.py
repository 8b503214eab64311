"""The example in which masters really multiply on workers that straggle."""

import importlib.util
import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from farkas.errors import InvalidOption, NoAnswer
from farkas.instances import library
from farkas.instances.coded import CodedComputing
from farkas.instances.generate import generate
from farkas.models.coded.completion_times import Allocation
from farkas.online import algorithms
from tests.tools.shared import ROOT

spec = importlib.util.spec_from_file_location(
    "straggling_workers", ROOT / "examples" / "straggling_workers" / "workers.py"
)
assert spec is not None
assert spec.loader is not None
execution = importlib.util.module_from_spec(spec)
sys.modules[spec.name] = execution  # dataclasses look their module up
spec.loader.exec_module(execution)
MdsCode, draw_masters = execution.MdsCode, execution.draw_masters
execute = execution.execute


def plan_of(name, data, stretch=1.0):
    plan = algorithms[name].policy().plan(data, 0)
    return Allocation(plan.share, plan.loads * stretch)


def test_real_products_are_decoded():
    data = generate("coded", num_masters=2, num_workers=6, rows=60, seed=4)
    rng = np.random.default_rng(0)
    matrices = [rng.standard_normal((60, 9)) for _ in range(2)]
    vectors = [rng.standard_normal(9) for _ in range(2)]
    plan = plan_of("coded.round_lp", data, 2.0)
    found = execute(data, plan, matrices, vectors, rng, seconds_per_unit=2e-4)
    for one, matrix, vector in zip(found, matrices, vectors, strict=True):
        assert one.product == pytest.approx(matrix @ vector, rel=1e-7, abs=1e-7)
        assert one.error < 1e-9
        assert set(one.used).isdisjoint(one.ignored)


def test_a_master_decodes_before_its_slowest_worker_is_done(monkeypatch):
    # 6 rows each, so any two of the three workers suffice for 12; the third, whose 6 rows take 6e6,
    # returns when the product is there: whoever waited for it would wait for ever.
    data = CodedComputing.build(
        success_probability=0.8, masters=[{"rows": 12}], workers=3,
        rate=[[1e9, 1e9, 1e9]], shift=[[0.1, 0.1, 1e6]],
    )  # fmt: skip
    plan = Allocation(np.ones((1, 3)), np.full((1, 3), 6.0))
    decoded, decode = threading.Event(), MdsCode.decode

    def decode_and_tell(*arguments):
        product = decode(*arguments)
        decoded.set()
        return product

    def work(block, vector, seconds):
        assert seconds == pytest.approx(0.6 if seconds < 1e6 else 6e6, rel=1e-6)
        assert seconds < 1e6 or decoded.wait(3600)
        return block @ vector

    monkeypatch.setattr(MdsCode, "decode", decode_and_tell)
    monkeypatch.setattr(execution, "work", work)
    matrix, rng = np.arange(36.0).reshape(12, 3), np.random.default_rng(0)
    (found,) = execute(data, plan, [matrix], [np.ones(3)], rng, seconds_per_unit=1.0)
    assert (found.used, found.ignored) == ((0, 1), (2,))
    assert found.product == pytest.approx(matrix.sum(axis=1))


def test_execution_refuses_what_cannot_work():
    # 977 + 977 rows for the master that the shared worker draws, 977 < 1000 for the other.
    data = library.load("coded/split_worker")
    plan = plan_of("coded.expected", data)
    matrices, vectors = [np.ones((1000, 2))] * 2, [np.ones(2)] * 2
    with pytest.raises(NoAnswer, match="never has its 1000 rows: 9"):
        execute(data, plan, matrices, vectors, np.random.default_rng(0), seconds_per_unit=1e-9)
    with pytest.raises(InvalidOption, match=r"matrix 0 has shape \(3, 2\)"):
        execute(data, plan, [np.ones((3, 2))] * 2, vectors, np.random.default_rng(0))


def test_workers_draw_their_masters():
    share = np.array([[1.0, 0.5, 0.0], [0.0, 0.5, 0.0]])
    drawn = np.array([draw_masters(share, np.random.default_rng(s)) for s in range(200)])
    assert set(drawn[:, 0]) == {0}
    assert set(drawn[:, 2]) == {-1}
    assert 60 < (drawn[:, 1] == 0).sum() < 140


def test_times_are_those_of_a_clock_and_errors_are_shares_of_the_product(monkeypatch):
    # all products are negative: an error is a share of the largest of them all the same
    data = generate("coded", num_masters=1, num_workers=3, rows=12, seed=4)
    plan, rng = plan_of("coded.round_lp", data, 2.0), np.random.default_rng(0)
    begin = time.perf_counter()
    (one,) = execute(data, plan, [-np.ones((12, 3))], [np.ones(3)], rng, seconds_per_unit=1e-6)
    assert 0.0 <= one.seconds <= time.perf_counter() - begin
    assert one.error < 1e-9
    # a product of -0.003 that is decoded as -0.006 is off by all of itself
    monkeypatch.setattr(MdsCode, "decode", lambda *_: np.full(12, -0.006))
    (one,) = execute(data, plan, [-np.ones((12, 3))], [np.full(3, 1e-3)], rng, seconds_per_unit=0)
    assert one.error == pytest.approx(1.0)


@pytest.mark.parametrize("rows", [1, 5, 40, 100])
def test_any_rows_decode(rows):
    rng = np.random.default_rng(rows)
    code = MdsCode.gaussian(rows, 2 * rows, rng)
    matrix, vector = rng.standard_normal((rows, 7)), rng.standard_normal(7)
    coded = code.encode(matrix)
    for _ in range(5):
        where = rng.permutation(2 * rows)[:rows]
        found = code.decode(where, coded[where] @ vector)
        assert found == pytest.approx(matrix @ vector, rel=1e-9, abs=1e-9)
    assert code.coded == 2 * rows


def test_too_few_rows_decode_nothing():
    code = MdsCode.gaussian(3, 5, np.random.default_rng(0))
    with pytest.raises(NoAnswer, match="2 coded rows received, 3 are needed"):
        code.decode(np.array([0, 4, 4]), np.zeros(3))
    with pytest.raises(InvalidOption, match="2 coded rows cannot recover 3"):
        MdsCode.gaussian(3, 2, np.random.default_rng(0))


def test_plain_rows_are_taken_as_they_are():
    code = MdsCode.gaussian(3, 6, np.random.default_rng(1))
    values = np.array([0.1, 1 / 3, 2e-300])
    assert code.decode(np.array([2, 0, 1]), values[[2, 0, 1]]).tolist() == values.tolist()
    assert code.encode(np.eye(3))[:3].tolist() == np.eye(3).tolist()


@pytest.mark.slow
def test_it_runs_and_decodes(tmp_path):
    script = ROOT / "examples" / "straggling_workers" / "multiply.py"
    done = subprocess.run(
        [sys.executable, str(script)], cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.count("not waited for") == 2
