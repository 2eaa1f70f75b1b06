"""A service starts before its devices are there, stops in the middle of a round, and goes on where it was (FR-07)."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from demo_bench import Elsewhere, check, elsewhere
from service_kit import Listener, Service, a_free_port

from cardshoe.journal import JournalReader

CONFIG = """
[table]
name = "T5"
mode = "bench"
game = "ultimate-texas-holdem"
journal = "journal"
[devices.shoe]
url = "{url}"
[service]
wait_for_devices = {waits}
"""
NOT_THERE = "The shoe is not connected. Look at its cable and power."


def _kinds(journal: Path) -> list[str]:
    with JournalReader(journal) as reader:
        return [record.kind for record in reader.records()]


def test_real_a_service_waits_for_its_shoe(tmp_path: Path) -> None:
    """FR-07: the table is open and says what it waits for; the shoe that comes is taken without a hand's turn."""
    port = a_free_port()
    config = CONFIG.format(url=f"tcp://127.0.0.1:{port}", waits="true")
    with Listener(str(tmp_path / "notify")) as listener, Service(tmp_path, config, listener) as service:
        assert listener.until("READY")["STATUS"] == NOT_THERE
        world = Elsewhere(tmp_path, reader=False, more=("--shoe", f"tcp:127.0.0.1:{port}"), shoe=False)
        world.start()
        try:
            while listener.until("STATUS")["STATUS"] != "Open the next round.":
                pass
            service.process.send_signal(signal.SIGTERM)
            listener.until("STOPPING")
            status, _out, err = service.ended()
        finally:
            world.kill()
    assert status == 0
    assert f"cardshoe: shoe: not connected at tcp://127.0.0.1:{port}" in err
    assert f"cardshoe: shoe: connected at tcp://127.0.0.1:{port}" in err
    check(service.journal)
    assert _kinds(service.journal).count("device_identified") == 1


def test_real_a_service_that_waits_can_be_stopped(tmp_path: Path) -> None:
    config = CONFIG.format(url="serial:///dev/cardshoe-not-there", waits="true")
    with Listener(str(tmp_path / "notify")) as listener, Service(tmp_path, config, listener) as service:
        listener.until("READY")
        service.process.send_signal(signal.SIGTERM)
        assert service.ended()[0] == 0
    check(service.journal)


@pytest.mark.parametrize("waits", ["true", "false"])
def test_real_without_waiting_a_missing_port_ends_the_start(tmp_path: Path, waits: str) -> None:
    """Exit status 3 as ever; with waiting the same is told in the log, and the end of input ends the table."""
    config = CONFIG.format(url="serial:///dev/cardshoe-not-there", waits=waits)
    with Service(tmp_path, config, None) as service:
        status, out, err = service.ended()
    assert "/dev/cardshoe-not-there" in err
    assert status == (0 if waits == "true" else 3)
    assert ("not connected. Look at its cable" in out) is (waits == "true")


def test_real_stopped_in_the_middle_of_a_round_it_goes_on_there(tmp_path: Path) -> None:
    """P1, P2, exit statuses: SIGTERM while a stack moves ends with 0, and no stack is dealt twice after the start."""
    with elsewhere(tmp_path, reader=False, line="tcp", state=True) as world:
        config = CONFIG.format(url=world.told["shoe_url"], waits="true")
        with Service(tmp_path, config, None, lines=True) as service:
            service.say("open_round", seats={"1": "Ann"})
            service.say("wager", position="1", player="Ann", wagers={"ante": 1000, "blind": 1000})
            service.say("no_more_bets")
            while "is coming" not in service.heard().get("words", ""):
                pass
            service.process.send_signal(signal.SIGTERM)
            status, _out, err = service.ended()
        assert (status, err.count("Traceback")) == (0, 0), err
        stopped = _kinds(service.journal)
        with Listener(str(tmp_path / "notify")) as listener, Service(tmp_path, config, listener) as again:
            while "Take" not in (words := listener.until("STATUS")["STATUS"]) and "floor" not in words:
                pass
            if "Take" in words:  # else the stop came while a card was in the rollers, which is a question for the floor
                world.ask(do="take_stack", to="1")
                while "for the dealer" not in listener.until("STATUS")["STATUS"]:
                    pass
            again.process.send_signal(signal.SIGTERM)
            assert again.ended()[0] == 0
        dispensed = world.ask(do="counters")["stacks_dispensed"]
    asked = [each["body"]["to"] for each in check(service.journal) if each["kind"] == "stack-requested"]
    assert stopped.count("stack-requested") == 1
    assert dispensed == len(set(asked)) or "floor" in words  # asked for again is only what never came
