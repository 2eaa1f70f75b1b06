"""`cardshoe unpair`: have a device and this computer forget their key.

Owns the arguments and the words. A key that a running table deals under stays. Exit status 0 done, 2 wrong usage, key
store or a key in use, 3 the device could not be had.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Annotated

import typer

from cardshoe.cli.pin_entry import PinEntry
from cardshoe.cli.signers import (
    AsOption,
    KeyOption,
    PeopleOption,
    PinFdOption,
    SecondKeyOption,
    SecondOption,
    Signers,
    signed_or_user,
)
from cardshoe.clock import SystemClock
from cardshoe.errors import ConfigError
from cardshoe.table.keystore import KeyEntry, KeyStore
from cardshoe.table.pairing_desk import unpair
from cardshoe.table.roles import Matter
from cardshoe.table.sealed_devices import default_store


def command(
    key_id: Annotated[str, typer.Argument(metavar="KEY", help="The key, as `cardshoe keys` lists it.")],
    *,
    url: Annotated[str | None, typer.Option(help="Where the device answers; it forgets the key first.")] = None,
    only_here: Annotated[
        bool, typer.Option("--only-here", help="The device is gone or was reset: forget the key here alone.")
    ] = False,
    keys: Annotated[Path | None, typer.Option(metavar="DIR", help="The key store.")] = None,
    people: PeopleOption = None,
    by: AsOption = None,
    key: KeyOption = None,
    second: SecondOption = None,
    second_key: SecondKeyOption = None,
    pin_fd: PinFdOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Answer in JSON.")] = False,
) -> None:
    """Have the device forget the key, then forget it here. Give the device's --url, or --only-here."""
    if (url is None) is not only_here:
        raise ConfigError(
            "unpair-where", "Give the device's --url, or --only-here where it is gone; not both. Nothing was done."
        )
    store = KeyStore(default_store() if keys is None else keys)
    entry = _entry(store, key_id)
    with store.claimed(entry.info.key_id):
        signed_or_user(people, Matter.UNPAIR_DEVICE, Signers(by, key, second, second_key, PinEntry(pin_fd)))
        if url is None:
            store.remove(entry.info.key_id)
        else:
            asyncio.run(unpair(url, entry, store, clock=SystemClock()))
    where = (
        "here alone; hold the button inside its door for 10 s to have the device forget it"
        if only_here
        else "there and here"
    )
    told = {
        "key_id": entry.info.key_id,
        "kind": entry.info.kind,
        "serial": entry.info.serial,
        "at_device": not only_here,
    }
    print(
        json.dumps(told) if as_json else f"Key {key_id} of the {entry.info.kind} {entry.info.serial} is gone {where}."
    )


def _entry(store: KeyStore, key_id: str) -> KeyEntry:
    for entry in store.entries():
        if entry.info.key_id == key_id:
            return entry
    raise ConfigError("key-missing", f"{store.directory} holds no key {key_id!r}; `cardshoe keys` lists them.")
