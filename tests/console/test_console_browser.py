"""The pages in a real browser: whole rounds by touch, sizes, keyboard, languages, accessibility, nothing hidden."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from axe_core_python.sync_playwright import Axe
from browser_kit import CHROMIUM, SIZES, SPOTS, TWICE_MS, WHY, Screen, chromium, demo, play_a_round
from playwright.sync_api import Browser, Response

from cardshoe.error_table import ERROR_TABLE
from cardshoe.games import games
from cardshoe.games.script import Ask
from cardshoe.journal import verify
from cardshoe.round.irregular import _ANSWERS
from cardshoe.table import view

STATIC = Path(__file__).parents[2] / "src" / "cardshoe" / "console" / "static"
Require = Callable[[str, str], str]


@pytest.fixture
def browser(require: Require) -> Iterator[Browser]:
    require(CHROMIUM, WHY)
    with chromium() as one:
        yield one


def screen_of(browser: Browser, size: str = "800x480") -> Screen:
    width, height = SIZES[size]
    context = browser.new_context(viewport={"width": width, "height": height}, has_touch=True)
    return Screen(context.new_page())


ROUNDS = [
    pytest.param(game, size, marks=() if (game, size) in QUICK else pytest.mark.nightly, id=f"{game}-{size}")
    for game in SPOTS
    for size in SIZES
    for QUICK in [{("ultimate-texas-holdem", "800x480"), ("three-card-poker", "1920x1080")}]
]


@pytest.mark.parametrize(("game", "size"), ROUNDS)
def test_a_whole_round_by_touch_alone(browser: Browser, tmp_path: Path, game: str, size: str) -> None:
    """Every wager, decision and settlement is touched on the drawing; the journal is sound; the browser complains of
    nothing; every button is large enough for a finger."""
    with demo(tmp_path, game, "--by-touch") as url:
        screen = screen_of(browser, size)
        screen.open(url)
        steps = play_a_round(screen, game)
        # The stack is taken by the simulated hands, and may be gone before anybody looked.
        assert {"take_wagers", "ask_decision", "turn_dealer", "settle_hand"} <= set(steps)
        state = json.loads(screen.page.request.get(f"{url}api/state").text())
        assert state["tally"]["completed"] == 1
        assert screen.troubles == []
    assert verify(tmp_path / "journal").ok


def _small(screen: Screen) -> list[str]:
    """Name what is touched and smaller than 44 pixels in either direction."""
    found: list[str] = screen.page.evaluate(
        """() => [...document.querySelectorAll('button, [role="button"], a, input')]
            .filter((each) => each.getClientRects().length)
            .map((each) => [each, (each.querySelector(':scope > .hit') || each).getBoundingClientRect()])
            .filter(([each, box]) => Math.round(box.width) < 44 || Math.round(box.height) < 40)
            .map(([each, box]) => `${each.dataset.key || each.textContent} ${box.width}x${box.height}`)"""
    )
    return found


def _serious(screen: Screen) -> list[tuple[str, list[str]]]:
    results = Axe().run(screen.page)
    return [
        (each["id"], [node["html"][:120] for node in each["nodes"]])
        for each in results["violations"]
        if each["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize("size", ["800x480", pytest.param("1920x1080", marks=pytest.mark.nightly)])
def test_the_dealers_page_fits_a_finger_and_an_eye(browser: Browser, tmp_path: Path, size: str) -> None:
    """Targets of 44 pixels, no scrolling, no serious finding of axe: with wagers, in a dialog, under an alarm."""
    with demo(tmp_path, "ultimate-texas-holdem", "--by-touch") as url:
        screen = screen_of(browser, size)
        screen.open(url)
        screen.touch_and_see('[data-key="main"]')
        assert _small(screen) == []
        assert _serious(screen) == []
        fits = screen.page.evaluate("[document.documentElement.scrollWidth, document.documentElement.scrollHeight]")
        assert fits == list(SIZES[size])
        screen.touch_and_see('[data-key="spot-3-ante"] .hit')
        screen.touch('[data-key="stop"]')
        screen.page.wait_for_selector("dialog[open]")
        assert _serious(screen) == []
        screen.touch("dialog .reasons button")
        screen.touch_and_see('[data-key="stop-now"]')
        screen.page.wait_for_selector(".alarm:not([hidden])")
        assert _small(screen) == []
        assert _serious(screen) == []
        box = screen.page.locator(".alarm").bounding_box()
        assert box is not None
        assert (box["width"], box["height"]) == SIZES[size]


def test_an_alarm_is_cleared_by_a_reason_and_an_answer(browser: Browser, tmp_path: Path) -> None:
    """P5: a jam holds the round and covers the screen; no answer without a reason; the answer stands in the journal."""
    with demo(tmp_path, "three-card-poker", "--by-touch") as url:
        screen, panel = screen_of(browser), screen_of(browser)
        screen.open(url)
        panel.open(url, "demo")
        panel.touch('[data-key="mishap-jam"]')
        screen.touch_and_see('[data-key="main"]')
        for spot in ("ante", "pair_plus"):
            screen.touch_and_see(f'[data-key="spot-2-{spot}"] .hit')
        screen.touch_and_see('[data-key="main"]')
        screen.page.wait_for_selector(".alarm:not([hidden])", timeout=60_000)
        assert screen.page.locator(".alarm h1").inner_text()
        answers = screen.page.locator(".alarm .answer")
        assert answers.count() >= 2
        assert all(answers.nth(n).is_disabled() for n in range(answers.count()))
        panel.touch('[data-key="cure-jam"]')
        _answer_all(screen, "void-all")
        rounds = json.loads(screen.page.request.get(f"{url}api/rounds").text())["rounds"]
        cleared = [each["body"] for each in rounds[0]["records"] if each["kind"] == "hold-cleared"]
        assert ("void-all", True) in [(each["choice"], bool(each["reason"])) for each in cleared]


@pytest.mark.nightly
def test_an_alarm_that_comes_again_says_so_and_can_be_answered_otherwise(browser: Browser, tmp_path: Path) -> None:
    """P5: an opened door voids the deck; to go on with it is asked again, in words, until the round is void."""
    with demo(tmp_path, "three-card-poker", "--by-touch") as url:
        screen, panel = screen_of(browser), screen_of(browser)
        screen.open(url)
        panel.open(url, "demo")
        screen.touch_and_see('[data-key="main"]')
        for seat in "25":
            screen.touch_and_see(f'[data-key="spot-{seat}-ante"] .hit')
        screen.touch_and_see('.bar [data-key="main"]')
        screen.page.wait_for_selector('#page[data-step="take_stack"]', timeout=60_000)
        screen.touch_and_see('[data-key="hands"]')
        panel.touch('[data-key="mishap-door"]')
        screen.page.wait_for_selector(".alarm:not([hidden])", timeout=60_000)
        screen.touch('[data-key="see-to-it"]')
        for _ in range(12):
            if screen.page.locator(".alarm .again").count():
                break
            screen.touched(".alarm .reasons button")
            screen.touched(".alarm .answer:not(.void):not([disabled])")
            screen.page.wait_for_timeout(1200)
        assert screen.page.locator(".alarm .again").count() == 1
        _answer_all(screen, "void-all")


def _answer_all(screen: Screen, choice: str) -> None:
    """Answer the alarm that covers the screen, and each that comes after it, until the table is seen again."""
    for _ in range(6):
        screen.touch(".alarm .reasons button")
        if not screen.touched(f'[data-key="answer-{choice}"]:not([disabled])'):
            screen.touch(".alarm .answer:not([disabled])")
        screen.page.wait_for_timeout(1500)
        if not screen.page.locator(".alarm:not([hidden])").count():
            return
    raise AssertionError(screen.page.locator(".alarm").inner_text())


def test_by_keyboard_and_in_the_other_language(browser: Browser, tmp_path: Path) -> None:
    """Tab and Enter reach what a finger reaches; the second language comes from its catalogue alone."""
    with demo(tmp_path, "ultimate-texas-holdem", "--by-touch") as url:
        screen = screen_of(browser)
        screen.open(url)
        screen.page.evaluate("localStorage.setItem('language', 'de')")
        screen.page.reload()
        screen.page.wait_for_selector("#page[data-step]")
        texts = json.loads((STATIC / "texts" / "de.json").read_text(encoding="utf-8"))
        assert screen.page.locator("h1").inner_text() == texts["due.open_round"]
        before = screen.sequence
        screen.page.wait_for_timeout(TWICE_MS)
        screen.page.keyboard.press("Enter")
        screen.until_after(before)
        screen.page.focus('[data-key="spot-3-ante"]')
        screen.page.keyboard.press("Enter")
        screen.page.wait_for_selector('[data-key="spot-3-ante"] .cents')
        assert screen.page.evaluate("document.activeElement.dataset.key") == "spot-3-ante"
        assert screen.troubles == []


@pytest.mark.nightly
def test_a_browser_that_was_cut_off_says_so_and_comes_back(browser: Browser, tmp_path: Path) -> None:
    """It covers the page while the line is down, and shows the true state once it is back."""
    with demo(tmp_path, "three-card-poker", "--by-touch") as url:
        screen = screen_of(browser)
        screen.open(url)
        screen.page.context.set_offline(True)
        screen.page.evaluate("window.dispatchEvent(new Event('online'))")  # looks for the line at once
        screen.page.wait_for_selector(".offline:not([hidden])", timeout=60_000)
        screen.page.context.set_offline(False)
        with_other = screen_of(browser)
        with_other.open(url)
        with_other.touch_and_see('[data-key="main"]')
        screen.page.wait_for_selector(".offline", state="hidden", timeout=60_000)
        screen.page.wait_for_selector('#page[data-step="take_wagers"]', timeout=60_000)


@pytest.mark.parametrize("size", ["800x480", pytest.param("1920x1080", marks=pytest.mark.nightly)])
def test_the_other_pages_say_what_they_are_for(browser: Browser, tmp_path: Path, size: str) -> None:
    """Each opens without a complaint of the browser or a serious finding of axe, and does its first
    thing: the technician tests, the auditor proves and searches."""
    with demo(tmp_path, "three-card-poker") as url:
        screen = screen_of(browser, size)
        for name in ("floor", "technician", "auditor", "surveillance", "demo"):
            screen.open(url, name)
            if name == "technician":
                screen.touch('[data-key="self-test"]')
                screen.page.wait_for_selector("li.good", timeout=60_000)
                assert screen.page.locator("li.bad").count() == 0
            if name == "auditor":
                screen.page.wait_for_selector("tbody tr", timeout=60_000)
                screen.touch('[data-key="verify"]')
                screen.page.wait_for_selector("p.good", timeout=60_000)
            assert _serious(screen) == [], (name, size)
            assert screen.troubles == [], (name, size)
            assert screen.page.evaluate("document.documentElement.scrollWidth") <= SIZES[size][0], (name, size)


def test_the_floor_stops_the_shoe_rules_and_sees_the_round_again(browser: Browser, tmp_path: Path) -> None:
    """The floor's own alarm, its answer, and the round rebuilt with what was ruled, from the floor's page alone."""
    with demo(tmp_path, "ultimate-texas-holdem", "--by-touch") as url:
        dealer, floor = screen_of(browser), screen_of(browser, "1920x1080")
        dealer.open(url)
        floor.open(url, "floor")
        dealer.touch_and_see('[data-key="main"]')
        dealer.touch_and_see('[data-key="spot-2-ante"] .hit')
        dealer.touch_and_see('.bar [data-key="main"]')
        floor.touch('[data-key="stop"]')
        floor.page.wait_for_selector("dialog[open]")
        floor.touch("dialog .reasons button")
        floor.touch_and_see('[data-key="do"]')
        floor.page.wait_for_selector('[data-key="answer-void-all"]')
        _answer_all(floor, "void-all")
        floor.page.wait_for_selector("details li", timeout=60_000)
        assert "void-all" in floor.page.locator("details").first.inner_text()
        assert dealer.troubles == floor.troubles == []


def test_no_hidden_face_reaches_the_browser(browser: Browser, tmp_path: Path) -> None:
    """P4: until cards lie face up, no face stands in the traffic, the drawing or the browser's storage."""
    with demo(tmp_path, "ultimate-texas-holdem", "--by-touch") as url:
        screen = screen_of(browser)
        heard: list[str] = []

        def note(answer: Response) -> None:
            if "/api/" in answer.url and not answer.url.endswith("events"):
                heard.append(answer.text())

        screen.page.on("response", note)
        screen.page.add_init_script(
            """window.heard = [];
            const Source = window.EventSource;
            window.EventSource = class extends Source {
              constructor(...all) { super(...all); this.addEventListener("state", (e) => window.heard.push(e.data)); }
            };"""
        )
        screen.open(url)
        screen.touch_and_see('[data-key="main"]')
        for seat in "136":
            screen.touch_and_see(f'[data-key="spot-{seat}-ante"] .hit')
        for _ in range(60):
            if screen.step == "ask_decision":
                break
            screen.touched(".bar button.main")
            screen.page.wait_for_timeout(150)
        assert screen.step == "ask_decision"
        states: list[Any] = screen.page.evaluate("window.heard")
        assert len(states) > 5
        drawing = screen.page.locator(".table").evaluate("node => node.outerHTML")
        assert drawing.count('class="back"') == 8
        stored = screen.page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])")
        for channel in (*states, *heard, stored):
            assert re.findall(r'"[AKQJT98765432][shdc]"', channel) == []
        assert "suit-" not in drawing
        assert "rank" not in drawing


# --- texts


def test_every_language_has_every_text() -> None:
    """One catalogue a language; none lacks a key that another has, and none is empty."""
    languages = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in (STATIC / "texts").glob("*.json")}
    assert len(languages) >= 2
    english = languages.pop("en")
    for name, texts in languages.items():
        # What the table itself says in English, and the error table's words, need no second wording in English.
        looked_up = {key for key in texts if key.startswith(("said.", "like.", "alarm."))}
        assert set(texts) - looked_up == set(english), name
        assert {key.removeprefix("alarm.") for key in looked_up if key.startswith("alarm.")} <= set(ERROR_TABLE)
        for key, text in texts.items():
            assert text.strip()
            assert set(re.findall(r"\{\w+\}", text)) == set(re.findall(r"\{\w+\}", english.get(key, key))), key


def test_every_lawful_answer_and_every_waiting_has_its_words() -> None:
    """A choice without words would stand on a button as a code; a wait without a translation would stay English."""
    english = json.loads((STATIC / "texts" / "en.json").read_text(encoding="utf-8"))
    german = json.loads((STATIC / "texts" / "de.json").read_text(encoding="utf-8"))
    assert {f"choice.{choice}" for choice in _ANSWERS} <= set(english)
    assert {f"choice.{choice}.why" for choice in _ANSWERS} <= set(english)
    source = Path(view.__file__).read_text(encoding="utf-8")
    waits = set(re.findall(r'Wait\("([^"]+)"\)', source))
    assert {f"said.{text}" for text in waits} <= set(german)
    forms = {re.sub(r"\{.+?\}+", "{x}", text) for text in re.findall(r'Wait\(f"([^"]+)"\)', source)}
    assert {f"like.{form}" for form in forms} <= set(german)
    for game in games().values():
        assert {f"spot.{spot.name}" for spot in game.spots} <= set(english)
        asks = [step for script in game.scripts.values() for step in script if isinstance(step, Ask)]
        assert {f"act.{choice.label.split()[0]}" for ask in asks for choice in ask.choices} <= set(english)


def test_every_step_that_can_be_due_has_its_words() -> None:
    english = json.loads((STATIC / "texts" / "en.json").read_text(encoding="utf-8"))
    names = {
        re.sub(r"(?<!^)([A-Z])", r"_\1", kind.__name__).lower().removesuffix("_due") for kind in get_args(view.Due)
    }
    assert {f"due.{name}" for name in names - {"wait"}} <= set(english)


def test_every_text_that_a_page_asks_for_is_there() -> None:
    english = json.loads((STATIC / "texts" / "en.json").read_text(encoding="utf-8"))
    asked = {
        key
        for path in STATIC.glob("*.js")
        for key in re.findall(r"""\bt\(\s*["']([\w.]+)["']""", path.read_text(encoding="utf-8"))
    }
    assert len(asked) > 60
    assert asked - set(english) == set()


def test_the_pages_are_small_and_need_nothing_from_elsewhere() -> None:
    """200 kB for everything, and no address but our own in it."""
    files = [path for path in STATIC.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) <= 200_000
    for path in files:
        outside = re.findall(r"(?:https?:)?//[a-z][\w.-]+\.[a-z]{2,}", path.read_text(encoding="utf-8"))
        assert set(outside) <= {"http://www.w3.org"}, path
