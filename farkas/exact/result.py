"""What was proved of a program, in numbers, names and words."""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction
from typing import Any, Literal

from farkas.certificates import Certificate, Proof
from farkas.certificates.doubles import MOST_WORK, both, double, long_rational, nearest, text_of
from farkas.certificates.proof import rounded
from farkas.certificates.rational import RationalCertificate
from farkas.certificates.tree import TreeCertificate
from farkas.errors import NoAnswer
from farkas.exact.node_bounds import ZERO
from farkas.exact.sources import load_values
from farkas.forms.form import Sense
from farkas.forms.rational import RationalForm
from farkas.messages import cut, method, named
from farkas.numbers import floats
from farkas.solvers import Answer, Conclusion, Reason
from farkas.solvers.answer import SolveResult
from farkas.tolerances import SOLVER_GAP

Status = Literal["optimal", "infeasible", "unbounded", "bound"]

MOST_LETTERS = 300  #: Of an explanation in a line.
MOST_NODES = 1000  #: Of larger trees a line does not name the rows that contradict each other.


@dataclasses.dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ProofResult(SolveResult):
    """What was proved of a program."""

    form: RationalForm  #: The program.
    #: ``"optimal"``, ``"infeasible"``, ``"unbounded"``; ``"bound"``: a limit came first.
    status: Status
    #: Of the best point that is feasible exactly; None without, and where there is no best one.
    value: Fraction | None = None
    #: That point, of an unbounded program any that is feasible exactly; None without.
    point: list[Fraction] | None = None
    #: No point is better; None where nothing was proved, or there is no bound.
    bound: Fraction | None = None
    nodes: int = 1  #: Nodes of the tree that were solved; 1 of a linear program.
    seconds: float = math.nan  #: Wall time, the solver's included.
    #: solver, answer: the solver that was asked first, and what it says: a claim. None where none
    #: was asked.
    solver: str = "highs"
    answer: Answer | None = None
    certificate: Certificate | None = None  #: Of all of this; None where nothing was proved.
    interrupted: bool = False  #: Whether Ctrl-C came first, as a limit does.

    def __repr__(self) -> str:
        sides = (("value", self.value), ("bound", self.bound))
        said = [f", {word} {_number(x)}" for word, x in sides if x is not None]
        if self.status == "infeasible":
            large = self.nodes > MOST_NODES
            why = f"a tree of {self.nodes} nodes" if large else self.explanation
            said = [f", by {cut(why, MOST_LETTERS)}" if why else ""]
        said += [f"; {note}" for note in self.notes[:1]]
        return f"<proved of {named(self.form.name)}: {self.status}{''.join(said)}>"

    save = method("save")

    @property
    def notes(self) -> tuple[str, ...]:
        """What the reader of the model tells its user, other readings of a file among it."""
        differ = self.form.differences
        return (*self.form.notes, *(f"HiGHS reads {words}" for words in differ))

    @property
    def sense(self) -> Sense:
        """Whether the optimum is a minimum, ``"min"``, or a maximum, ``"max"``."""
        return self.form.sense

    @property
    def objective(self) -> Fraction | None:
        """Value of the best point; None without."""
        return self.value

    @property
    def x(self) -> dict[str, Fraction]:
        """Value of every variable at the point by name; raises `NoAnswer` without a point."""
        return self._entries(zeros=True)

    @property
    def duals(self) -> dict[str, Fraction]:
        """Derivative of the optimum of a linear program by each side of a row, by row name.

        Raises `NoAnswer`: the program is an integer program, or its optimum is not known.
        """
        form = self.form
        multipliers = self._multipliers()
        return {form.row_name(i): y for i, y in enumerate(multipliers)}

    def _multipliers(self) -> list[Fraction]:
        form, held = self.form, self.certificate
        if form.is_mip or self.status != "optimal" or not isinstance(held, TreeCertificate):
            raise NoAnswer(f"{named(form.name)} has no duals: only optima of linear programs have")
        (weights,) = held.weights
        found = [ZERO] * form.num_rows
        scale = (1 if form.sense == "min" else -1) / long_rational(weights.denominator, "factor")
        for i, factor in weights.factors:
            found[i] = scale * long_rational(factor, "factor") * form.factors[i]
        return found

    def load_into(self, model: Any) -> None:
        """Put the point, and duals of a linear program, into the model that was proved.

        Variables of Pyomo, CVXPY and linopy get values, those of Gurobi and HiGHS start values.
        Raises `NoAnswer`: there is no point; `InvalidOption`: the model is another one, or has
        changed.
        """
        if self.point is None:
            raise self._no_point()
        dual = None
        if self.status == "optimal" and not self.form.is_mip:
            dual = floats([nearest(y) for y in self._multipliers()])
        load_values(model, self.form, floats([nearest(x) for x in self.point]), dual)

    def verify(self) -> Proof:
        """Prove it again from the certificate and the program, without any solver.

        Raises `NoAnswer`: nothing was proved.
        """
        if not isinstance(self.certificate, RationalCertificate):
            raise NoAnswer(f"nothing was proved of {named(self.form.name)}")
        return self.certificate.prove_of(self.form, "form", MOST_WORK)

    @property
    def gap(self) -> float | None:
        """Distance of value and bound as a share of the larger, rounded up; None without both."""
        if self.value is None or self.bound is None:
            return None
        size = max(abs(self.value), abs(self.bound))
        share = abs(self.value - self.bound) / size if size else ZERO
        return double(share, up=True)

    def within(self, gap: float) -> bool:
        """Whether value and bound are at most a share of the value apart, exactly."""
        if self.value is None or self.bound is None:
            return False
        return abs(self.value - self.bound) <= Fraction(gap) * abs(self.value)

    @property
    def point_value(self) -> Fraction | None:
        """Value of the point, of an unbounded program too; None without a point."""
        return None if self.point is None else self.form.objective(self.point)

    def values(self) -> dict[str, Fraction]:
        """Entries of the point that are not 0, by name of the source; none that a package added.

        Of an unbounded program, of one point from which its value improves for ever.  Raises
        `NoAnswer`: there is no point.
        """
        return self._entries(zeros=False)

    def _no_point(self) -> NoAnswer:
        name, why = named(self.form.name), self.explanation
        return NoAnswer(f"{name} is infeasible, by {cut(why, MOST_LETTERS)}" if why
                        else f"no point of {name} is known")  # fmt: skip

    def _entries(self, *, zeros: bool) -> dict[str, Fraction]:
        if self.point is None:
            raise self._no_point()
        return {name: self.point[j] for name, j in self.form.named_entries()
                if zeros or self.point[j]}  # fmt: skip

    @property
    def claim(self) -> str | None:
        """What became of the solver's claim, in words; None where it never claimed anything."""
        answer = self.answer
        if answer is None:
            return None
        who = answer.solver
        # the solver sees the reading here, and may be right of another program than the source
        of_what = "" if self.form.confirmed else " for the program as read here"
        if answer.claim is Conclusion.NONE:
            rejected = answer.reason is Reason.NUMERICAL and answer.message
            return f"{who} claims nothing that holds: {answer.message}" if rejected else None
        if answer.claim in (Conclusion.INFEASIBLE, Conclusion.UNBOUNDED):
            if self.status == "bound":
                return f"{who} says {answer.claim}; that is not proved"
            if self.status == answer.claim.value:
                return f"{who} says {answer.claim}, which is right{of_what}"
            return f"{who} says {answer.claim}, which is wrong: proved {self.status}"
        if answer.claim is not Conclusion.OPTIMAL or self.status == "bound" or self.value is None:
            said = f"{who} says {answer.claim} at {answer.objective:.12g}"
            wrong = self.status in ("infeasible", "unbounded")
            return f"{said}, which is wrong: proved {self.status}" if wrong else said
        off = Fraction(answer.objective) - self.value
        said = f"{who} says optimal at {answer.objective:.12g}"
        if not off:
            return f"{said}, which is right{of_what}"
        size = max(abs(self.value), abs(Fraction(answer.objective)))
        share = rounded(abs(off) / size, up=True, digits=2)
        if abs(off) <= Fraction(SOLVER_GAP) * size:
            return f"{said}, which is right within {share} of it{of_what}"
        return f"{said}, which is wrong by {share} of it"

    def contradiction(self) -> list[str]:
        """Names of the rows and bounds that contradict each other; empty unless infeasible."""
        from farkas.exact.node_bounds import contradicting

        return contradicting(self.form, self.certificate) if self.status == "infeasible" else []

    @property
    def explanation(self) -> str | None:
        """What contradicts each other, in one line; None unless infeasible."""
        return "; ".join(self.contradiction()) if self.status == "infeasible" else None

    @property
    def statement(self) -> str:
        """What is proved, in one sentence; digits are cut so that it stays true.

        A second sentence tells of a file that HiGHS reads otherwise.
        """
        differ = self.form.differences
        more = f" HiGHS reads the file otherwise ({differ[0]}); this is of the reading here." if (
            differ
        ) else ""  # fmt: skip
        return self._said() + more

    def _said(self) -> str:
        read = ", read as decimals," if self.form.numbers == "decimal" else ", read as doubles,"
        name, least = named(self.form.name), self.form.sense == "min"
        if self.status == "optimal" and self.value is not None:
            return f"The optimal value of {name}{read} is {_number(self.value)}."
        if self.status == "infeasible":
            return f"{name}{read} has no point."
        if self.status == "unbounded":
            return f"{name}{read} is unbounded."
        parts = []
        if self.bound is not None:
            side = "at least" if least else "at most"
            parts.append(f"{side} {rounded(self.bound, up=not least)}")
        if self.value is not None:
            side = "at most" if least else "at least"
            parts.append(f"{side} {rounded(self.value, up=least)}")
        said = " and ".join(parts) or "not bounded so far"
        return f"The optimal value of {name}{read} is {said}."

    def to_builtins(self, *, point: bool = False) -> dict[str, Any]:
        """Plain data for JSON; with ``point`` also the entries of the point by name."""
        data: dict[str, Any] = {
            "program": self.form.name,
            "notes": list(self.form.notes),
            "reader_differs": list(self.form.differences),
            "sense": self.form.sense,
            "numbers": self.form.numbers,
            "rows": self.form.num_rows,
            "columns": self.form.num_columns,
            "integers": int(self.form.integer.sum()),
            "status": self.status,
            **both("value", self.value, up=None),
            **both("bound", self.bound, up=self.form.sense == "max"),
            "gap": self.gap,
            "nodes": self.nodes,
            "seconds": self.seconds,
            "solver": self.solver,
            "claim": self.claim,
            "contradiction": self.contradiction(),
            "statement": self.statement,
        }
        if point:
            known = {} if self.point is None else self._entries(zeros=False)
            data["point"] = {name: text_of(x) for name, x in known.items()}
        return data


def _number(value: Fraction) -> str:
    """Write a fraction whole where that is short, else its decimals too."""
    text = text_of(value)
    if value.denominator == 1:
        return text
    near = rounded(value, up=None, digits=12)
    if len(text) <= 60:
        return f"{text}, about {near}"
    return f"about {near}, exactly a fraction of {len(text)} characters"
