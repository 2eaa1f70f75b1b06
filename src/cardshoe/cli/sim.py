"""`cardshoe sim`: one simulated world as a process.

Owns the command line of the simulator and its ready line. The world itself is in `cardshoe.sim`.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Annotated

import typer

from cardshoe.errors import ConfigError
from cardshoe.sim import mutations
from cardshoe.sim.errors import SimError
from cardshoe.sim.ports import Address, parse_address
from cardshoe.sim.process import Addresses, Settings, read_faults, serve
from cardshoe.sim.world import checked_capabilities

HANDS_HELP = 'Unix socket for the dealer\'s hands and for faults, JSON Lines; {"do": "help"} lists what it takes.'
_SEED = re.compile(r"-?[0-9]{1,40}")


def command(
    control: Annotated[Path, typer.Option(help=HANDS_HELP)],
    shoe: Annotated[str | None, typer.Option(help="pty:LINK or tcp:HOST:PORT; port 0 takes a free one.")] = None,
    reader: Annotated[str | None, typer.Option(help="The table reader's port, as for --shoe.")] = None,
    seed: Annotated[
        str | None, typer.Option(help="A whole number: the same world again. Without: real chance.")
    ] = None,
    speed: Annotated[float, typer.Option(help="How many times faster the mechanism moves (never the link).")] = 1.0,
    faults: Annotated[Path | None, typer.Option(help="Fault data, JSON Lines.")] = None,
    state: Annotated[Path | None, typer.Option(help="Directory for the devices' memory and the cards.")] = None,
    mutate: Annotated[list[str] | None, typer.Option(help="Break this clause on purpose (repeatable).")] = None,
    shoe_can: Annotated[
        str, typer.Option(help="Comma-separated, of commits, reveals, envelopes, tells_faces; or none.")
    ] = "commits,reveals,envelopes",
    as_json: Annotated[bool, typer.Option("--json", help="Print the ready line as JSON.")] = False,
) -> None:
    """Run one simulated world: the shoe, the table reader and the table that they share."""
    try:
        settings = Settings(
            ports=_ports(shoe, reader),
            control=control,
            seed=_seed(seed),
            speed=speed,
            faults=() if faults is None else read_faults(faults),
            state_dir=state,
            mutations=mutations.checked(mutate or ()),
            shoe_can=_capabilities(shoe_can),
        )
        status = serve(settings, _announce_json if as_json else _announce)
    except SimError as error:
        raise ConfigError("sim-setup", str(error)) from error
    raise typer.Exit(status)


def _seed(text: str | None) -> int | None:
    if text is None:
        return None
    if not _SEED.fullmatch(text):
        raise SimError(f"--seed is {text!r}, wanted is a whole number")
    return int(text)


def _capabilities(text: str) -> frozenset[str]:
    return checked_capabilities(() if text == "none" else text.split(","))


def _ports(shoe: str | None, reader: str | None) -> dict[str, Address]:
    given = {"shoe": shoe, "reader": reader}
    return {name: parse_address(text) for name, text in given.items() if text is not None}


def _announce(addresses: Addresses) -> None:
    ports = "".join(f"{name} {spelled}, " for name, spelled in addresses.spelled.items())
    print(f"ready: {ports}control {addresses.control}", flush=True)


def _announce_json(addresses: Addresses) -> None:
    ready: dict[str, object] = {"ready": True}
    for name in ("shoe", "reader"):
        ready[name] = addresses.spelled.get(name)
        ready[f"{name}_url"] = addresses.urls.get(name)
    print(json.dumps({**ready, "control": addresses.control}), flush=True)
