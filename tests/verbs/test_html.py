"""Objects show themselves: in a line, and in notebooks as a table that nothing in it can close."""

from __future__ import annotations

import math
import types
import xml.etree.ElementTree as ElementTree
from fractions import Fraction as F

import pytest
from msgspec.structs import replace

import farkas
from farkas.adversary.shipped import find_statement
from farkas.algebra import programs
from farkas.online.run import Bound, read_run
from farkas.proofs.claim import claims
from farkas.verbs.html import SHOWN
from tests.generators.forms import small

HOSTILE = '</td><script>alert("x")</script>\x1b[31m\n&amp;'


def read(html):
    """Rows of a table as texts; what is no table raises."""
    tree = ElementTree.fromstring(html)
    assert tree.tag == "table"
    assert not list(tree.iter("script"))
    return tree.find("caption").text, [[cell.text or "" for cell in row] for row in tree.iter("tr")]


def shown():
    """One of each, with what its line and its table have to say."""
    auction = farkas.load("eris/tiny")
    solution = farkas.solve(auction, "eris.offline", certify=True)
    claim = claims["eris.competitive_ratio"]
    yield farkas.run(auction, "eris.eris"), "value 105", ("certified ratio", "1")
    yield farkas.optimum(auction), "gap 0", ("value", "105")
    yield (
        solution,
        "proved bound",
        ("program", "max, 99 rows, 88 columns (72 integer), 330 entries"),
    )
    yield farkas.prove(auction, "eris.offline"), "optimal, value 105, bound 105", None
    yield claim, "Eris Theorem 5", ("source", "Eris Theorem 5")
    yield claim.run(), "refuted: by eris/late_fortune", ("counterexample", "eris/late_fortune")
    yield solution.answer, "highs: claims optimal at 105", None


@pytest.fixture(scope="module")
def objects():
    return list(shown())


@pytest.mark.parametrize("number", range(7))
def test_objects_say_in_a_line_what_they_are(objects, number):
    one, words, row = objects[number]
    line = repr(one)
    assert words in line
    assert len(line) < 300
    assert "\n" not in line
    assert line[0] + line[-1] == "<>"
    if row is not None:
        assert list(row) in read(one._repr_html_())[1]


def test_comparisons_are_tables():
    found = farkas.compare("dps/tiny", ["dps.learned", "dps.simple"])
    caption, rows = read(found._repr_html_())
    assert caption == f"tiny: proved bound {found.proved}"
    assert [row[0] for row in rows] == ["algorithm", "dps.learned", "dps.simple"]
    assert rows[1][1] == f"{found.entries[0].value:.6g}"


def test_broken_runs_say_what_they_break():
    run = farkas.run("eris/tiny", "eris.eris")
    run.violations = ["site 0 holds <two>"]
    run.ratio = None
    _, rows = read(run._repr_html_())
    assert ["breaks", "site 0 holds <two>"] in rows
    assert ["certified ratio", "none"] in rows


def test_a_run_that_was_read_is_its_files_word(tmp_path):
    farkas.run("eris/tiny", "eris.eris").save(tmp_path / "run.json")
    caption, rows = read(read_run(tmp_path / "run.json")._repr_html_())
    assert caption.endswith("as its file says: not proved again here")
    words = [row[0] for row in rows]
    assert {"value", "bound", "bound by", "ratio"} <= set(words)
    assert not any("proved" in word or "certified" in word for word in words)


def test_every_other_object_is_a_short_line_and_a_table():
    market = farkas.generate("mlbroker", "small", seed=0)
    program = programs.build("mlbroker.relaxed[tight]")
    form, run = program.form(market), farkas.run(market, "mlbroker.fractional")
    solution = farkas.solve(market, "mlbroker.relaxed[tight]", certify=True)
    proof = farkas.check(run, market)
    shown = [market, program, form, run.certificate, proof, proof.proof, solution.answer, programs]
    for one in shown:
        assert len(repr(one)) < 600
        assert "object at 0x" not in repr(one)
        assert one._repr_html_().startswith("<table><caption>")
    assert repr(form).endswith("min, 222 rows, 294 columns, 714 entries>")
    assert f"<td>{form.sha256}</td>" in form._repr_html_()
    assert "enough_workers 27" in form._repr_html_()
    assert program._repr_latex_() == f"$${program.latex()}$$"
    assert "printed, tight, sharp" in program._repr_html_()
    assert "mlbroker.relaxed" in programs._repr_html_()
    assert f">{run.certificate.exact}<" in run.certificate._repr_html_()
    assert proof.proof.statement.split("  ")[0] in proof._repr_html_()
    assert solution.verify().bound == solution.bound


def test_a_table_of_an_instance_says_how_much_there_is_of_each():
    market = farkas.generate("mlbroker", "small", seed=0)
    table = market._repr_html_()
    assert '<tr><th scope="row">transfer_price</th><td>3 × 3 numbers</td></tr>' in table
    assert f'<tr><th scope="row">jobs</th><td>{len(market.jobs)}</td></tr>' in table
    assert f"<td>{market.sha256}</td>" in table
    named = farkas.load("eris/demo")._repr_html_()
    assert '<tr><th scope="row">resource_names</th><td>gpu, cpu, ram</td></tr>' in named


def test_a_forged_name_closes_no_cell():
    market = farkas.load("dps/tiny").replace(name="<script>alert(1)</script>")
    assert "<script>" not in market._repr_html_()
    assert "<script>" not in market.plot()._repr_svg_()


def test_a_proved_worst_case_is_a_line_and_a_table():
    proof = find_statement("gadget.las").prove().proof
    assert repr(proof) == f"<proof: {proof.statement}>"
    assert proof.statement.split("  ")[0] in read(proof._repr_html_())[1][0][1]


def test_no_name_of_a_file_reaches_a_console_as_it_is():
    market = farkas.load("dps/tiny").replace(name=HOSTILE)
    form = programs.build("dps.offline").form(farkas.load("dps/tiny")).replace(name=HOSTILE)
    run = farkas.run(market, "dps.learned")
    for one in (market, form, run, market.plot(), replace(run.certificate, method=HOSTILE)):
        assert "\x1b" not in repr(one)
        assert "\n" not in repr(one)


def test_a_run_that_was_read_is_called_its_files_word(tmp_path):
    run = farkas.run("eris/tiny", "eris.eris")
    run.save(tmp_path / "run.json")
    kept = read_run(tmp_path / "run.json")
    assert "proved bound" in repr(run)
    assert "its file says" in repr(kept)
    assert "proved" not in repr(kept)


@pytest.mark.parametrize("exact", ["1" + "0" * 400, "1/" + "3" * 400, "what"])
def test_a_bound_that_no_double_holds_has_a_line(exact):
    assert repr(Bound(exact=exact, method="m")).startswith("<bound ")


def namespace(**fields):
    return types.SimpleNamespace(**fields)


def cells(what, one):
    """Rows of the table of an object of a class, by their first word."""
    return dict(read(SHOWN[what](one))[1])


TWO_THIRDS = {False: "0.666666666", True: "0.666666667"}
"""Rounded down, and up."""


@pytest.mark.parametrize("sense", ["min", "max"])
def test_bounds_and_values_are_rounded_to_their_own_side(sense):
    form = farkas.solve("mlbroker/tiny", "mlbroker.relaxed").form.replace(sense=sense)
    bare = {
        "answer": farkas.solvers.Answer(solver="s"),
        "form": form,
        "proved_by": "",
        "proved_infeasible": False,
        "explanation": None,
    }
    found = cells("Solution", namespace(bound=F(2, 3), infeasible=None, **bare))
    assert found["proved bound"] == TWO_THIRDS[sense == "max"]
    assert found["program"].startswith(f"{sense}, ")
    bound = Bound(exact="2/3", method="m")
    best = {"run": namespace(certificate=bound, instance="i"), "value": F(2, 3), "gap": None}
    best |= {"sense": sense, "found_by": "", "seconds": 0.25, "remarks": []}
    found = cells("OfflineOptimum", namespace(**best))
    assert found["value"] == TWO_THIRDS[sense == "min"]
    assert found["proved bound"] == bound.words(sense)
    assert (found["gap"], found["proved by"], found["seconds"]) == ("none", "m", "0.25")


def test_only_what_was_proved_infeasible_is_called_so():
    solution = farkas.solve("mlbroker/tiny", "mlbroker.relaxed")
    bare = {"answer": solution.answer, "form": solution.form, "bound": None, "proved_by": "p"}
    bare["explanation"] = None
    found = cells("Solution", namespace(infeasible=None, proved_infeasible=False, **bare))
    assert not {"proved infeasible", "proved bound"} & set(found)
    assert found["proved by"] == "p"
    found = cells("Solution", namespace(infeasible=F(1), proved_infeasible=True, **bare))
    assert found["proved infeasible"] == "yes"
    assert "contradicting rows" not in found


@pytest.mark.parametrize("count", [1, 6, 8])
def test_rows_that_contradict_each_other_are_named_the_first_of_many(count):
    # x_k >= x_(k-1) + 1 from 0 <= x_0 on, and the last one is too small: every row is needed
    chain = [[(j == i) - (j == i - 1.0) for j in range(count - 1)] for i in range(count - 1)]
    rows = [*chain, [float(j == count - 2) for j in range(count - 1)]] if count > 1 else [[1.0]]
    ends = [1.0] * (count - 1) + [-math.inf], [math.inf] * (count - 1) + [count - 1.5]
    if count == 1:
        ends = [-math.inf], [-1.0]
    form = small(rows, cost=[0.0] * len(rows[0]), row_lower=ends[0], row_upper=ends[1])
    solution = farkas.solve(form)
    assert solution.proved_infeasible
    assert len(solution.explanation.rows) == count
    said = cells("Solution", solution)["contradicting rows"].split("; ")
    assert said[:6] == [form.row_name(i) for i in range(min(count, 6))]
    assert said[6:] == (["2 more"] if count == 8 else [])


def test_a_run_says_whether_its_value_is_a_cost_or_a_reward():
    for instance, algorithm, sense, word in (
        ("mlbroker/tiny", "mlbroker.local", "min", "cost"),
        ("eris/tiny", "eris.eris", "max", "reward"),
    ):
        run = farkas.run(instance, algorithm)
        assert (run.sense, cells("Run", run)["sense"]) == (sense, word)


def test_the_line_of_a_bound_is_rounded_down():
    assert repr(Bound(exact="2/3", method="m")) == "<bound of about 0.666666666 by m>"
    assert repr(Bound(exact="-2/3", method="m")) == "<bound of about -0.666666667 by m>"


def test_counts_and_seconds_are_those_of_the_object():
    run = farkas.run("eris/tiny", "eris.eris")
    steps = run.decisions
    for count, words in ((0, "0 steps"), (1, "1 step"), (2, "2 steps")):
        run.decisions = (steps * 2)[:count]
        assert cells("Run", run)["decisions"] == words
    form = farkas.solve("mlbroker/tiny", "mlbroker.relaxed").form
    found = cells("LinearForm", form)
    for sort, total in (("rows", form.num_rows), ("columns", form.num_columns)):
        counts = [int(word.split()[-1]) for word in found[sort].split(", ")]
        assert len(counts) > 1
        assert sum(counts) == total
    entry = namespace(algorithm="a", value=2.5, ratio=1.5, seconds=0.12345, note="n")
    bare = entry.__dict__ | {"ratio": None, "seconds": None, "note": None}
    both = namespace(entries=[entry, namespace(**bare)], title="t", proved="p")
    _, rows = read(SHOWN["Comparison"](both))
    assert rows[1:] == [["a", "2.5", "1.5", "0.123", "n"], ["a", "2.5", "", "", ""]]


def test_verdicts_and_worst_cases_say_every_number_in_its_own_row():
    verdict = namespace(standing="held", runs=3, slack=0.5, tolerance=0.25, counterexample=None,
                        fails=[], note="", numbers={"x": 1.0, "y": 2.0}, attacked=None)  # fmt: skip
    assert cells("Verdict", verdict) == {
        "runs": "3", "smallest slack": "0.5", "tolerance": "0.25", "numbers": "x 1, y 2",
    }  # fmt: skip
    gap = namespace(reached=namespace(algorithm="a"), witness=namespace(algorithm="b"))
    worst = namespace(
        gap=gap, ratio=F(2), ratio_words="2", instance="i", evaluations=7, seconds=0.5, seed=9
    )
    assert cells("WorstCase", worst) == {
        "ratio at least": "2", "witness": "b", "instance": "i", "evaluations": "7",
        "seconds": "0.5", "seed": "9",
    }  # fmt: skip
    worst.ratio, worst.ratio_words = None, "unbounded"
    assert cells("WorstCase", worst)["ratio"] == "unbounded"


@pytest.mark.parametrize("sense", ["min", "max"])
def test_what_was_proved_is_rounded_to_its_own_side(sense):
    form = farkas.solve("mlbroker/tiny", "mlbroker.relaxed").form.replace(sense=sense)
    bare = {"form": form, "status": "bound", "certificate": None, "claim": None, "nodes": 3}
    bare |= {"explanation": None, "gap": 0.5}
    found = cells("Proved", namespace(value=F(2, 3), bound=F(2, 3), **bare))
    assert found["value"] == TWO_THIRDS[sense == "min"]
    assert found["bound"] == TWO_THIRDS[sense == "max"]
    assert (found["proved"], found["nodes"], found["gap"]) == ("bound", "3", "0.5")
    assert found["certificate"] == "none"
    without = cells("Proved", namespace(value=None, bound=None, **bare))
    assert not {"value", "bound"} & set(without)


def test_a_bound_of_a_file_that_is_no_number_is_shown_as_none(tmp_path):
    run = farkas.run("mlbroker/tiny", "mlbroker.local")
    run.certificate = replace(run.certificate, exact="1e5")
    run.save(tmp_path / "run.json")
    read_again = farkas.load(tmp_path / "run.json")
    assert "bound no number" in repr(read_again)
    assert cells("Run", read_again)["bound"] == "no number"
