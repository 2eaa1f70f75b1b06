"""Runs inside a Debian whose process 1 is systemd, as a unit of it: installs the table, runs it, kills it, boots again.

Standard library only, and nothing of cardshoe but its commands: what is seen here is what a technician sees. What was
seen goes into a file of the computer outside, as one JSON object a line. Started by `systemd_bench` only.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any

CARDSHOE = "/opt/cardshoe/bin/cardshoe"
CONFIG = Path("/etc/cardshoe/table.toml")
JOURNAL = "/var/lib/cardshoe/journal.sqlite"
OUTSIDE = Path("/outside")
CONTROL = "/run/hands"
SHOE = 7001
PATIENCE_S = 120.0
ORIGIN = "http://127.0.0.1:8350"


def tell(what: str, **seen: object) -> None:
    """Write one observation where the computer outside reads it."""
    with (OUTSIDE / "seen.jsonl").open("a") as file:
        file.write(json.dumps({"what": what, "at_s": round(time.monotonic(), 1), **seen}) + "\n")


def called(*words: str) -> tuple[int, str]:
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    return ended.returncode, ended.stdout + ended.stderr


def shown(*names: str) -> dict[str, str]:
    """Return properties of the service."""
    _status, out = called("systemctl", "show", "cardshoe", *(f"--property={name}" for name in names))
    return dict(line.split("=", 1) for line in out.splitlines() if "=" in line)


def until(what: str, seen: Callable[[], Any]) -> Any:
    """Wait until `seen` returns something; raises when it never does."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        try:
            found = seen()
        except OSError:  # the console comes and goes with the service
            found = None
        if found:
            return found
        time.sleep(0.2)
    raise RuntimeError(f"{what} never came: {called('systemctl', 'status', '--no-pager', '-l', 'cardshoe')[1]}")


class Console:
    """A browser's manners."""

    def __init__(self) -> None:
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        self._token = str(self._ask("/api/session")["token"])

    def _ask(self, path: str, body: object = None) -> dict[str, Any]:
        request = urllib.request.Request(ORIGIN + path, None if body is None else json.dumps(body).encode())
        if body is not None:
            for name, value in (
                ("content-type", "application/json"),
                ("origin", ORIGIN),
                ("x-cardshoe-token", self._token),
            ):
                request.add_header(name, value)
        with self._opener.open(request, timeout=20) as answer:
            return dict(json.loads(answer.read()))

    def op(self, op: str, **fields: object) -> None:
        self._ask("/api/operations", {"op": op, **fields})

    @property
    def state(self) -> dict[str, Any]:
        return self._ask("/api/state")


def hands(**request: object) -> dict[str, Any]:
    """Ask the simulated table."""
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(CONTROL)
        line.sendall(json.dumps(request).encode() + b"\n")
        with line.makefile() as answers:
            return dict(json.loads(answers.readline()))


def start_world() -> subprocess.Popen[bytes]:
    """Start the simulated shoe; what it remembers outlives a boot."""
    told = ["--shoe", f"tcp:127.0.0.1:{SHOE}", "--control", CONTROL, "--state", "/var/tmp/world"]
    words = [CARDSHOE, "sim", *told, "--seed", "11", "--speed", "50"]
    world = subprocess.Popen(words, stdout=subprocess.DEVNULL)
    until("the simulated shoe", lambda: hands(do="counters")["ok"])
    return world


def round_seen() -> dict[str, Any]:
    """What everybody sees of the round: number, what is due, wagers, stacks that the machine really moved."""
    state = Console().state
    return {
        "round_id": state["round"],
        "due": {key: state["due"].get(key) for key in ("step", "to", "cards")},
        "wagers": [each["wagers"] for each in state["positions"]],
        "dispensed": hands(do="counters")["stacks_dispensed"],
    }


def due(step: str, to: str | None = None) -> bool:
    found = Console().state["due"]
    return bool(found["step"] == step and to in (None, found.get("to")))


def back_after(number: signal.Signals) -> dict[str, str]:
    """Send a signal to the service; wait until systemd has it back, as another process."""
    before = shown("MainPID", "NRestarts")
    os.kill(int(before["MainPID"]), number)

    def back() -> bool:
        now = shown("MainPID", "ActiveState", "NRestarts")
        return (
            now["ActiveState"] == "active"
            and now["MainPID"] != before["MainPID"]
            and now["NRestarts"] != before["NRestarts"]
        )

    until(f"the service after {number.name}", back)
    return shown("NRestarts", "ActiveState", "StatusText")


def confined() -> dict[str, str]:
    """What the kernel says of the process: who it is, what it may."""
    pid = shown("MainPID")["MainPID"]
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    told = dict(line.split(":", 1) for line in lines if ":" in line)
    seen = {name: told[name].strip() for name in ("CapEff", "CapBnd", "NoNewPrivs", "Seccomp")}
    return {**seen, "user": Path(f"/proc/{pid}").owner(), "mounts": str(_writable(pid))}


def probed() -> dict[str, str]:
    """Have a program try what it can under the table's own unit; the devices' own modes stand in no way."""
    called("mknod", "/dev/ttyS0", "c", "4", "64")  # this kernel has the driver and makes no node for it
    for device in ("/dev/ttyS0", "/dev/ubda"):
        called("chmod", "0666", device)
    lines = Path("/etc/systemd/system/cardshoe.service").read_text().splitlines()
    other = ("Type=", "ExecStart=", "Restart", "WatchdogSec=", "NotifyAccess=")
    kept = [line for line in lines if not line.startswith(other)]
    kept.insert(
        kept.index("[Service]") + 1, "Type=oneshot\nExecStart=/opt/cardshoe/bin/python3 -I /opt/confined_probe.py"
    )
    Path("/run/systemd/system/probe.service").write_text("\n".join(kept))
    called("systemctl", "daemon-reload")
    status, out = called("systemctl", "start", "probe")
    if status:
        return {"probe": out + called("journalctl", "-u", "probe", "--no-pager", "-o", "cat")[1]}
    return dict(json.loads(Path("/var/lib/cardshoe/probe.json").read_text()))


def _writable(pid: str) -> list[str]:
    """Where the service may write, of the file systems that are on a disk."""
    mounts = [line.split() for line in Path(f"/proc/{pid}/mounts").read_text().splitlines()]
    return sorted(where for _what, where, kind, how, *_ in mounts if kind == "ext4" and how.split(",")[0] == "rw")


def first_boot() -> None:
    """Install on a clean root, run, wait for the shoe, deal, hang, be killed, come back."""
    status, out = called(CARDSHOE, "install", "--systemd", "--json")
    tell("installed", status=status, out=out)
    CONFIG.write_text(
        CONFIG.read_text().replace("serial:///dev/serial/by-id/NAME-OF-THE-SHOE", f"tcp://127.0.0.1:{SHOE}")
    )
    tell("checked", out=called(CARDSHOE, "config", "check", str(CONFIG)))
    tell("enabled", out=called("systemctl", "enable", "--now", "cardshoe"))
    tell("ready", **shown("ActiveState", "SubState", "StatusText", "NRestarts", "WatchdogUSec"))
    start_world()
    until("the shoe", lambda: due("open_round"))
    until("the status", lambda: shown("StatusText")["StatusText"] == "Open the next round.")
    tell("connected", confined=confined(), probe=probed())
    console = Console()
    console.op("open_round", seats={"1": "Ann"})
    console.op("wager", position="1", player="Ann", wagers={"ante": 1000, "blind": 1000})
    console.op("no_more_bets")
    until("the first stack", lambda: due("take_stack", "1"))
    tell("before the watchdog", round=round_seen(), **shown("StatusText"))
    after = back_after(signal.SIGSTOP)
    until("the round", lambda: due("take_stack", "1"))
    tell("after the watchdog", round=round_seen(), **after)
    after = back_after(signal.SIGKILL)
    until("the round", lambda: due("take_stack", "1"))
    tell("after a kill", round=round_seen(), **after)
    hands(do="take_stack", to="1")
    until("the dealer's stack", lambda: due("take_stack", "dealer"))
    tell("dealt on", round=round_seen())
    tell("log", out=called("journalctl", "-u", "cardshoe", "--no-pager", "-o", "cat")[1][-4000:])


def second_boot() -> None:
    """Nobody starts anything: the table is there, with its round; then it is stopped, and uninstalled."""
    start_world()  # whose power was cut with the table's, so that the floor is asked
    until("the service", lambda: shown("ActiveState")["ActiveState"] == "active")
    alarm = until("the question", lambda: Console().state["alarm"])
    tell("after a boot", round=round_seen(), alarm=alarm["code"], **shown("NRestarts"))
    Console().op("clear", code=alarm["code"], choice="continue", role="floor", reason="hands compared")
    until("the dealer's stack", lambda: due("take_stack", "dealer"))
    tell("ruled", round=round_seen())
    tell("without a watchdog", **hung())
    tell("stopped", out=called("systemctl", "stop", "cardshoe"), **shown("ActiveState", "Result", "ExecMainStatus"))
    tell("verified", out=called(CARDSHOE, "journal", "verify", JOURNAL, "--json"))
    tell("replayed", out=called(CARDSHOE, "journal", "replay", JOURNAL, "--json"))
    tell("uninstalled", out=called(CARDSHOE, "uninstall", "--systemd", "--json"), journal=Path(JOURNAL).exists())
    tell("gone", out=called("systemctl", "is-active", "cardshoe"), unit=called("systemctl", "cat", "cardshoe")[0])


def hung() -> dict[str, object]:
    """The check itself: with the watchdog switched off a table that hangs is left so for longer than it took before."""
    extra = Path("/etc/systemd/system/cardshoe.service.d/no-watchdog.conf")
    extra.parent.mkdir()
    extra.write_text("[Service]\nWatchdogSec=0\n")
    called("systemctl", "daemon-reload")
    called("systemctl", "restart", "cardshoe")
    pid = shown("MainPID")["MainPID"]
    os.kill(int(pid), signal.SIGSTOP)
    time.sleep(30)
    same = shown("MainPID")["MainPID"] == pid
    os.kill(int(pid), signal.SIGCONT)
    extra.unlink()
    extra.parent.rmdir()
    called("systemctl", "daemon-reload")
    return {"hung": same}


def main() -> None:
    """Do what is this boot's, and power off."""
    subprocess.run(["mount", "-t", "hostfs", "-o", sys.argv[1], "none", str(OUTSIDE)], check=True)
    try:
        (second_boot if CONFIG.exists() else first_boot)()
        tell("done")
    except Exception as error:  # noqa: BLE001 — whatever it was, the computer outside has to hear of it
        tell("broken", error=repr(error))
    finally:
        os.sync()
        subprocess.run(["systemctl", "poweroff", "--no-block"], check=False)


if __name__ == "__main__":
    main()
