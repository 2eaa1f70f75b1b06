"""`cardshoe pair URL`: make a key with a device, standing at it.

Owns the arguments, where the label secret comes from (a terminal without echo, or a descriptor; never the command line,
which every process of the machine can read) and the words. Exit status 0 paired, 1 the label secret is none, 2 wrong
usage or key store, 3 the device could not be had or refused.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
import sys
from pathlib import Path
from typing import Annotated, Final

import typer

from cardshoe.cli.hidden_entry import typed_hidden
from cardshoe.cli.pin_entry import PinEntry
from cardshoe.cli.signers import (
    FD_MOST,
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
from cardshoe.link.messages import Role
from cardshoe.link.pairing import HOST_NAME_MAX, NO_AUDITOR, PairingWish, parse_label
from cardshoe.table.audit import public_auditor_key
from cardshoe.table.keystore import KeyStore
from cardshoe.table.pairing_desk import PairingOrder, pair
from cardshoe.table.roles import Matter
from cardshoe.table.sealed_devices import default_store

_ROLES: Final = tuple(role.name.lower() for role in Role)
_LABEL_MAX: Final = 200


def command(
    url: Annotated[str, typer.Argument(help="serial:///dev/…, tcp://HOST:PORT or usb://VID:PID/SERIAL")],
    *,
    role: Annotated[str, typer.Option(help="What the key may open: deal, or service.")],
    auditor: Annotated[
        str | None, typer.Option(metavar="FILE|HEX", help="The auditor's public key: a PEM file, or 64 hex digits.")
    ] = None,
    name: Annotated[str | None, typer.Option(help="This computer's name at the device, at most 16 letters.")] = None,
    kind: Annotated[str | None, typer.Option(help="shoe or reader; left out: what the device says it is.")] = None,
    keys: Annotated[Path | None, typer.Option(metavar="DIR", help="The key store.")] = None,
    label_fd: Annotated[
        int | None,
        typer.Option("--label-fd", min=0, max=FD_MOST, metavar="N", help="Read the label secret from this descriptor."),
    ] = None,
    wait_s: Annotated[int, typer.Option("--wait-s", min=1, max=600, help="How long to wait for the button.")] = 120,
    people: PeopleOption = None,
    by: AsOption = None,
    key: KeyOption = None,
    second: SecondOption = None,
    second_key: SecondKeyOption = None,
    pin_fd: PinFdOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Answer in JSON.")] = False,
) -> None:
    """Make a key with a device whose pairing button you have pressed, and store it. A new key replaces an old one."""
    if role not in _ROLES:
        raise ConfigError("pair-role", f"--role {role!r} is none; write one of {', '.join(_ROLES)}. Nothing was done.")
    if kind not in (None, "shoe", "reader"):
        raise ConfigError("pair-role", f"--kind {kind!r} is none; write shoe or reader. Nothing was done.")
    wish = PairingWish(
        label_secret=parse_label(_label(label_fd)),
        role=Role[role.upper()],
        host_name=_host_name(name),
        auditor=NO_AUDITOR if auditor is None else public_auditor_key(auditor),
    )
    store = KeyStore(default_store() if keys is None else keys, create=True)
    signers = Signers(by, key, second, second_key, PinEntry(pin_fd))
    order = PairingOrder(url, kind, wish, float(wait_s), signed_or_user(people, Matter.PAIR_DEVICE, signers))
    dealing = {each.key_id for each in store.list() if store.in_use(each.key_id)}
    info = asyncio.run(pair(order, store, clock=SystemClock(), tell=_tell))
    if dealing - {each.key_id for each in store.list()}:
        _tell("A table runs on the key that this one replaces, and will lose its device: start it again.")
    if as_json:
        told = {"kind": info.kind, "model": info.model, "serial": info.serial, "role": role, "key_id": info.key_id}
        print(json.dumps(told))
        return
    print(f"Paired with the {info.kind} {info.serial} (model {info.model}) for {role}; key {info.key_id}.")
    print(f"Write security = 'sealed' in [devices.{info.kind}] of the table's configuration.")


def _tell(words: str) -> None:
    print(words, file=sys.stderr, flush=True)


def _host_name(name: str | None) -> str:
    if name is None:
        return re.sub(r"[^ -~]", "-", socket.gethostname())[:HOST_NAME_MAX] or "host"
    if not 1 <= len(name) <= HOST_NAME_MAX or not all(" " <= letter <= "~" for letter in name):
        raise ConfigError(
            "pair-name", f"--name {name!r} does not fit; write 1 to {HOST_NAME_MAX} letters of ASCII. Nothing was done."
        )
    return name


def _line_of(descriptor: int) -> str:
    """Return the first line: who writes it may do so piece by piece."""
    line = b""
    while len(line) < _LABEL_MAX and b"\n" not in line and (more := os.read(descriptor, _LABEL_MAX - len(line))):
        line += more
    return line.decode("utf-8", "replace").split("\n")[0]


def _label(descriptor: int | None) -> str:
    if descriptor is not None:
        try:
            return _line_of(descriptor)
        except OSError as error:
            raise ConfigError("label-entry", f"--label-fd {descriptor} cannot be read: {error.strerror}.") from error
    return typed_hidden(
        "Label secret, as printed inside the device's door: ",
        "label-entry",
        what="the label secret",
        instead="Give --label-fd N, a descriptor with it.",
    )
