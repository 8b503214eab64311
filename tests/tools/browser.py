"""A headless Chromium for tests, driven over its DevTools pipe with the standard library."""

from __future__ import annotations

import fcntl
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NoReturn

import pytest

VARIABLES = ("CHROME", "CHROME_BIN", "CHROME_PATH")
PROGRAMS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "chrome-headless-shell",
    "chromium-headless-shell",
    "headless_shell",
)
# what package managers of other languages and macOS leave outside the path
PLACES = (
    "~/.cache/ms-playwright/chromium*/chrome-*/*",
    "~/.cache/puppeteer/chrome*/*/chrome-*/*",
    "~/Library/Caches/ms-playwright/chromium*/chrome-*/*",
    "/Applications/*/Contents/MacOS/*",
)
NAMES = {*PROGRAMS, "Chromium", "Google Chrome"}
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-breakpad",
    "--disable-crash-reporter",
    "--remote-debugging-pipe",
]
ENTER = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"}
PATIENCE = 600.0
"""Seconds after which a browser counts as hung; a busy machine answers long before."""

# the pipe is the file descriptors 3 and 4 of the browser
_LAUNCH = """
import os, sys
commands, answers = map(int, sys.argv[1:3])
os.dup2(commands, 3)
os.dup2(answers, 4)
os.execv(sys.argv[3], sys.argv[3:])
"""


def find_chromium() -> str:
    """Path of a Chromium or Chrome; skips the test, saying what to do, where there is none."""
    for variable in VARIABLES:
        if wanted := os.environ.get(variable):
            return shutil.which(wanted) or pytest.fail(f"{variable} = {wanted}: no such program")
    found = [path for name in PROGRAMS if (path := shutil.which(name))]
    return (found or _elsewhere() or [_nowhere()])[0]


def _elsewhere() -> list[str]:
    root = os.environ.get("PLAYWRIGHT_BROWSERS_PATH")
    places = [*([f"{root}/chromium*/chrome-*/*"] if root else []), *PLACES]
    paths = [Path(place).expanduser() for place in places]
    files = [file for p in paths for file in sorted(Path("/").glob(str(p.relative_to("/"))))]
    return [str(file) for file in files if file.name in NAMES and os.access(file, os.X_OK)]


def _nowhere() -> NoReturn:
    pytest.skip(
        "no Chromium or Chrome was found: `make browser` installs one on Debian, "
        "CHROME=/path/to/chrome names another"
    )


class Browser:
    """One page of a Chromium."""

    def __init__(
        self, path: str, folder: Path, width: int, height: int, patience: float = PATIENCE
    ) -> None:
        self.patience = patience
        self.log = folder / "log"
        self.count = 0
        self.events: list[dict[str, Any]] = []
        self.rest = b""
        flags = [*FLAGS, f"--window-size={width},{height}", f"--user-data-dir={folder}/profile"]
        theirs = self._pipes()
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-I", "-c", _LAUNCH, *map(str, theirs), path, *flags],
                pass_fds=theirs, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True,
            )  # fmt: skip
        for end in theirs:
            os.close(end)
        self.session: dict[str, str] = {}

    def _pipes(self) -> tuple[int, int]:
        """Open both pipes and return the browser's ends, which are neither 3 nor 4."""
        ends = []
        for end in (*os.pipe(), *os.pipe()):
            ends.append(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10))
            os.close(end)
        commands, self.commands, self.answers, answers = ends
        return commands, answers

    def attach(self) -> None:
        """Open a page and listen to it."""
        page = self._ask("Target.createTarget", url="about:blank")["targetId"]
        answer = self._ask("Target.attachToTarget", targetId=page, flatten=True)
        self.session = {"sessionId": answer["sessionId"]}
        for domain in ("Page", "Runtime", "Log", "Network", "DOM", "Accessibility"):
            self._ask(f"{domain}.enable")

    def _ask(self, method: str, **params: Any) -> Any:
        self.count += 1
        message = {"id": self.count, "method": method, "params": params, **self.session}
        with suppress(BrokenPipeError):  # the answer's absence says so better
            os.write(self.commands, json.dumps(message).encode() + b"\0")
        while (answer := self._next(method)).get("id") != self.count:
            self.events.append(answer)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def _next(self, method: str) -> Any:
        """Next message, be it an answer or an event."""
        while b"\0" not in self.rest:
            if not select.select([self.answers], [], [], self.patience)[0]:
                self._give_up(f"has been silent for {self.patience:g} s", method)
            read = os.read(self.answers, 1 << 20)
            if not read:
                self._give_up("has ended", method)
            self.rest += read
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def _give_up(self, why: str, method: str) -> NoReturn:
        self._kill()
        words = self.log.read_text(errors="replace")[-2000:]
        pytest.fail(f"Chromium {why} instead of answering {method}; it wrote:\n{words}")

    def open(self, url: str) -> None:
        self.events = [e for e in self.events if e["method"] != "Page.loadEventFired"]
        self._ask("Page.navigate", url=url)
        while all(event["method"] != "Page.loadEventFired" for event in self.events):
            self.events.append(self._next("Page.navigate"))

    def run(self, script: str) -> Any:
        """Value of a JavaScript function body."""
        answer = self._ask(
            "Runtime.evaluate", expression=f"(() => {{{script}\n}})()", returnByValue=True
        )
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{script}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def becomes(self, script: str, value: Any) -> bool:
        """Whether a script's value gets there; events reach the page a frame later."""
        until = time.monotonic() + self.patience
        while self.run(script) != value:
            if time.monotonic() > until:
                return False
            time.sleep(0.02)
        return True

    def find(self, selector: str) -> list[int]:
        root = self._ask("DOM.getDocument", depth=0)["root"]["nodeId"]
        found = self._ask("DOM.querySelectorAll", nodeId=root, selector=selector)
        return list(found["nodeIds"])

    def click(self, selector: str) -> None:
        """Press the mouse in the middle of an element."""
        element = self.find(selector)[0]
        self._ask("DOM.scrollIntoViewIfNeeded", nodeId=element)
        corners = self._ask("DOM.getContentQuads", nodeId=element)["quads"][0]
        at = {"x": sum(corners[::2]) / 4, "y": sum(corners[1::2]) / 4}
        for kind in ("mousePressed", "mouseReleased"):
            self._ask("Input.dispatchMouseEvent", type=kind, button="left", clickCount=1, **at)

    def press(self, selector: str, key: dict[str, Any]) -> None:
        """Press a key as a keyboard does, on an element."""
        self._ask("DOM.focus", nodeId=self.find(selector)[0])
        for kind in ("keyDown", "keyUp"):
            self._ask("Input.dispatchKeyEvent", type=kind, **key)

    def name(self, element: int) -> str:
        """Accessible name, as a screen reader hears it."""
        found = self._ask("Accessibility.getPartialAXTree", nodeId=element, fetchRelatives=False)
        return str(found["nodes"][0].get("name", {}).get("value", ""))

    def resize(self, width: int, height: int) -> None:
        """Size of the view, as on a telephone."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": True}
        self._ask("Emulation.setDeviceMetricsOverride", **size)

    def prefer(self, scheme: str) -> None:
        """What the reader's system asks for: ``light`` or ``dark``."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self._ask("Emulation.setEmulatedMedia", features=features)

    def _heard(self, *methods: str) -> list[dict[str, Any]]:
        """Events of some kinds since the last call; an answer comes after what happened before."""
        self.run("return 0")
        heard = [event["params"] for event in self.events if event["method"] in methods]
        self.events = [event for event in self.events if event["method"] not in methods]
        return heard

    def console(self) -> list[str]:
        """What scripts and the browser wrote to the console since the last call."""
        kinds = ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")
        return [json.dumps(entry) for entry in self._heard(*kinds)]

    def requests(self) -> list[str]:
        """Addresses that were asked for since the last call."""
        return [sent["request"]["url"] for sent in self._heard("Network.requestWillBeSent")]

    def quit(self) -> None:
        """End the browser and whatever it started, however it behaved."""
        os.close(self.commands)  # a browser that can, ends by itself now
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=10)
        self._kill()
        os.close(self.answers)

    def _kill(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


@contextmanager
def chromium(width: int = 1180, height: int = 900) -> Iterator[Browser]:
    """Start a browser for the block; skips the test, with the reason, where there is none."""
    path = find_chromium()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = Browser(path, Path(folder), width, height)
        try:
            browser.attach()
            yield browser
        finally:
            browser.quit()
