"""Make the pictures of the README: `python tests/console/make_screens.py`. Support, not a test.

A demo is played by touch up to the moments that are worth seeing; the pictures lie beside this file, in `screens`.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from browser_kit import SIZES, Screen, chromium, demo, play_a_round
from playwright.sync_api import Browser

SCREENS = Path(__file__).parent / "screens"
GAME = "ultimate-texas-holdem"


def _screen(browser: Browser, size: str) -> Screen:
    width, height = SIZES[size]
    return Screen(browser.new_context(viewport={"width": width, "height": height}, has_touch=True).new_page())


def _picture(screen: Screen, name: str) -> None:
    screen.page.wait_for_timeout(400)
    screen.page.screenshot(path=SCREENS / f"{name}.jpg", type="jpeg", quality=55)


def _asked(screen: Screen) -> None:
    screen.touch_and_see('[data-key="main"]')
    for seat in "1346":
        screen.touch_and_see(f'[data-key="spot-{seat}-ante"] .hit')
    screen.touch_and_see('[data-key="spot-3-trips"] .hit')
    while screen.step != "ask_decision":
        screen.touched(".bar button.main")
        screen.page.wait_for_timeout(400)
    _picture(screen, "decision")


def main() -> None:
    """Make every picture anew."""
    SCREENS.mkdir(exist_ok=True)
    with chromium() as browser:
        with tempfile.TemporaryDirectory() as folder, demo(Path(folder), GAME, "--by-touch") as url:
            screen = _screen(browser, "800x480")
            screen.open(url)
            _asked(screen)
        with tempfile.TemporaryDirectory() as folder, demo(Path(folder), GAME, "--by-touch") as url:
            screen = _screen(browser, "800x480")
            screen.open(url)
            play_a_round(screen, GAME, seats="1346")
            panel = _screen(browser, "800x480")
            panel.open(url, "demo")
            panel.touch('[data-key="mishap-jam"]')
            screen.touch_and_see('[data-key="main"]')
            screen.touch_and_see('[data-key="spot-3-ante"] .hit')
            screen.touch_and_see('.bar [data-key="main"]')
            screen.page.wait_for_selector(".alarm:not([hidden])", timeout=60_000)
            screen.touch(".alarm .reasons button")
            _picture(screen, "alarm")
            floor = _screen(browser, "800x480")
            floor.open(url, "floor")
            floor.page.locator("details").first.scroll_into_view_if_needed()
            _picture(floor, "floor")


if __name__ == "__main__":
    main()
