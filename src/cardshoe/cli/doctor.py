"""`cardshoe doctor [URL…]`: what is right and wrong with this computer and with the ports of devices.

Owns the command's options, the opening of each URL's port and the two forms of output; the checks of the computer are
in `cli.doctor_checks`, those of adapters and USB devices in `cli.doctor_hardware`. Exit status 0: all is well; 1: a
check failed; 2: a device URL or a configuration is wrong; 3: a port cannot be had.

Opening a port has side effects (FR-03): a port that a running table holds is refused as in use and left alone.
"""

from __future__ import annotations

import asyncio
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Final

import typer

from cardshoe.bounded_files import read_at_most
from cardshoe.cli.doctor_checks import Check, Computer, all_checks
from cardshoe.cli.doctor_hardware import hardware_checks
from cardshoe.errors import ConfigError, DeviceError
from cardshoe.table.config import CONFIG_MOST, parse_config
from cardshoe.transport import DeviceUrl, SerialUrl, open_transport, parse_device_url
from cardshoe.transport.serial_port import vanished

LISTEN_S: Final = 0.3
LOOK_EVERY_S: Final = 0.02
STAYS_S: Final = 1.0
"""A port that was there for so long is tried."""


@dataclass(frozen=True, slots=True)
class Probe:
    """What became of opening one URL; `code` is None where it opened and stayed."""

    url: str
    ok: bool
    code: str | None
    text: str


def command(
    urls: Annotated[list[str] | None, typer.Argument(metavar="[URL...]", help="device URLs whose ports to try")] = None,
    config: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="a table's configuration: the ports of its devices are tried, too"),
    ] = None,
    state: Annotated[Path | None, typer.Option(help="the folder that will hold journal and keys")] = None,
    watch: Annotated[
        float, typer.Option(min=0.0, max=600.0, help="seconds to wait for a port that is not there")
    ] = 0.0,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON object on standard output")] = False,
) -> None:
    """Check ports, permissions and this computer, and say what to do about each fault."""
    devices = [parse_device_url(text) for text in (*(urls or []), *_configured(config))]
    computer = Computer(state=state or default_state())
    checks = [*all_checks(computer), *hardware_checks(computer)]
    probes = asyncio.run(_probe_all(devices, watch))
    if as_json:
        ok = all(check.ok for check in checks) and all(probe.ok for probe in probes)
        print(json.dumps({"ok": ok, "checks": [asdict(c) for c in checks], "devices": [asdict(p) for p in probes]}))
    else:
        _show(checks, probes)
    if not all(probe.ok for probe in probes):
        raise typer.Exit(3)
    if not all(check.ok for check in checks):
        raise typer.Exit(1)


def _configured(path: Path | None) -> list[str]:
    """Return the device URLs of a configuration file. Raises ConfigError as the table itself does."""
    if path is None:
        return []
    try:
        text = read_at_most(path, CONFIG_MOST).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not text"
        raise ConfigError("config-file", f"{path} cannot be read: {why}. Name a table's configuration.") from error
    devices = parse_config(text, str(path)).devices
    return [part.url for part in (devices.shoe, devices.reader) if part is not None]


def default_state() -> Path:
    """Return the user's folder for state that must last."""
    base = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(base) / "cardshoe"


async def _probe_all(devices: list[DeviceUrl], watch_s: float) -> list[Probe]:
    return [await probe(device, watch_s=watch_s) for device in devices]


async def probe(device: DeviceUrl, *, watch_s: float = 0.0) -> Probe:
    """Open the port, listen for a moment, close it. Nothing is sent.

    A serial port that is not there is waited for, `watch_s` seconds long. Raises ConfigError for a simulated device.
    """
    try:
        if isinstance(device, SerialUrl) and watch_s:
            await _appear(device.path, watch_s)
        came = await _listen(device)
    except DeviceError as error:
        return Probe(str(device), False, error.code, error.text)
    unasked = f"; {came} bytes came unasked, which a device of ours does not send" if came else ""
    return Probe(str(device), True, None, f"{device} opens and stays{unasked}.")


async def _listen(device: DeviceUrl) -> int:
    transport = await open_transport(device)
    loop = asyncio.get_running_loop()
    lost: asyncio.Future[DeviceError] = loop.create_future()
    chunks: list[bytes] = []
    try:
        transport.start(loop, chunks.append, lost.set_result)
        await asyncio.wait([lost], timeout=LISTEN_S)
    finally:
        transport.close()
    if lost.done():
        raise lost.result()
    return sum(map(len, chunks))


async def _appear(path: str, watch_s: float) -> None:
    """Wait until the port is there and stays a moment. Raises DeviceError `port-vanished` when it came and went "
    "only."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + watch_s
    there_since: float | None = None
    times = 0
    while loop.time() < deadline:
        there = os.path.exists(path)
        if there and there_since is None:
            there_since, times = loop.time(), times + 1
        elif not there:
            there_since = None
        if there_since is not None and loop.time() - there_since > STAYS_S:
            return
        await asyncio.sleep(LOOK_EVERY_S)
    if times and there_since is None:
        raise vanished(path, f"it came and went {times} times in {watch_s:g} s")


def _show(checks: list[Check], probes: list[Probe]) -> None:
    for check in checks:
        print(f"{'ok ' if check.ok else 'FIX'}  {check.name}: {check.found}")
        if check.advice:
            print(f"       {check.advice}")
    for one in probes:
        print(f"{'ok ' if one.ok else 'FIX'}  {one.text if one.ok else f'{one.code}: {one.text}'}")
