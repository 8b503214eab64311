"""Write ``docs/ledger``: the verdict of every claim, and what every solver was seen to do.

``python docs/_ext/ledger.py [KIND|solvers]...`` renews the parts named, all by default.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from farkas.proofs import claims  # noqa: E402
from farkas.proofs.claim import Claim  # noqa: E402
from farkas.solvers import backends  # noqa: E402

LEDGER = ROOT / "docs" / "ledger"
SUITE = "tests/conformance/solvers"

SLOW = 1.0
"""Seconds beyond which the quick tests do not repeat a claim."""


def kind_page(kind: str) -> dict[str, Any]:
    """Verdicts of a kind's claims, by name."""
    return {"claims": [entry(claims[name]) for name in claims.names(f"{kind}.")]}


def entry(claim: Claim) -> dict[str, Any]:
    """Verdict of one claim, checked now."""
    begin = time.perf_counter()
    verdict = claim.run()
    slow = time.perf_counter() - begin > SLOW
    print(f"{claim.name}: {verdict}", file=sys.stderr)
    found = {"claim": claim.name, "source": claim.source, "slow": slow}
    return found | {"verdict": shortened(verdict.to_builtins())}


def shortened(value: Any) -> Any:
    """Floats to nine digits: enough to compare, few enough that the last bits do not show."""
    if isinstance(value, float):
        return float(f"{value:.9g}")
    if isinstance(value, Mapping):
        return {key: shortened(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [shortened(item) for item in value]
    return value


def solver_page() -> dict[str, Any]:
    """Numbers of cases that each solver passed, by test."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        words = [SUITE, "-q", "-p", "no:cacheprovider", f"--junitxml={report}"]
        subprocess.run([sys.executable, "-m", "pytest", *words], cwd=ROOT, check=True)
        cases = list(ET.parse(report).getroot().iter("testcase"))
    tests: dict[str, Counter[str]] = {}
    for case in cases:
        test, _, parameters = case.get("name", "").partition("[")
        solver = solver_in(parameters.rstrip("]"))
        if solver and case.find("skipped") is None:
            tests.setdefault(test, Counter())[solver] += 1
    seen = sorted({solver for passed in tests.values() for solver in passed}, key=order)
    counts = {test: {s: str(n) for s, n in passed.items()} for test, passed in tests.items()}
    return {"solvers": seen, "tests": counts}


def solver_in(parameters: str) -> str | None:
    """Solver among the parameters of a test, for example ``highs`` or ``pyomo:scip_direct``."""
    names = "|".join(map(re.escape, backends.names()))
    found = re.findall(rf"(?:^|-)((?:{names})(?::\w+)?)(?=-|$)", parameters)
    return found[0] if found else None


def order(solver: str) -> tuple[bool, str]:
    """Native solvers first."""
    return ":" in solver, solver


def main(parts: list[str]) -> None:
    """Renew the parts."""
    LEDGER.mkdir(exist_ok=True)
    kinds = sorted({claims[name].kind for name in claims})
    for part in parts or [*kinds, "solvers"]:
        content = solver_page() if part == "solvers" else kind_page(part)
        text = json.dumps(content, indent=1, ensure_ascii=False)
        (LEDGER / f"{part}.json").write_text(text + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
