"""`cardshoe keys`: which devices this computer is paired with.

Owns the words and the JSON; no key is ever shown. Exit status 0 shown, 2 a key store that cannot be used.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from cardshoe.counted import counted
from cardshoe.table.keystore import KeyInfo, KeyStore
from cardshoe.table.sealed_devices import default_store


def command(
    *,
    keys: Annotated[Path | None, typer.Option(metavar="DIR", help="The key store.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a key.")] = False,
) -> None:
    """List the devices that this computer is paired with; no key is shown."""
    store = KeyStore(default_store() if keys is None else keys)
    found = store.list()
    for info in found:
        print(json.dumps(_plain(info)) if as_json else _words(info))
    if not found and not as_json:
        print(f"No device is paired here ({store.directory}).")


def _plain(info: KeyInfo) -> dict[str, object]:
    return {
        "key_id": info.key_id,
        "kind": info.kind,
        "model": info.model,
        "serial": info.serial,
        "role": info.role.name.lower(),
        "auditor": None if info.auditor is None else info.auditor.hex(),
        "sealed_count": info.sealed_count,
        "paired_at": info.paired_at,
        "paired_by": info.paired_by,
    }


def _words(info: KeyInfo) -> str:
    auditor = "no auditor" if info.auditor is None else f"auditor {info.auditor.hex()[:16]}…"
    return (
        f"{info.key_id}  {info.kind} {info.serial} (model {info.model}), {info.role.name.lower()}, {auditor},"
        f" {counted(info.sealed_count, 'session')}, paired {info.paired_at} by {info.paired_by}"
    )
