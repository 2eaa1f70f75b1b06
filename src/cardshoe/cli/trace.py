"""`cardshoe trace`: what passes between a host and a device, recorded, shown, compared, played again.

Owns the commands' options and output; recordings are read in `trace_files`, the line in the middle is `trace_relay`.
Exit status 0: done, or nothing differs; 1: a recording cannot be read, or something differs; 2: a port or option is
wrong; 3: a device cannot be had or was lost.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from cardshoe.cli.trace_diff import PULSE, differences, essence
from cardshoe.cli.trace_dissector import dissector as make_dissector
from cardshoe.cli.trace_files import Recording, read_recording
from cardshoe.cli.trace_relay import HostPort, open_host_port
from cardshoe.cli.trace_replay import PATIENCE_S, DeviceSide, HostSide
from cardshoe.counted import counted
from cardshoe.errors import ConfigError, DeviceError
from cardshoe.transport import Tap, TraceFile, open_transport
from cardshoe.transport.tap import Redact
from cardshoe.wire.redaction import Redaction
from cardshoe.wire.transcript import Said

app = typer.Typer(no_args_is_help=True, help=__doc__.splitlines()[0] if __doc__ else None)

PORT_HELP: Final = "the port for the host: pty:LINK or tcp:HOST:PORT"
DEVICE_HELP: Final = "what it is of, where no HELLO says so: shoe or reader"
TURN_S: Final = 0.02
LINGER_S: Final = 1.0
"""How long the host's side listens for late events after its last word."""

Device = Annotated[str | None, typer.Option("--device", metavar="KIND", help=DEVICE_HELP)]
AsJson = Annotated[bool, typer.Option("--json", help="JSON Lines on standard output")]


@app.command()
def record(
    url: Annotated[str, typer.Argument(metavar="URL", help="the device")],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="the recording; it is private to this user")],
    port: Annotated[str, typer.Option(help=PORT_HELP)],
    seconds: Annotated[float | None, typer.Option(min=0.0, help="end by itself after so long")] = None,
    *,
    redact: Annotated[
        bool, typer.Option("--redact", help="keep no face, salt or proof: cards of players are on the line")
    ] = False,
) -> None:
    """Stand between a host and a device, and keep every byte of both, until Ctrl-C."""
    asyncio.run(_record(url, file, port, seconds, Redaction().feed if redact else None))


async def _record(url: str, file: Path, port: str, seconds: float | None, redact: Redact | None) -> None:
    device = Tap(await open_transport(url), file=TraceFile(str(file)), redact=redact)
    lost: asyncio.Future[DeviceError] = asyncio.get_running_loop().create_future()
    host: HostPort | None = None
    try:
        host = await open_host_port(port, device.write)
        device.start(asyncio.get_running_loop(), host.write, lost.set_result)
        print(f"ready: {host.url} leads to {url}; recording to {file}", flush=True)
        await asyncio.wait([lost], timeout=seconds)
    finally:
        device.close()
        if host is not None:
            host.close()
    if lost.done():
        raise lost.result()


@app.command()
def show(
    file: Annotated[Path, typer.Argument(metavar="FILE")],
    device: Device = None,
    pulse: Annotated[bool, typer.Option("--pulse", help="heartbeats and STATUS, too")] = False,
    unmask: Annotated[bool, typer.Option("--unmask", help="show faces and other secrets of a bench's line")] = False,
    as_json: AsJson = False,
) -> None:
    """Show a recording as messages. Faces, salts and proofs are masked."""
    recording = read_recording(file, device)
    hidden = 0
    for one in recording.said():
        if one.name in PULSE and not pulse:
            hidden += 1
            continue
        shown = one if unmask else one.masked()
        print(_json_line(shown) if as_json else _line(shown, recording.began))
    if not as_json:
        if recording.lost:
            print(f"the line was lost: {recording.lost}")
        if hidden:
            print(f"({hidden} heartbeats, states and acknowledgements are not shown: --pulse)")


def _line(one: Said, began: float) -> str:
    number = "" if one.sequence is None else f"#{one.sequence:<3d} "
    return f"{one.t - began:10.3f} s {'→' if one.way == 'out' else '←'} {number}{one.text()}"


def _json_line(one: Said) -> str:
    plain = asdict(one) | {"raw": one.raw.hex()}
    plain["fields"] = {key: value.hex() if isinstance(value, bytes) else value for key, value in one.fields.items()}
    return json.dumps(plain, ensure_ascii=False)


@app.command()
def diff(
    first: Annotated[Path, typer.Argument(metavar="FIRST")],
    second: Annotated[Path, typer.Argument(metavar="SECOND")],
    device: Device = None,
    pulse: Annotated[bool, typer.Option("--pulse", help="compare heartbeats and STATUS, too")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON object on standard output")] = False,
) -> None:
    """Compare two recordings by what was said, not by when; exit status 1 when something differs."""
    texts = [essence(read_recording(path, device).said(), pulse=pulse) for path in (first, second)]
    _tell(list(differences(*texts)), as_json=as_json, same=f"the same {counted(len(texts[0]), 'message')}")


def _tell(found: list[str], *, as_json: bool, same: str) -> None:
    if as_json:
        print(json.dumps({"same": not found, "differences": found}, ensure_ascii=False))
    else:
        print("\n".join(found) if found else same)
    if found:
        raise typer.Exit(1)


@app.command()
def replay(
    file: Annotated[Path, typer.Argument(metavar="FILE")],
    to: Annotated[str | None, typer.Option("--to", metavar="URL", help="play the host's side to this device")] = None,
    port: Annotated[str | None, typer.Option(help="play the device's side; " + PORT_HELP)] = None,
    seconds: Annotated[float | None, typer.Option(min=0.0, help="end by itself after so long")] = None,
    patience: Annotated[
        float, typer.Option(min=0.0, help="seconds to wait for each thing the device said")
    ] = PATIENCE_S,
    device: Device = None,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON object on standard output")] = False,
) -> None:
    """Play one side of a recording: the host's to a device (--to), or the device's to a driver (--port).

    What hands did (a stack taken, a deck put in) is done again by hand. Exit status 1 when the other side says
    something else than was recorded.
    """
    if (to is None) == (port is None):
        raise ConfigError("trace-side", "Say --to URL to play the host's side, or --port to play the device's.")
    recording = read_recording(file, device)
    if to is not None:
        found = asyncio.run(_as_host(HostSide(recording, patience_s=patience), to, seconds))
    else:
        found = asyncio.run(_as_device(recording, port or "", seconds))
    _tell(found, as_json=as_json, same="everything went as recorded")


async def _as_device(recording: Recording, port: str, seconds: float | None) -> list[str]:
    side = DeviceSide(recording)
    host: HostPort | None = None
    ended = asyncio.Event()

    def came(data: bytes) -> None:
        answer = side.receive(data, time.monotonic())
        if host is not None and answer:
            host.write(answer)
        if not side.left:
            asyncio.get_running_loop().call_later(LINGER_S, ended.set)

    host = await open_host_port(port, came)
    try:
        print(f"ready: {host.url}", flush=True)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(ended.wait(), seconds)
    finally:
        host.close()
    missing = [f"- {side.left} recorded messages of the host did not come"] if side.left else []
    return [f"+ → {text}" for text in side.strayed] + missing


async def _as_host(side: HostSide, url: str, seconds: float | None) -> list[str]:
    transport = await open_transport(url)
    loop = asyncio.get_running_loop()
    lost: asyncio.Future[DeviceError] = loop.create_future()
    write: Callable[[bytes], Any] = transport.write
    end = None if seconds is None else loop.time() + seconds
    quiet_since: float | None = None
    try:
        transport.start(loop, lambda data: write(side.receive(data, loop.time())), lost.set_result)
        while not lost.done() and (end is None or loop.time() < end):
            write(side.advance(loop.time()))
            if side.done:
                quiet_since = quiet_since or loop.time()
                if loop.time() - quiet_since > LINGER_S:
                    break
            await asyncio.wait([lost], timeout=TURN_S)
    finally:
        transport.close()
    if lost.done():
        raise lost.result()
    return list(differences(essence(side.recorded), essence(side.heard)))


@app.command()
def dissector() -> None:
    """Print a Wireshark dissector in Lua, made from the protocol files: `cardshoe trace dissector > cardshoe.lua`."""
    print(make_dissector(), end="")
