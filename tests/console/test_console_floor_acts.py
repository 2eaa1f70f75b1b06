"""What the floor does from its page: corrections, limits, training, the end of a shift and the next one; over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from console_kit import Browser, Served, error, play_round, served

from cardshoe.journal import JournalReader, Record
from cardshoe.journal.replay import MachineDriver, replay
from cardshoe.table.memory import recalled

WHY = "a new sign on the table"


@pytest.fixture
def console(tmp_path: Path) -> Iterator[Served]:
    with served(tmp_path) as running:
        yield running


@pytest.fixture
def browser(console: Served) -> Iterator[Browser]:
    with Browser(console.url) as one:
        yield one


def records(console: Served, kind: str = "") -> list[Record]:
    with JournalReader(console.journal) as reader:
        return [record for record in reader.records() if kind in ("", record.kind)]


def replayed(console: Served) -> None:
    with JournalReader(console.journal) as reader:
        assert replay(reader.records(), MachineDriver()).ok


def wagered(browser: Browser, cents: int) -> Any:
    return browser.op("wager", position="1", player="Ada", wagers={"ante": cents, "blind": cents})


def to_the_first_decision(browser: Browser) -> None:
    browser.must("open_round", seats={"1": "Ada", "2": "Bob"})
    for position, player in (("1", "Ada"), ("2", "Bob")):
        browser.must("wager", position=position, player=player, wagers={"ante": 500, "blind": 500})
    browser.must("no_more_bets")
    while browser.state["due"]["step"] == "deal_card":
        browser.must("card", to=browser.state["due"]["to"])


# --- corrections


def test_a_decision_is_corrected_with_a_reason_and_both_stand_in_the_journal(console: Served, browser: Browser) -> None:
    """P6: the state tells what was said and what could be said instead; without a reason nothing is changed."""
    to_the_first_decision(browser)
    browser.must("decide", position="1", action="check")
    last = browser.state["last_entry"]
    assert (last["said"], last["choices"]) == ("check", ["check", "play 3x", "play 4x"])
    assert error(browser.op("correct", of=last["number"], action="play 4x", role="floor", reason=" ")) == "reason"
    assert browser.state["positions"][0]["decided"] == ["check"]
    browser.must("correct", of=last["number"], action="play 4x", role="floor", reason="mis-tap")
    assert browser.state["positions"][0]["decided"] == ["play 4x"]
    [explained] = records(console, "correction_explained")
    assert (explained.body["role"], explained.body["reason"]) == ("floor", "mis-tap")
    assert [each.kind for each in records(console)][-2:] == ["entry-corrected", "correction_explained"]
    replayed(console)


def test_a_wager_is_corrected_downwards_until_no_more_bets(browser: Browser) -> None:
    """NY-5324.36(c)(3): the corrected wager obeys the rules, too."""
    browser.must("open_round", seats={"1": "Ada"})
    assert wagered(browser, 5000).status_code == 200
    last = browser.state["last_entry"]
    assert last["said"] == {"ante": 5000, "blind": 5000}
    why = {"role": "floor", "reason": "mis-tap"}
    assert error(browser.op("correct", of=last["number"], wagers={"ante": 500}, **why)) == "wager-required"
    browser.must("correct", of=last["number"], wagers={"ante": 500, "blind": 500}, **why)
    assert browser.state["positions"][0]["wagers"] == {"ante": 500, "blind": 500}
    browser.must("no_more_bets")
    assert browser.state["last_entry"] is None
    gone = browser.op("correct", of=last["number"], wagers={"ante": 700, "blind": 700}, **why)
    assert error(gone) == "nothing-to-correct"


def test_an_entered_card_is_corrected_while_it_lies_there(console: Served, browser: Browser) -> None:
    to_the_first_decision(browser)
    for position in "12":
        browser.must("decide", position=position, action="check")
    while (due := browser.state["due"])["step"] != "read_faces":
        browser.must(
            *{"burn_cards": ("burn",), "deal_community": ("board",), "remove_stub": ("remove_stub",)}[due["step"]],
            **({"cards": due["cards"]} if "cards" in due else {}),
        )
    browser.must("turned", place="board", card="As")
    last = browser.state["last_entry"]
    assert (last["op"], last["position"], last["said"]) == ("turned", "board", "As")
    browser.must("correct", of=last["number"], card="Ah", role="floor", reason="suit")
    assert browser.state["board"]["faces"] == ["Ah"]
    browser.must("turned", place="board", card="As")
    assert browser.state["board"]["faces"] == ["Ah", "As"]
    replayed(console)


# --- limits


def test_limits_hold_from_the_next_round_on_and_stand_in_its_header(console: Served, browser: Browser) -> None:
    """Refused in mid-round; the next round is opened with them, so a replay checks by the limits of the day."""
    change = {"minimum_wager": {"ante": 1500}, "maximum_wager": {"ante": 20_000}, "role": "floor", "reason": WHY}
    browser.must("open_round", seats={"1": "Ada"})
    assert error(browser.op("set_limits", **change)) == "round-open"
    assert wagered(browser, 500).status_code == 200
    play_on = browser.must("withdraw", position="1", player="Ada", wagers=["ante", "blind"])
    assert play_on["accepted"]
    browser.must("no_more_bets")
    browser.must("complete")
    assert error(browser.op("set_limits", **{**change, "role": "dealer"})) == "role"
    assert error(browser.op("set_limits", **{**change, "reason": " "})) == "reason"
    browser.must("set_limits", **change)
    assert browser.state["limits"]["minimum_cents"] == {"ante": 1500}
    browser.must("open_round", seats={"1": "Ada"})
    assert error(wagered(browser, 1000)) == "wager-minimum"
    assert error(wagered(browser, 20_500)) == "wager-maximum"
    assert wagered(browser, 20_000).status_code == 200
    header = records(console, "round_header")[-1].body
    assert header["minimum_cents"]["ante"] == 1500
    assert header["maximum_cents"] == {"ante": 20_000}
    replayed(console)


def test_limits_that_leave_no_wager_are_refused(browser: Browser) -> None:
    why = {"role": "floor", "reason": WHY}
    for minimum, maximum, code in (
        ({"ante": 1000}, {"ante": 900}, "wager-limits"),
        ({"blind": 1000}, {"ante": 900}, "wager-limits"),
        ({"play": 1000}, {}, "wager-limits"),
        ({"jackpot": 1000}, {}, "house-value"),
        ({"ante": 10**13}, {}, "amount"),
    ):
        refused = browser.op("set_limits", minimum_wager=minimum, maximum_wager=maximum, **why)
        assert error(refused) == code, (minimum, maximum)
    assert browser.state["limits"] == {"game": "", "minimum_cents": {}, "maximum_cents": {}}


def test_limits_and_training_outlive_a_restart(tmp_path: Path) -> None:
    """P2: what the floor has set stands in the journal alone."""
    why = {"role": "floor", "reason": WHY}
    with served(tmp_path) as console, Browser(console.url) as browser:
        browser.must("set_limits", minimum_wager={"ante": 1500}, maximum_wager={}, **why)
        browser.must("set_training", on=True, **why)
        assert console.do(lambda: recalled(console.table.journal)) == console.do(lambda: console.table.controller.state)
    with served(tmp_path) as console, Browser(console.url) as browser:
        assert browser.state["training"] is True
        assert browser.state["limits"]["minimum_cents"] == {"ante": 1500}
        browser.must("set_limits", minimum_wager={}, maximum_wager={}, **why)
        browser.must("open_round", seats={"1": "Ada"})
        assert wagered(browser, 500).status_code == 200


# --- training


def test_training_marks_every_record_and_is_no_play(console: Served, browser: Browser) -> None:
    """Set between rounds only; every record of the table carries the mark; the report counts such rounds apart; the
    journal replays as ever."""
    why = {"role": "floor", "reason": "new dealer"}
    assert error(browser.op("set_training", on=False, **why)) == "training-already"
    browser.must("set_training", on=True, **why)
    play_round(browser)
    assert error(browser.op("set_training", on=True, **why)) == "training-already"
    browser.must("open_round", seats={})
    assert error(browser.op("set_training", on=False, **why)) == "round-open"
    browser.must("no_more_bets")
    browser.must("complete")
    browser.must("set_training", on=False, **why)
    play_round(browser)
    first, last = (each.seq for each in records(console, "training_set"))
    for record in records(console):
        by_the_journal = record.kind.startswith(("journal_", "head_"))
        assert ("training" in record.body) == (first <= record.seq <= last and not by_the_journal), record
    report = browser.get("/api/report").json()
    assert (report["training_rounds"], report["settled"], report["rounds"]) == (2, 1, 1)
    assert report["in_all"]["wagers"] > 0
    told = [each["account"].get("training", False) for each in browser.get("/api/rounds").json()["rounds"]]
    assert told == [False, True, True]
    replayed(console)


# --- the end of a shift, and the next one


def test_the_cards_are_counted_out_and_the_floor_opens_the_table_anew(console: Served, browser: Browser) -> None:
    """E15: nothing is dealt in between; the shift's report ends there, and the next shift has its own."""
    why = {"role": "floor", "reason": "shift"}
    play_round(browser)
    assert error(browser.op("reopen_table", **why)) == "table-open"
    browser.must("sign_off", cards=0, **why)
    assert browser.state["signed_off"] is True
    assert error(browser.op("open_round", seats={})) == "signed-off"
    done = browser.get("/api/report").json()
    assert (done["shift"], done["signed_off"], done["settled"]) == (1, True, 1)
    assert error(browser.op("reopen_table", **{**why, "role": "dealer"})) == "role"
    browser.must("reopen_table", **why)
    assert browser.state["due"]["step"] == "open_round"
    play_round(browser)
    assert browser.get("/api/report").json()["shift"] == 2
    assert browser.get("/api/report?shift=1").json()["settled"] == 1
    assert error(browser.get("/api/report?shift=9")) == "console-query"
    assert browser.post("/api/journal/verify").json()["ok"] is True
    replayed(console)


def test_the_trace_tells_what_devices_were_asked_and_no_face(console: Served, browser: Browser) -> None:
    """P4: only records of devices, newest first; this table has none, so only a calibration stands there."""
    change = {"device": "reader", "old": "a" * 64, "new": "b" * 64, "role": "technician", "reason": "new lens"}
    browser.must("change_calibration", **change)
    play_round(browser)
    told = browser.get("/api/devices/trace?last=9").json()["records"]
    assert [each["kind"] for each in told] == ["calibration_changed"]
    assert not any(face in str(told) for face in ("Qh", "As"))
