"""A headless Chromium for tests, driven over the WebDriver protocol with the standard library."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
ENTER = "\ue007"


class Browser:
    """One session of a ChromeDriver."""

    def __init__(self, port: int, width: int, height: int, folder: str) -> None:
        self.root = f"http://127.0.0.1:{port}/session"
        options = {
            "binary": shutil.which("chromium"),
            "args": [*FLAGS, f"--window-size={width},{height}", f"--user-data-dir={folder}"],
        }
        wanted = {
            "browserName": "chrome",
            "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        }
        self.session = ""
        self.session = self._ask("POST", "", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]

    def _ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        url = self.root + (f"/{self.session}" if self.session else "") + path
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, None,
                                         False, method)  # fmt: skip
        # straight to this machine, whatever proxy the environment names
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=60) as answer:
            return json.load(answer)["value"]

    def open(self, url: str) -> None:
        self._ask("POST", "/url", {"url": url})

    def run(self, script: str) -> Any:
        """Value of a JavaScript function body."""
        return self._ask("POST", "/execute/sync", {"script": script, "args": []})

    def becomes(self, script: str, value: Any, patience: float = 10.0) -> bool:
        """Whether a script's value gets there; events reach the page a frame later."""
        until = time.monotonic() + patience
        while self.run(script) != value:
            if time.monotonic() > until:
                return False
            time.sleep(0.02)
        return True

    def find(self, selector: str) -> list[str]:
        found = self._ask("POST", "/elements", {"using": "css selector", "value": selector})
        return [element[ELEMENT] for element in found]

    def click(self, selector: str) -> None:
        self._ask("POST", f"/element/{self.find(selector)[0]}/click", {})

    def press(self, selector: str, keys: str) -> None:
        """Type into an element as a keyboard does."""
        element = self.find(selector)[0]
        self._ask("POST", f"/element/{element}/value", {"text": keys})

    def name(self, element: str) -> str:
        """Accessible name, as a screen reader hears it."""
        return str(self._ask("GET", f"/element/{element}/computedlabel"))

    def resize(self, width: int, height: int) -> None:
        """Size of the view, as on a telephone."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": True}
        command = {"cmd": "Emulation.setDeviceMetricsOverride", "params": size}
        self._ask("POST", "/goog/cdp/execute", command)

    def prefer(self, scheme: str) -> None:
        """What the reader's system asks for: ``light`` or ``dark``."""
        feature = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        command = {"cmd": "Emulation.setEmulatedMedia", "params": feature}
        self._ask("POST", "/goog/cdp/execute", command)

    def console(self) -> list[str]:
        return [entry["message"] for entry in self._ask("POST", "/se/log", {"type": "browser"})]

    def requests(self) -> list[str]:
        """Addresses that were asked for since the last call."""
        entries = self._ask("POST", "/se/log", {"type": "performance"})
        messages = [json.loads(entry["message"])["message"] for entry in entries]
        sent = [m for m in messages if m["method"] == "Network.requestWillBeSent"]
        return [message["params"]["request"]["url"] for message in sent]

    def quit(self) -> None:
        self._ask("DELETE", "")


@contextmanager
def chromium(width: int = 1180, height: int = 900) -> Iterator[Browser]:
    """Start a browser for the block; skips the test, with the reason, where there is none."""
    for program in ("chromium", "chromedriver"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed: `make browser` on Debian installs it")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        driver = subprocess.Popen(
            ["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True,
        )  # fmt: skip
        try:
            browser = Browser(_port(driver), width, height, folder)
            yield browser
            browser.quit()
        finally:
            driver.terminate()
            driver.wait(timeout=30)
            assert driver.stdout is not None
            driver.stdout.close()


def _port(driver: subprocess.Popen[str]) -> int:
    assert driver.stdout is not None
    for line in driver.stdout:
        found = re.search(r"started successfully on port (\d+)", line)
        if found:
            return int(found[1])
    raise RuntimeError("chromedriver ended before it said where it listens")
