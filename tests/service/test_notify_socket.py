"""A service manager is told when the table is ready, what is due, that it still turns, and that it ends."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from pathlib import Path

import pytest
from service_kit import BY_HAND, Listener, Service

from cardshoe.errors import ConfigError
from cardshoe.journal import verify
from cardshoe.table.notify_socket import NotifySocket, NotifyTerms, notify_terms

PID = 4711


@pytest.mark.parametrize(
    ("environment", "terms"),
    [
        ({}, None),
        ({"WATCHDOG_USEC": "1000000"}, None),
        ({"NOTIFY_SOCKET": ""}, None),
        ({"NOTIFY_SOCKET": "/run/notify"}, NotifyTerms("/run/notify")),
        ({"NOTIFY_SOCKET": "@of/an/init", "WATCHDOG_USEC": "3000000"}, NotifyTerms("@of/an/init", 3.0)),
        ({"NOTIFY_SOCKET": "/n", "WATCHDOG_USEC": "500000", "WATCHDOG_PID": str(PID)}, NotifyTerms("/n", 0.5)),
        ({"NOTIFY_SOCKET": "/n", "WATCHDOG_USEC": "500000", "WATCHDOG_PID": "1"}, NotifyTerms("/n")),
    ],
)
def test_what_the_environment_says(environment: dict[str, str], terms: NotifyTerms | None) -> None:
    assert notify_terms(environment, PID) == terms


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("NOTIFY_SOCKET", "run/notify"),
        ("NOTIFY_SOCKET", "/"),
        ("NOTIFY_SOCKET", "vsock:2:1"),
        ("WATCHDOG_USEC", "0"),
        ("WATCHDOG_USEC", "-5"),
        ("WATCHDOG_USEC", "3s"),
        ("WATCHDOG_USEC", "²"),
    ],
)
def test_what_cannot_be_used_is_refused_by_name(name: str, value: str) -> None:
    with pytest.raises(ConfigError) as refused:
        notify_terms({"NOTIFY_SOCKET": "/n", **{name: value}}, PID)
    assert refused.value.code == "notify-socket"
    assert f"{name} = {value!r}" in refused.value.text


def test_without_a_service_manager_nothing_happens() -> None:
    """No socket is opened, nothing is watched."""

    async def turn() -> None:
        raise AssertionError("nobody asked")

    before = len(os.listdir("/proc/self/fd"))
    notices = NotifySocket(None)
    notices.ready("x")
    asyncio.run(notices.watch(turn))
    notices.stopping("y")
    assert len(os.listdir("/proc/self/fd")) == before
    notices.close()


def _address(folder: Path, kind: str) -> str:
    return f"@cardshoe-test-{os.getpid()}" if kind == "abstract" else str(folder / "notify")


@pytest.mark.parametrize("kind", ["path", "abstract"])
def test_one_datagram_holds_one_piece_of_news(tmp_path: Path, kind: str) -> None:
    with Listener(_address(tmp_path, kind)) as listener:
        notices = NotifySocket(NotifyTerms(listener.address))
        notices.status("The table is being opened.")
        notices.ready("Open the round.\nREADY=0")
        notices.stopping("")
        notices.close()
        notices.status("after the end")
        listener.all_the_rest()
    assert listener.told == [
        {"STATUS": "The table is being opened."},
        {"READY": "1", "STATUS": "Open the round. READY=0"},  # words cannot make a line of their own
        {"STOPPING": "1", "STATUS": ""},
    ]


def test_a_socket_that_is_full_is_told_the_newest_later(tmp_path: Path) -> None:
    """The table does not wait for it; once it is read, it hears of each thing the last that there was."""

    async def main(listener: Listener) -> None:
        notices = NotifySocket(NotifyTerms(listener.address))
        filler = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        filler.setblocking(False)
        with filler, pytest.raises(BlockingIOError):
            while True:
                filler.sendto(b"FILLED=1", listener.address)
        notices.ready("first")
        notices.status("second")
        listener.all_the_rest()
        assert {"READY" in told for told in listener.told} == {False}
        heard = await asyncio.get_running_loop().run_in_executor(None, listener.hear)
        assert heard == {"READY": "1", "STATUS": "second"}
        notices.close()

    with Listener(str(tmp_path / "notify")) as listener:
        asyncio.run(main(listener))


def test_a_service_manager_that_is_away_ends_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """It is told once, by address; who comes back hears what was not told, with the next news."""
    address = str(tmp_path / "notify")
    notices = NotifySocket(NotifyTerms(address))
    notices.ready("first")
    notices.status("second")
    assert [record.getMessage() for record in caplog.records] == [
        f"the service manager cannot be told how the table stands: {address}: No such file or directory"
    ]
    with Listener(address) as listener:
        notices.status("third")
        assert listener.hear() == {"READY": "1", "STATUS": "third"}
    notices.close()


def test_no_beat_comes_before_the_table_has_turned(tmp_path: Path) -> None:
    """A loop that turns is not enough: a table that waits for its disk for ever is not told to be alive."""

    async def main(listener: Listener) -> list[int]:
        notices = NotifySocket(NotifyTerms(listener.address, watchdog_s=0.002))
        may_turn, turns, beats = asyncio.Semaphore(0), 0, list[int]()

        async def turn() -> None:
            nonlocal turns
            await may_turn.acquire()
            turns += 1

        watching = asyncio.ensure_future(notices.watch(turn))
        for _ in range(5):
            await asyncio.sleep(0.01)  # many intervals, in which no beat may come
            listener.all_the_rest()
            beats.append(len(listener.told))
            may_turn.release()
            assert await asyncio.get_running_loop().run_in_executor(None, listener.hear) == {"WATCHDOG": "1"}
            assert turns == len(listener.told)
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)
        notices.close()
        return beats

    with Listener(str(tmp_path / "notify")) as listener:
        assert asyncio.run(main(listener)) == [0, 1, 2, 3, 4]


def test_a_table_that_has_stopped_ends_its_watch(tmp_path: Path) -> None:
    async def failed() -> None:
        raise ConfigError("config-file", "x")

    with Listener(str(tmp_path / "notify")) as listener:
        notices = NotifySocket(NotifyTerms(listener.address, watchdog_s=1.0))
        with pytest.raises(ConfigError):
            asyncio.run(notices.watch(failed))
        listener.all_the_rest()
        notices.close()
    assert listener.told == []


# --- the process itself


@pytest.mark.parametrize("kind", ["path", "abstract"])
def test_real_a_service_from_its_start_to_its_end(tmp_path: Path, kind: str) -> None:
    """Nobody is at its input and it has no console: it stays until SIGTERM, status 0, the journal closed and signed."""
    with (
        Listener(_address(tmp_path, kind)) as listener,
        Service(tmp_path, BY_HAND, listener, watchdog_us=200_000) as service,
    ):
        assert listener.hear() == {"STATUS": "The table is being opened."}
        ready = listener.hear()
        assert ready["READY"] == "1"
        assert ready["STATUS"] == service.heard()["words"]
        for _ in range(3):
            assert listener.hear() == {"WATCHDOG": "1"}
        service.process.send_signal(signal.SIGTERM)
        assert listener.until("STOPPING") == {"STOPPING": "1", "STATUS": "The table is being closed."}
        status, _out, err = service.ended()
    assert (status, err) == (0, "")
    assert verify(service.journal).ok


def test_real_the_status_is_the_words_of_what_is_due(tmp_path: Path) -> None:
    """Step by step the same words as everybody at the table sees; no watchdog where none is asked for."""
    with (
        Listener(str(tmp_path / "notify")) as listener,
        Service(tmp_path, BY_HAND, listener, lines=True) as service,
    ):
        service.say("open_round", seats={"1": "Ann"})
        service.say("wager", position="1", player="Ann", wagers={"ante": 1000, "blind": 1000})
        service.say("no_more_bets")
        words: list[str] = []
        while not words or "deal_card" not in words[-1]:
            if "words" in (heard := service.heard()):
                words.append(f"{heard['due']['step']}: {heard['words']}")
        service.process.send_signal(signal.SIGTERM)
        listener.until("STOPPING")
        status, _out, _err = service.ended()
    told = [each["STATUS"] for each in listener.told]
    assert status == 0
    assert len(words) >= 3
    assert told[1:-1] == [each.partition(": ")[2] for each in words]
    assert not any("WATCHDOG" in each for each in listener.told)


def test_real_a_start_that_fails_is_told(tmp_path: Path) -> None:
    """The reason stands in the status, the exit status is that of the error."""
    config = BY_HAND.replace('method = "hand"\n', "") + '[devices.shoe]\nurl = "serial:///dev/not-there"\n'
    with Listener(str(tmp_path / "notify")) as listener, Service(tmp_path, config, listener) as service:
        ended = listener.until("STOPPING")
        status, _out, err = service.ended()
    assert status == 3
    assert "/dev/not-there" in ended["STATUS"]
    assert ended["STATUS"] in err
    assert not any("READY" in told for told in listener.told)


def test_real_an_address_that_cannot_be_told_starts_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOTIFY_SOCKET", "vsock:2")
    with Service(tmp_path, BY_HAND, None) as service:
        status, out, err = service.ended()
    assert (status, out) == (2, "")
    assert "vsock:2" in err
    assert not service.journal.exists()
