"""An evening at the table: twenty rounds and five faults, by what the dealer's and the floor's page say, and no more.

Robots are hands alone: the demo's world moves cards when the dealer's page has them moved, and goes wrong when the
panel of the demo says so. Dealer and supervisor touch what their page offers: the one main button, the choices, the
reasons and answers of an alarm.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from browser_kit import CHROMIUM, SIZES, TWICE_MS, WHY, Screen, chromium, demo
from playwright.sync_api import Browser

from cardshoe.journal import JournalReader, verify
from cardshoe.journal.replay import MachineDriver, replay

GAME = "ultimate-texas-holdem"
ROUNDS = 20
FAULTS = {3: "jam", 6: "double feed", 9: "exposed", 12: "unplug the shoe", 15: "power of the shoe"}
"""Round to what goes wrong in it; "exposed": a card of the dealer was seen, which the dealer reports."""
ALARM_OF = {"jam": "shoe-fault-floor", "double feed": "shoe-fault-floor", "power of the shoe": "shoe-restarted"}
PATIENCE_S = 90.0


@pytest.fixture
def browser(require: Callable[[str, str], str]) -> Iterator[Browser]:
    require(CHROMIUM, WHY)
    with chromium() as one:
        yield one


def screen_of(browser: Browser, size: str) -> Screen:
    width, height = SIZES[size]
    return Screen(browser.new_context(viewport={"width": width, "height": height}, has_touch=True).new_page())


@dataclass
class Evening:
    """The people of one evening, each at a page of their own."""

    url: str
    dealer: Screen
    floor: Screen
    panel: Screen
    alarms: list[str] = field(default_factory=list)
    due: set[str] = field(default_factory=set)
    gone_wrong: set[int] = field(default_factory=set)
    broken: str = ""

    @property
    def state(self) -> dict[str, Any]:
        return dict(json.loads(self.dealer.page.request.get(f"{self.url}api/state").text()))

    def run(self) -> None:
        """Play until all rounds are over; whoever finds nothing to do for too long has met a dead end."""
        shown, since = "", time.monotonic()
        while (state := self.state)["tally"]["completed"] + state["tally"]["voided"] < ROUNDS:
            now = f"{state['sequence']}"
            if now != shown:
                shown, since = now, time.monotonic()
            assert time.monotonic() - since < PATIENCE_S, self.told()
            if state["alarm"] is not None:
                self.answer(state["alarm"])
            else:
                self.deal(state)
            self.dealer.page.wait_for_timeout(TWICE_MS)

    def told(self) -> str:
        """Say what both people see who do not know how to go on."""
        return f"{self.dealer.page.locator('body').inner_text()}\n---\n{self.floor.page.locator('body').inner_text()}"

    def deal(self, state: dict[str, Any]) -> None:
        """Do what the dealer's page says is next."""
        step, fault = state["due"]["step"], FAULTS.get(state["round"])
        self.due.add(step)
        due_now = {"jam": "take_wagers", "double feed": "take_wagers", "exposed": "ask_decision"}.get(fault or "")
        if fault and state["round"] not in self.gone_wrong and step in (due_now or "await_stack take_stack"):
            self.gone_wrong.add(state["round"])
            self.go_wrong(fault)
        elif step == "take_wagers":
            self.take_wagers()
        elif step == "ask_decision":
            self.dealer.touched(".choice:last-of-type")
        elif not state["shoe"]["up"]:
            self.see_to_the_shoe()
        else:
            self.dealer.touched(".bar button.main")

    def take_wagers(self) -> None:
        for seat in "14":
            if self.dealer.page.locator(f'[data-key="spot-{seat}-ante"] .cents').count() == 0:
                self.dealer.touched(f'[data-key="spot-{seat}-ante"] .hit')
                self.dealer.page.wait_for_selector(f'[data-key="spot-{seat}-ante"] .cents', timeout=60_000)
        self.dealer.touched('.bar [data-key="main"]')

    def go_wrong(self, fault: str) -> None:
        if fault == "exposed":
            for key in ("menu", "report", "report-dealer_early", "report-sure"):
                self.dealer.page.wait_for_timeout(TWICE_MS)
                self.dealer.touch(f'[data-key="{key}"]')
            self.dealer.page.wait_for_selector('#page:not([data-step="ask_decision"])', timeout=60_000)
        else:
            self.panel.touch(f'[data-key="mishap-{fault}"]')
            self.broken = fault

    def see_to_the_shoe(self) -> None:
        """Both pages say that the shoe is away, and what to look at: its cable and power."""
        self.dealer.page.wait_for_selector(".bar .idle", timeout=60_000)
        assert "cable and power" in self.dealer.page.locator(".bar").inner_text()
        self.floor.page.wait_for_selector(".sheet > .hint:not([hidden])", timeout=60_000)
        assert "Cable and power" in self.floor.page.locator(".sheet > .hint").inner_text()
        self.cure()
        self.dealer.page.wait_for_selector(".light.up >> nth=0", timeout=60_000)

    def cure(self) -> None:
        if self.broken:
            self.panel.touch(f'[data-key="cure-{self.broken}"]')
            self.broken = ""

    def answer(self, alarm: dict[str, Any]) -> None:
        """The supervisor sees to the machine, gives a reason and the first answer; another where it is asked again."""
        self.floor.page.wait_for_selector(".alarm:not([hidden])", timeout=60_000)
        assert "Call the floor" not in self.floor.page.locator(".alarm h1").inner_text()
        self.alarms.append(str(alarm["code"]))
        self.cure()
        self.dealer.touched('[data-key="see-to-it"]')
        self.floor.page.wait_for_timeout(900)
        again = self.floor.page.locator(".alarm .again").count()
        self.floor.touched(".alarm .reasons button")
        self.floor.touched(".alarm .answer.void:not([disabled])" if again else ".alarm .answer:not([disabled])")
        self.floor.page.wait_for_timeout(900)


@pytest.mark.nightly
def test_an_evening_of_twenty_rounds_with_five_faults(browser: Browser, tmp_path: Path) -> None:
    """E10, E18, E07, E29, E14: each fault holds or waits, says what to do, and the table plays on; no dead end, no
    record that a replay does not give again, no round lost."""
    with demo(tmp_path, GAME, "--by-touch") as url:
        evening = Evening(
            url, screen_of(browser, "800x480"), screen_of(browser, "1920x1080"), screen_of(browser, "800x480")
        )
        evening.dealer.open(url)
        evening.floor.open(url, "floor")
        evening.panel.open(url, "demo")
        evening.run()
        tally = evening.state["tally"]
        assert evening.gone_wrong == set(FAULTS)
        assert {ALARM_OF[fault] for fault in FAULTS.values() if fault in ALARM_OF} <= set(evening.alarms)
        assert tally["completed"] + tally["voided"] == ROUNDS
        assert tally["completed"] >= ROUNDS - len(FAULTS)
        assert {"take_stack", "ask_decision", "read_faces", "settle_hand"} & evening.due
        evening.floor.touch('[data-key="report-show"]')
        evening.floor.page.wait_for_selector(".report .figures", timeout=60_000)
        assert f"{tally['completed']}, void: {tally['voided']}" in evening.floor.page.locator(".report").inner_text()
    assert verify(tmp_path / "journal").ok
    with JournalReader(tmp_path / "journal") as reader:
        assert replay(reader.records(), MachineDriver()).ok


def test_the_floor_sets_limits_begins_training_and_corrects_a_wager_by_touch(browser: Browser, tmp_path: Path) -> None:
    """Limits are refused in money, training is marked on every page, a correction needs a reason; buttons that do not
    fit the moment are off."""
    with demo(tmp_path, GAME, "--by-touch") as url:
        dealer, floor = screen_of(browser, "800x480"), screen_of(browser, "1920x1080")
        dealer.open(url)
        floor.open(url, "floor")
        floor.touch('[data-key="limits"]')
        floor.page.locator('[data-key="least-ante"]').tap()
        for digit in "15":
            floor.page.locator("dialog[open] >> nth=-1").locator(".keypad button", has_text=digit).first.tap()
        floor.page.locator("dialog[open] >> nth=-1").locator("button.main").tap()
        assert floor.page.locator('[data-key="limits-set"]').is_disabled()
        floor.page.locator("dialog .reasons button").first.tap()
        floor.page.locator('[data-key="limits-set"]').tap()
        dealer.page.wait_for_selector('.lights :text("$15")', timeout=60_000)
        floor.page.locator('[data-key="training"]').tap()
        floor.page.locator("dialog .reasons button").first.tap()
        floor.page.locator('[data-key="do"]').tap()
        for screen in (dealer, floor):
            screen.page.wait_for_selector(".training-mark:not([hidden])", timeout=60_000)
        dealer.touch_and_see('[data-key="main"]')
        floor.page.wait_for_selector('[data-key="training"][disabled]', timeout=60_000)
        dealer.touch_and_see('[data-key="spot-3-ante"] .hit')
        dealer.page.wait_for_selector(".toast.bad", timeout=60_000)
        assert "below the minimum of $15" in dealer.page.locator(".toast").inner_text()
        dealer.touch('[data-key="chip-2500"]')
        dealer.touch_and_see('[data-key="spot-3-ante"] .hit')
        floor.page.locator('[data-key="correct"]:not([disabled])').tap()
        assert floor.page.locator('[data-key="meant-0"]').is_disabled()
        floor.page.locator("dialog .reasons button").first.tap()
        floor.page.locator('[data-key="meant-0"]').tap()
        floor.page.locator('[data-key="amount-ante"]').tap()
        for digit in "20":
            floor.page.locator("dialog[open] >> nth=-1").locator(".keypad button", has_text=digit).first.tap()
        floor.page.locator("dialog[open] >> nth=-1").locator("button.main").tap()
        floor.page.locator('[data-key="amounts-do"]').tap()
        dealer.page.wait_for_selector('[data-key="spot-3-blind"] .cents:text-is("$20")', timeout=60_000)
    with JournalReader(tmp_path / "journal") as reader:
        kinds = [record.kind for record in reader.records() if record.body.get("training")]
    assert {"training_set", "round-opened", "wager-placed", "entry-corrected", "correction_explained"} <= set(kinds)
