"""Support: the system's Chromium on the console of a demo, touched like a screen. Not a test."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

SIZES = {"800x480": (800, 480), "1920x1080": (1920, 1080)}
CHROMIUM = "/usr/bin/chromium"
WHY = "the pages are tried in the system's own Chromium; apt-get install chromium"
SPOTS = {
    "ultimate-texas-holdem": ("ante", "trips"),
    "texas-holdem-bonus": ("ante", "bonus"),
    "three-card-poker": ("ante", "pair_plus", "six_card"),
}
SPEED = "40"
TWICE_MS = 320  # a second touch of the same finger is not taken


@contextmanager
def chromium() -> Iterator[Browser]:
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def demo(folder: Path, game: str, *more: str) -> Iterator[str]:
    """Run a demo with its console; give the console's address."""
    arguments = ("demo", "--game", game, "--speed", SPEED, "--seed", "5", "--console", "127.0.0.1:0")
    process = subprocess.Popen(
        [sys.executable, "-m", "cardshoe", *arguments, "--journal", str(folder / "journal"), *more],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    try:
        said = ""
        while (found := re.search(r"http://\S+/", said)) is None:
            line = process.stdout.readline()
            assert line, f"the demo ended and never named its console: {said}"
            said += line
        yield found[0]
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)


@dataclass
class Screen:
    """The dealer's page at a touch screen, and what went wrong in it."""

    page: Page
    troubles: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("pageerror", lambda error: self.troubles.append(str(error)))
        self.page.on(
            "console", lambda told: self.troubles.append(told.text) if told.type in ("error", "warning") else None
        )

    def open(self, url: str, path: str = "dealer") -> None:
        for _ in range(100):
            try:
                self.page.goto(f"{url}{path}")
            except Exception as error:
                if "ERR_CONNECTION_REFUSED" not in str(error):
                    raise
                time.sleep(0.1)
            else:
                break
        self.troubles.clear()
        self.page.wait_for_selector("#page[data-step]", timeout=60_000)

    @property
    def step(self) -> str:
        return str(self.page.get_attribute("#page", "data-step"))

    @property
    def sequence(self) -> str:
        return str(self.page.get_attribute("#page", "data-sequence"))

    def touch(self, selector: str) -> None:
        """Touch the middle of the first thing that fits."""
        assert self.touched(selector), selector

    def touched(self, selector: str) -> bool:
        """Touch the first thing that fits, if there is one at this moment; tell whether there was."""
        middle = self.page.evaluate(
            """selector => {
                const found = document.querySelector(selector);
                if (!found || !found.getClientRects().length) return null;
                found.scrollIntoView({ block: "nearest" });
                const box = found.getBoundingClientRect();
                return [box.x + box.width / 2, box.y + box.height / 2];
            }""",
            selector,
        )
        if middle is None:
            return False
        self.page.touchscreen.tap(*middle)
        return True

    def touch_and_see(self, selector: str) -> None:
        """Touch as a person does, who looks first, and wait until the table shows something else."""
        before = self.sequence
        self.page.wait_for_timeout(TWICE_MS)
        self.touch(selector)
        self.until_after(before)

    def until_after(self, sequence: str) -> None:
        """Wait until a newer state than `sequence` is shown."""
        self.page.wait_for_function(
            "before => document.querySelector('#page').dataset.sequence !== before", arg=sequence, timeout=60_000
        )


def play_a_round(screen: Screen, game: str, *, seats: str = "14", last_choice: bool = True) -> list[str]:
    """Play one round by touch alone; return the steps that were due. The simulated hands move what is due."""
    steps: list[str] = []
    begun = False
    until = time.monotonic() + 240
    while time.monotonic() < until:
        screen.page.wait_for_timeout(TWICE_MS)  # before the look: what is touched is what was seen
        step = screen.step
        if not steps or steps[-1] != step:
            steps.append(step)
        if step == "open_round" and begun:
            return steps
        before = screen.sequence
        match step:
            case "take_wagers":
                begun = True
                for seat in seats:
                    for spot in SPOTS[game]:
                        screen.touch(f'[data-key="spot-{seat}-{spot}"] .hit')
                        screen.page.wait_for_selector(f'[data-key="spot-{seat}-{spot}"] .cents', timeout=60_000)
                screen.touch_and_see('.bar [data-key="main"]')
            case "ask_decision":
                choices = screen.page.locator(".choice").all()
                kept = choices[-1] if last_choice else choices[0]
                key = kept.get_attribute("data-key")
                screen.touch_and_see(f'[data-key="{key}"]')
            case _:
                screen.touched(".bar button.main")
                deadline = time.monotonic() + 3
                while screen.sequence == before and time.monotonic() < deadline:
                    screen.page.wait_for_timeout(30)
    raise AssertionError(f"no end: {steps}")
