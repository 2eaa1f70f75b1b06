"""`cardshoe version`: what is installed here, and whether every file of it is what was released.

Owns the options, the sentences and the exit status: 0 told, or everything fits; 1 a file was changed, is missing or was
added, the list is not signed by the key that was given, or there is nothing to compare with; 2 an option, key or list
that cannot be used. The comparison is `installed_files`, the bill of materials `bill_of_materials`.
"""

from __future__ import annotations

import json
import os
import platform
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Final

import typer

import cardshoe
from cardshoe.bounded_files import read_at_most
from cardshoe.cli.bill_of_materials import bill_of_materials, runtime_distributions
from cardshoe.cli.installed_files import (
    LIST_MOST,
    Differences,
    FileList,
    differences,
    install_kind,
    package_folder,
    parse_list,
    public_hex,
    recorded_list,
    signed_list,
)
from cardshoe.counted import counted
from cardshoe.errors import ConfigError, JournalError
from cardshoe.games.rule_pack import rules_digest
from cardshoe.journal.keyfile import load_key
from cardshoe.whole_files import write_whole
from cardshoe.wire.spec import DEVICE_PROTOCOLS, load_spec

PINNED: Final = Path("/etc/cardshoe")
"""Where a table's computer keeps the release's list (`files.json`) and the maker's public key (`release.pub`)."""
_KEY_MOST: Final = 1024
_KEY_BYTES: Final = 32
_KINDS: Final = {"wheel": "an installed wheel", "editable": "an editable installation", "source": "a tree of sources"}
_UNSIGNED: Final = "nobody signed this list: it shows damage, not a stranger's hand"


@dataclass(frozen=True, slots=True)
class Verified:
    """The verdict of `--verify`. `against`: what it was compared with; `why`: one sentence."""

    ok: bool
    install: str
    against: str
    signed: bool
    public_key: str
    why: str
    found: Differences


def command(
    *,
    verify: Annotated[bool, typer.Option("--verify", help="Compare every installed file with the list.")] = False,
    file_list: Annotated[
        Path | None, typer.Option("--list", metavar="FILE", help="The signed list (else /etc/cardshoe/files.json).")
    ] = None,
    public_key: Annotated[
        str | None, typer.Option(metavar="HEX", help="Who must have signed it (else /etc/cardshoe/release.pub).")
    ] = None,
    sbom: Annotated[bool, typer.Option("--sbom", help="The software bill of materials, CycloneDX JSON.")] = False,
    sign: Annotated[
        Path | None, typer.Option(metavar="KEY", help="Sign a list of what is installed here, with this Ed25519 key.")
    ] = None,
    to: Annotated[Path | None, typer.Option(metavar="FILE", help="Where the signed list is written.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Tell what is installed, and check it."""
    if sign is not None or to is not None:
        _sign(sign, to, as_json=as_json)
    elif sbom:
        print(json.dumps(bill_of_materials(), indent=None if as_json else 1, ensure_ascii=False))
    elif verify:
        _tell_verdict(verified(file_list, public_key), as_json=as_json)
    else:
        _tell(facts(), as_json=as_json)


def facts() -> dict[str, Any]:
    """Return what is installed: versions, and digests of the protocols and of the rules, as plain JSON."""
    folder = package_folder()
    return {
        "version": cardshoe.__version__,
        "install": install_kind(folder),
        "python": platform.python_version(),
        "protocols": {name: load_spec(name).hash.hex() for name in sorted(DEVICE_PROTOCOLS)},
        "rules": rules_digest(),
        "dependencies": {name: found.version for name, found in sorted(runtime_distributions().items())},
    }


def verified(file_list: Path | None, public_key: str | None) -> Verified:
    """Compare what is installed with the list and return the verdict. Raises `ConfigError`."""
    wanted: FileList | None
    folder = package_folder()
    kind, key = install_kind(folder), _trusted_key(public_key)
    path = file_list if file_list is not None else PINNED / "files.json"
    if file_list is not None or path.exists():
        wanted = parse_list(_read(path, LIST_MOST, "version-list"), str(path))
        against = str(path)
    else:
        wanted = recorded_list() if kind == "wheel" else None
        against = "the installer's own record"
    if wanted is None:
        none = Differences((), (), (), ())
        why = f"there is nothing to compare with: this is {_KINDS[kind]}; give --list FILE"
        return Verified(False, kind, "nothing", False, "", why, none)
    signed = key is not None and wanted.is_signed_by(key)
    found = differences(folder, wanted)
    why = _why(wanted, found, key=key, signed=signed)
    return Verified(found.none and (signed or key is None), kind, against, signed, key.hex() if key else "", why, found)


def _why(wanted: FileList, found: Differences, *, key: bytes | None, signed: bool) -> str:
    if not found.none:
        return "what is installed is not what the list says"
    if signed:
        return f"every file of version {wanted.version} is as it was signed"
    if key is not None:
        return "every file is as the list says, but the holder of the given key did not sign it"
    if wanted.signature:
        return "every file is as the list says; it has a signature, but no key was given to check it by"
    return f"every file is as the list says; {_UNSIGNED}"


def _trusted_key(given: str | None) -> bytes | None:
    pinned = PINNED / "release.pub"
    if given is None:
        if not pinned.exists():
            return None
        _require_unwritable(pinned)
    text = given if given is not None else _read(pinned, _KEY_MOST, "version-key").decode("ascii", "replace")
    try:
        key = bytes.fromhex(text.strip())
    except ValueError:
        key = b""
    if len(key) != _KEY_BYTES:
        where = "--public-key" if given is not None else str(pinned)
        raise ConfigError("version-key", f"{where} is not a public key: 64 hexadecimal digits are expected.")
    return key


def _require_unwritable(path: Path) -> None:
    """Refuse a pinned key that others than its owner, who must be the superuser or this user, may change."""
    for one in (path, path.parent):
        status = one.stat()
        if status.st_mode & 0o022 or status.st_uid not in (0, os.geteuid()):
            raise ConfigError(
                "version-key",
                f"{one} can be changed by others, so its key proves nothing. Run: chmod go-w {one}; chown root {one}.",
            )


def _read(path: Path, most: int, code: str) -> bytes:
    try:
        return read_at_most(path, most)
    except OSError as error:
        raise ConfigError(code, f"{path} cannot be read: {error.strerror}. Check the path.") from error


def _sign(key_path: Path | None, to: Path | None, *, as_json: bool) -> None:
    if key_path is None or to is None:
        raise ConfigError("version-sign", "--sign KEY and --to FILE go together.")
    try:
        key = load_key(key_path)
    except JournalError as error:
        raise ConfigError("version-sign", f"--sign: {error.text}") from error
    made = signed_list(package_folder(), key)
    try:
        write_whole(to, made.text().encode("ascii"), mode=0o644)
    except OSError as error:
        raise ConfigError("version-sign", f"--to {to} cannot be written: {error.strerror}.") from error
    told = {"files": len(made.files), "to": str(to), "public_key": public_hex(key)}
    print(
        json.dumps(told)
        if as_json
        else f"{counted(len(made.files), 'file')} signed in {to}; public key {public_hex(key)}."
    )


def _tell(told: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(told))
        return
    print(f"cardshoe {told['version']} ({told['install']}), Python {told['python']}")
    for name, digest in told["protocols"].items():
        print(f"{name} {digest}")
    print(f"rules {told['rules']}")
    for name, version in told["dependencies"].items():
        print(f"{name} {version}")


def _tell_verdict(verdict: Verified, *, as_json: bool) -> None:
    if as_json:
        plain = asdict(verdict)
        print(json.dumps({**{name: value for name, value in plain.items() if name != "found"}, **plain["found"]}))
    else:
        for what, paths in asdict(verdict.found).items():
            for path in paths:
                print(f"{what}: {path}")
        print(
            f"{'Fits' if verdict.ok else 'DOES NOT FIT'} ({verdict.install}; against {verdict.against}): {verdict.why}."
        )
    if not verdict.ok:
        raise typer.Exit(1)
