"""Near names, numbers of things, JSON without invisible marks, and objects that show themselves."""

from __future__ import annotations

import json
import sys
import xml.etree.ElementTree as ElementTree

import pytest
from msgspec.structs import replace

import farkas
from farkas import errors
from farkas.adversary.catalogue import find_statement
from farkas.algebra import programs
from farkas.errors import (
    Exit,
    FarkasError,
    InvalidOption,
    UnknownName,
    require_progress,
    require_seed,
    require_share,
    require_type,
)
from farkas.messages import cleaned, cut, method, named, number_of, one_line, quoted, shown
from farkas.messages.formats import MOST_ROWS, html_table, visible_json
from farkas.messages.refusals import parsed, suggestion
from farkas.online.run import Bound, read_run
from farkas.proofs.claim import claims

NASTY = [
    "a\naccepted: b",
    "a\r\nb",
    "\x1b[2K\x1b[1Aaccepted",
    "\x9b2K",
    "x\u202ey\u2066z\u200f\u061c",
    "zero\u200bwidth\ufeff",
    "line\u2028paragraph\u2029next\x85",
    "lone \udcff",
    'end".  Proved: "more',
    'end\\".  Proved',
    "tag \U000e0041",
    "nul\0",
]


@pytest.mark.parametrize("text", NASTY)
def test_whatever_the_text_one_printable_line_is_shown(text):
    for line in (cleaned(text), quoted(text), named(text)):
        assert line.isprintable()
        assert line.encode()  # a lone surrogate would not go out


def test_no_letter_that_moves_or_hides_others_is_left():
    # every character there is: what is invisible, breaks lines or turns them round is spelt
    for code in range(sys.maxunicode + 1):
        letter = chr(code)
        assert cleaned(letter) == letter or not letter.isprintable()
        assert cleaned(letter).isprintable()


@pytest.mark.parametrize("text", NASTY)
def test_a_quotation_ends_where_its_text_ends(text):
    body = quoted(text)[1:-1]
    rest = body.replace("\\\\", "").replace('\\"', "")
    assert '"' not in rest
    assert not rest.endswith("\\")


def test_names_stand_bare_and_sentences_in_quotation_marks():
    for name in ("mlbroker/tiny", "dps.interval_lp[fixed]", "/tmp/a-b/run.json", "~x", "k=1"):
        assert named(name) == name
    for text in ("", "x: bound 5", "a b", "a;b", "\u0430bc", "-x", "a" * 201):
        assert named(text).startswith('"')


def test_long_text_loses_its_middle():
    assert cut("abcdefghij", 10) == "abcdefghij"
    assert cut("abcdefghijk", 10) == "abcd...ijk"
    assert len(quoted("a" * 10**6)) == 202


HOSTILE = '</td><script>alert("x")</script>\x1b[31m\n&amp;'


@pytest.mark.parametrize(
    ("name", "known", "text"),
    [
        ("higs", ["highs", "scip"], "; did you mean highs?"),
        ("abc", ["abd", "abe", "zz"], "; did you mean abe or abd?"),
        ("xyz", ["b", "a", "a"], "; known: a, b"),
        ("xyz", [], "; there is none"),
        ("7", [f"n{k:02}" for k in range(21)],
         f"; known: {', '.join(f'n{k:02}' for k in range(20))}, ..."),
        ("7", ["a", "run", "prove"], "; known: prove, run, a"),
        ("validate", ["check", "run"], "; did you mean check?"),
        # the last part alone, exact or misspelt
        ("local", ["coded.uniform", "mlbroker.local"], "; did you mean mlbroker.local?"),
        ("loacl", ["coded.uniform", "mlbroker.local"], "; did you mean mlbroker.local?"),
        ("fifo", ["dps.fifo", "gadget.fifo"], "; did you mean dps.fifo or gadget.fifo?"),
        # another kind has a name that is closer, but the kind was said
        ("dps.uniform", ["coded.uniform", "dps.simple"], "; known: dps.simple"),
        ("dps.simpel", ["dpt.simpel", "dps.simple"], "; did you mean dps.simple?"),
        # more than are named: what their names begin with
        ("x", [f"{kind}.{k}" for kind in "ba" for k in range(11)],
         "; known: names that begin with a., b."),
        # words of others: an option, a method, one of two that the list has
        ("-o", ["--write", "--gap"], "; did you mean --write?"),
        ("to_pandas", ["value", "to_frame"], "; did you mean to_frame()?"),
        ("ObjVal", ["value", "ratio"], "; did you mean value?"),
        # the kind itself is misspelt
        ("cded.uniform", ["coded.uniform", "dps.simple"], "; did you mean coded.uniform?"),
    ],
)  # fmt: skip
def test_the_nearest_names_or_all_of_few_are_suggested(name, known, text):
    assert suggestion(name, known) == text


def test_at_most_three_near_names_are_listed():
    assert suggestion("abcd", ["abcde", "abcdf", "abcdg", "abcdh"]).count(" or ") == 2


def test_a_misspelt_public_name_is_answered_with_the_nearest_but_not_a_tool():
    with pytest.raises(AttributeError, match="did you mean solve"):
        farkas.solv  # noqa: B018
    with pytest.raises(AttributeError, match=r"'__wrapped__'$"):
        farkas.__wrapped__  # noqa: B018


@pytest.mark.parametrize(("count", "words"), [(0, "0 jobs"), (1, "1 job"), (2, "2 jobs")])
def test_only_one_is_singular(count: int, words: str) -> None:
    assert number_of(count, "jobs") == words


@pytest.mark.parametrize("text", NASTY[:7] + NASTY[8:])
def test_json_says_the_same_with_marks_spelt(text):
    shown = visible_json(json.dumps({"name": text}, ensure_ascii=False, indent=1))
    assert json.loads(shown) == {"name": text}
    assert all(line.isprintable() for line in shown.split("\n"))


def test_a_method_is_the_public_function_with_the_object_first(monkeypatch):
    asked = []
    monkeypatch.setattr(farkas, "save", lambda *given, **options: asked.append((given, options)))
    save = method("save")
    save("run", "path", sure=True)
    assert asked == [(("run", "path"), {"sure": True})]
    assert save.__name__ == "save"


def read(html):
    """Caption of a table and its rows as texts; what is no table raises."""
    tree = ElementTree.fromstring(html)
    assert tree.tag == "table"
    assert not list(tree.iter("script"))
    return tree.find("caption").text, [[cell.text or "" for cell in row] for row in tree.iter("tr")]


def test_nothing_in_a_cell_ends_it():
    caption, rows = read(html_table(HOSTILE, [HOSTILE], [[HOSTILE], [None]]))
    spelt = '</td><script>alert("x")</script>\\x1b[31m\\n&amp;'
    assert [caption, *rows] == [spelt, [spelt], [spelt], [""]]


def test_long_tables_leave_out_their_middle():
    _, rows = read(html_table("t", ["n"], [[k] for k in range(3 * MOST_ROWS)]))
    assert (rows[1], rows[-1]) == (["0"], [f"{3 * MOST_ROWS - 1}"])
    assert [f"{2 * MOST_ROWS} rows more"] in rows
    assert len(rows) == MOST_ROWS + 2
    assert len(read(html_table("t", ["n"], [[k] for k in range(MOST_ROWS)]))[1]) == MOST_ROWS + 1


def test_objects_are_a_line_and_a_table_of_what_they_say():
    auction = farkas.load("eris/tiny")
    solution = farkas.solve(auction, "eris.offline", certify=True)
    claim, form = claims["eris.competitive_ratio"], solution.form
    run = farkas.run(auction, "eris.eris")
    market = farkas.load("mlbroker/tiny")
    proof = find_statement("gadget.las").prove().proof
    for one, words, row in (
        (run, "value 105, proved bound 105, certified ratio optimal>", ["sense", "max"]),
        (farkas.optimum(auction), "gap 0", ["value", "105.0"]),
        (solution, "claims optimal at 105, proved bound 105", ["columns", "88"]),
        (farkas.prove(auction, "eris.offline"), "optimal, value 105, bound 105", ["rows", "99"]),
        (claim, "Eris Theorem 5", None),
        (claim.run(), "refuted: by eris/late_fortune", ["counterexample", "eris/late_fortune"]),
        (solution.answer, "highs: claims optimal at 105>", None),
        (form, "max, 99 rows, 88 columns (72 integer), 330 entries>", None),
        (solution.certificate, "about", None),
        (run.certificate, "<bound of about 105 by", None),
        (programs.build("mlbroker.relaxed"), "<program mlbroker.relaxed[", None),
        (market, "<mlbroker instance tiny, sha256 ", ["sha256", market.sha256]),
        (market, "", ["jobs", number_of(len(market.jobs), "entries", "entry")]),
        (proof, proof.statement, ["statement", proof.statement[:20]]),
        (farkas.check(run, auction), "<proof: ", ["ratio", "1.0"]),
    ):
        assert words in repr(one)
        assert repr(one)[0] + repr(one)[-1] == "<>"
        assert "\n" not in repr(one)
        caption, rows = read(one._repr_html_())
        assert caption[:20] == repr(one)[1:21]
        assert row is None or [row[0], row[1]] in [[r[0], r[1][: len(row[1])]] for r in rows]


def test_comparisons_are_tables():
    found = farkas.compare("dps/tiny", ["dps.learned", "dps.simple"])
    caption, rows = read(found._repr_html_())
    assert caption == f"tiny: proved bound {found.proved}"
    assert [row[0] for row in rows] == ["algorithm", "dps.learned", "dps.simple"]
    assert rows[1][1] == str(found.entries[0].value)


def test_a_run_that_was_read_is_called_its_files_word(tmp_path):
    run = farkas.run("mlbroker/tiny", "mlbroker.local")
    run.violations = ["site 0 holds <two>"]
    assert ["violations", "['site 0 holds <two>']"] in read(run._repr_html_())[1]
    run.certificate = replace(run.certificate, exact="1e5")
    run.save(tmp_path / "run.json")
    kept = repr(read_run(tmp_path / "run.json"))
    assert "its file says" in kept
    assert "bound no number" in kept
    assert "proved" not in kept


def test_no_name_of_a_file_reaches_a_console_as_it_is():
    market = farkas.load("dps/tiny").replace(name=HOSTILE)
    form = programs.build("dps.offline").form(farkas.load("dps/tiny")).replace(name=HOSTILE)
    run = farkas.run(market, "dps.learned")
    for one in (market, form, run, run.plot(market), replace(run.certificate, method=HOSTILE)):
        assert "\x1b" not in repr(one)
        assert "\n" not in repr(one)
    assert "<script>" not in market._repr_html_() + run.plot(market)._repr_svg_()


@pytest.mark.parametrize("exact", ["1" + "0" * 400, "1/" + "3" * 400, "what"])
def test_a_bound_that_no_double_holds_has_a_line(exact):
    assert repr(Bound(exact=exact, method="m")).startswith("<bound ")


def test_the_line_of_a_bound_is_rounded_down():
    assert repr(Bound(exact="2/3", method="m")) == "<bound of about 0.666666666 by m>"
    assert repr(Bound(exact="-2/3", method="m")) == "<bound of about -0.666666667 by m>"


@pytest.mark.parametrize("text", NASTY)
def test_whatever_the_text_a_message_is_one_printable_line(text):
    assert one_line(text).isprintable()
    assert one_line(text).encode()


def test_long_messages_and_long_words_lose_their_middle():
    assert len(one_line("a " * 10**6)) == 4000
    assert one_line(f"no {'a' * 10**6} here") == f"no {'a' * 199}...{'a' * 198} here"


@pytest.mark.parametrize("text", NASTY)
def test_what_a_decoder_repeats_of_a_file_is_quoted_unless_it_is_a_name(text):
    assert parsed(f"Invalid enum value '{text}' - at `$.x`").endswith('" - at `$.x`')
    assert parsed("Invalid enum value 'plain' - at `$.x`") == "unknown value 'plain' - at `$.x`"
    assert parsed("Expected `int`, got `str`") == "Expected a whole number, got text"


def test_values_are_shown_as_python_writes_them_and_cut():
    assert shown("x\n") == r"'x\n'"
    assert shown(10**5000) == "<int>"
    assert len(shown("a" * 999)) == 200


@pytest.mark.parametrize(("said", "words"), [
    ("JSON is malformed: bad (byte 3)", "not JSON: bad (byte 3)"),
    ("Input data was truncated", "not JSON: it ends too early"),
    ("'utf-8' codec can't decode", "not JSON: 'utf-8' codec can't decode"),
    ("Object missing required field `x` - at `$`", "missing required field `x` - at `$`"),
    ("Object contains unknown field `x`", "unknown field `x`"),
    ("Object contains unknown field `a b` - at `$.x`", 'unknown field "a b" - at `$.x`'),
    ("Expected `int`, got `float`", "Expected a whole number, got a number with a point"),
    ("Expected `float`, got `bool`", "Expected a number, got a truth value"),
    ("Expected `int | null`, got `array`", "Expected a whole number or null, got a list"),
    ("Expected `object`, got `null`", "Expected an object of names and values, got null"),
    (r"Expected `str` matching regex '^[^\x00]*$' - at `$.name`",
     "Expected text without control characters - at `$.name`"),
])  # fmt: skip
def test_what_a_decoder_says_is_said_in_words(said, words):
    assert parsed(said) == words


def test_an_unknown_name_says_of_what():
    assert str(UnknownName.of("solver", "higs", ["highs"])) == (
        "unknown solver 'higs'; did you mean highs?"
    )


def test_every_error_ends_a_command_as_its_cause_deserves():
    codes = {
        name: cls.exit_code
        for name, cls in vars(errors).items()
        if isinstance(cls, type) and issubclass(cls, FarkasError)
    }
    others = {name: int(code) for name, code in codes.items() if code is not Exit.BAD_INPUT}
    # 1: something was found wanting; 3: there is no answer; all else is bad input, 2
    assert others == {"NotACertificate": 1, "NoVerdict": 1, "SolverUnavailable": 3, "NoAnswer": 3}
    assert int(Exit.BAD_INPUT) == 2


@pytest.mark.parametrize("given", [None, print, dict])
def test_progress_is_a_function_or_none(given):
    require_progress(given)
    with pytest.raises(InvalidOption, match=r"progress cannot be \[\]: give a function or None"):
        require_progress([])


@pytest.mark.parametrize("seed", [-3, 1.0, "1", True, None])
def test_a_seed_is_a_whole_number_from_zero_on(seed):
    require_seed(0)
    with pytest.raises(InvalidOption, match=r"^seed "):
        require_seed(seed)


def test_a_seed_of_more_digits_than_python_writes_is_refused_all_the_same():
    with pytest.raises(InvalidOption, match=r"seed has \d+ bits; 1024 are the most"):
        require_seed(-(10**5000))


@pytest.mark.parametrize(
    ("value", "expected", "message"),
    [
        ("x", int, "seed cannot be 'x': give int, not str"),
        (True, int, "seed cannot be True: give int, not bool"),
        (None, (str, int), "seed cannot be None: give str or int, not NoneType"),
        ("a" * 50, int, f"seed cannot be '{'a' * 18}...{'a' * 17}': give int, not str"),
    ],
)
def test_a_wrong_type_is_said_in_one_short_line(value, expected, message):
    with pytest.raises(InvalidOption) as caught:
        require_type(value, expected, "seed")
    assert str(caught.value) == message


def test_a_number_of_more_digits_than_python_writes_is_refused_all_the_same():
    with pytest.raises(InvalidOption, match="name cannot be <int>: give str, not int"):
        require_type(10**5000, str, "name")


def test_a_right_type_passes_and_truth_values_only_where_they_are_asked_for():
    require_type(3, int, "seed")
    require_type(True, bool, "log")
    require_type("x", (int, str), "name")


@pytest.mark.parametrize("share", [0, 0.0, 0.5, 1 - 2**-53])
def test_shares_are_0_or_more_and_below_1(share):
    require_share(share, "gap")

    with pytest.raises(InvalidOption, match=r"^gap = <int>; give a share"):
        require_share(10**5000, "gap")


@pytest.mark.parametrize("share", [-1, 1, 1.0, -5e-324, float("nan"), float("inf"), True])
def test_what_is_no_share_is_refused(share):
    with pytest.raises(InvalidOption, match=r"^gap (= .*; give a share|cannot be True)"):
        require_share(share, "gap")
