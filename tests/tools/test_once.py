"""What one process of a run has computed, the others read."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.tools.once import Once
from tests.tools.shared import ROOT

ASK = """
import sys
from pathlib import Path
from tests.tools.once import Once
def compute():
    print("computed")
    return {"seven": 7}
assert Once(Path(sys.argv[1]))("number", compute) == {"seven": 7}
"""


def test_a_value_is_computed_by_one_of_several_processes(tmp_path):
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", ASK, str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE
        )
        for _ in range(3)
    ]
    said = [process.communicate()[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0]
    assert sorted(said) == [b"", b"", b"computed\n"]


def test_a_failure_is_not_remembered(tmp_path):
    once = Once(tmp_path)
    with pytest.raises(ZeroDivisionError):
        once("number", lambda: 1 // 0)
    assert once("number", lambda: 3) == 3
    assert once("number", lambda: 4) == 3
