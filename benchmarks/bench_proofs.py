"""What exact proofs cost on public programs, beside a solver that proves nothing.

The programs are ``*.mps``, ``*.lp`` (also ``.gz``) of a folder, by default ``../shared/mps``.
"""

from __future__ import annotations

import argparse
import json
import time
import zlib
from fractions import Fraction
from pathlib import Path
from typing import Any

from benchmarks.measure import keep
from farkas.certificates import check, to_json
from farkas.exact.solver import prove_form
from farkas.files import is_model
from farkas.forms.model_text import read_model
from farkas.forms.rational import Numbers
from farkas.solvers import solve

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "mps"


def bits(value: Fraction | None) -> int | None:
    """Bits of numerator and denominator together."""
    if value is None:
        return None
    return value.numerator.bit_length() + value.denominator.bit_length()


def measured(path: Path, numbers: Numbers, limit: float) -> dict[str, Any]:
    """CPU seconds of HiGHS, of the proof and of its check; sizes."""
    form = read_model(path, numbers=numbers)
    start = time.process_time()
    solve(form.linear, time_limit=limit)
    alone = time.process_time() - start
    start = time.process_time()
    found = prove_form(form, time_limit=limit)
    proving = time.process_time() - start
    row: dict[str, Any] = {
        "rows": form.num_rows,
        "columns": form.num_columns,
        "integers": int(form.integer.sum()),
        "status": found.status,
        "value": None if found.value is None else float(found.value),
        "gap": found.gap,
        "nodes": found.nodes,
        "bits": bits(found.value),
        "longest": max((x.denominator.bit_length() for x in found.point or ()), default=None),
        "highs_s": alone,
        "proving_s": proving,
    }
    if found.certificate is not None:
        content = to_json(found.certificate)
        start = time.process_time()
        proof = check(found.certificate)
        row["checking_s"] = time.process_time() - start
        row["accepted"] = (proof.bound, proof.value) == (found.bound, found.value)
        row["bytes"], row["packed_bytes"] = len(content), len(zlib.compress(content))
    return row


def table(rows: dict[str, dict[str, Any]]) -> str:
    """Write rows as a table of the documentation."""
    head = (
        "| program | rows x columns (whole) | proved | gap | nodes | HiGHS s | proof s | check s"
        " | certificate kB (packed) | bits |\n|---|---|---|---|---|---|---|---|---|---|"
    )
    lines = []
    for name, row in rows.items():
        size = f"{row['rows']} x {row['columns']}" + (
            f" ({row['integers']})" if row["integers"] else ""
        )
        gap = "-" if row["gap"] is None else f"{row['gap']:.2g}"
        kept = f"{row['bytes'] / 1e3:.1f} ({row['packed_bytes'] / 1e3:.1f})"
        seconds = [f"{row[key]:.2f}" for key in ("highs_s", "proving_s", "checking_s")]
        cells = [name, size, row["status"], gap, row["nodes"], *seconds, kept, row["bits"] or "-"]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join([head, *lines])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--limit", type=float, default=300.0, help="seconds of each program")
    parser.add_argument("--numbers", choices=["decimal", "binary"], default="decimal")
    parser.add_argument("names", nargs="*", help="names without suffix; default: all")
    chosen, _ = parser.parse_known_args()
    rows: dict[str, dict[str, Any]] = {}
    for path in sorted(p for p in chosen.folder.glob("*") if is_model(p)):
        name = path.name.partition(".")[0]
        if chosen.names and name not in chosen.names:
            continue
        rows[name] = measured(path, chosen.numbers, chosen.limit)
        print(name, json.dumps(rows[name]), flush=True)
    if not rows:
        print(f"no programs in {chosen.folder}")
        return
    print(table(rows))
    print(keep(f"proofs_{chosen.numbers}", {"limit": chosen.limit, "programs": rows}))


if __name__ == "__main__":
    main()
