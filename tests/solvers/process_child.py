"""What a process of a solver may do, for the tests of who asks it."""

from __future__ import annotations

import os
import signal
import sys
import time

from farkas.solvers.process import Arrays, Words


def answered(words: Words, arrays: Arrays) -> tuple[Words, Arrays]:
    if "pid" in words:
        with open(words["pid"], "w") as file:
            file.write(str(os.getpid()))
    do = words["do"]
    if do == "raise":
        raise ValueError("no\nsuch thing")
    if do == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    if do == "sleep":
        time.sleep(600)
    if do == "until told":
        try:
            time.sleep(600)
        except KeyboardInterrupt:
            return {"heard": True}, {}
    if do == "deaf":
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        time.sleep(600)
    print("chatter", flush=True)
    print("log", file=sys.stderr, flush=True)
    return {"said": words, "nothing": None}, {name: 2 * a for name, a in arrays.items()}
