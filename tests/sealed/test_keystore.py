"""The key store: private, whole, durable, and silent about what it keeps (LINK-9.6, LINK-11.7, LINK-12.3)."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from cardshoe.errors import ConfigError
from cardshoe.link.messages import Role
from cardshoe.link.session_keys import key_id
from cardshoe.table.keystore import KeyEntry, KeyInfo, KeyStore


def entry(secret: bytes = bytes(32), **changes: Any) -> KeyEntry:
    """A key of the shoe S-1."""
    fields: dict[str, Any] = {"kind": "shoe", "model": "CS-1", "serial": "S-1", "role": Role.DEAL, "auditor": None}
    fields |= {"key_id": key_id(secret).hex(), "sealed_count": 0, "paired_at": "2026-01-01", "paired_by": "ann"}
    return KeyEntry(KeyInfo(**{**fields, **changes}), secret, bytes(range(32)))


def made(tmp_path: Path, *entries: KeyEntry) -> KeyStore:
    """A store with these keys."""
    store = KeyStore(tmp_path / "keys", create=True)
    for each in entries:
        store.put(each)
    return store


def refusal(tmp_path: Path) -> ConfigError:
    """Why the store cannot be opened."""
    with pytest.raises(ConfigError) as refused:
        KeyStore(tmp_path / "keys")
    return refused.value


def test_what_is_stored_comes_back(tmp_path: Path) -> None:
    kept = entry(auditor=bytes(range(32)))
    made(tmp_path, kept)
    found = KeyStore(tmp_path / "keys").find("shoe", Role.DEAL)
    assert (found.info, found.pair_key, found.identity) == (kept.info, kept.pair_key, kept.identity)
    assert KeyStore(tmp_path / "keys").list() == (kept.info,)


def test_files_are_the_owner_s_alone(tmp_path: Path) -> None:
    """0700 and 0600, whatever the umask says."""
    before = os.umask(0)
    try:
        store = made(tmp_path, entry())
    finally:
        os.umask(before)
    assert store.directory.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in store.directory.iterdir()} == {0o600}


@pytest.mark.parametrize(
    ("what", "mode"), [("directory", 0o750), ("directory", 0o701), ("file", 0o640), ("file", 0o604)]
)
def test_what_others_may_read_is_refused_with_the_fix(tmp_path: Path, what: str, mode: int) -> None:
    store = made(tmp_path, entry())
    path = store.directory if what == "directory" else next(store.directory.iterdir())
    path.chmod(mode)
    error = refusal(tmp_path)
    assert error.code == "keystore-open"
    assert f"chmod {'0700' if what == 'directory' else '0600'} '{path}'" in error.text


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text[: len(text) // 2],
        lambda text: text.replace(b'"sealed_count": 0', b'"sealed_count": 1'),
        lambda text: text.replace(b"S-1", b"S-2"),
        lambda text: text.replace(b"deal", b"serv"),
        lambda _text: b"",
        lambda _text: b"[]",
        lambda text: text.replace(b'"pair_key": "00', b'"pair_key": "01'),
        lambda text: text.replace(b"cardshoe-key-1", b"cardshoe-key-9"),
        lambda _text: b"[" * 100_000,
    ],
)
def test_a_damaged_key_is_refused_and_named(tmp_path: Path, change: Any) -> None:
    path = next(made(tmp_path, entry()).directory.iterdir())
    path.write_bytes(change(path.read_bytes()))
    error = refusal(tmp_path)
    assert (error.code, str(path) in error.text) == ("keystore-damaged", True)
    assert bytes(32).hex() not in error.text


def test_a_link_and_another_name_are_refused(tmp_path: Path) -> None:
    store = made(tmp_path, entry())
    path = next(store.directory.iterdir())
    path.rename(store.directory / ("00" * 8 + ".key"))
    assert refusal(tmp_path).code == "keystore-damaged"
    (store.directory / ("00" * 8 + ".key")).unlink()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("{}")
    path.symlink_to(elsewhere)
    assert refusal(tmp_path).code == "keystore-damaged"


def test_there_is_no_store_until_one_is_made(tmp_path: Path) -> None:
    assert refusal(tmp_path).code == "keystore-missing"


def test_a_new_pairing_replaces_the_old_key(tmp_path: Path) -> None:
    """LINK-11.7: of the same device and role; another role has a key of its own."""
    old, new, service = entry(bytes(32)), entry(32 * b"\x01"), entry(32 * b"\x02", role=Role.SERVICE)
    store = made(tmp_path, old, service, new)
    assert {info.key_id for info in store.list()} == {new.info.key_id, service.info.key_id}
    assert store.find("shoe", Role.DEAL).pair_key == new.pair_key


def test_a_count_is_stored_and_never_falls(tmp_path: Path) -> None:
    """LINK-9.6."""
    store = made(tmp_path, entry())
    key = entry().info.key_id
    for count, kept in ((1, 1), (7, 7), (3, 7), (7, 7), (2**64 - 1, 2**64 - 1)):
        store.raise_count(key, count)
        assert KeyStore(store.directory).find("shoe", Role.DEAL).info.sealed_count == kept


def test_a_write_that_was_cut_leaves_the_old_key(tmp_path: Path) -> None:
    store = made(tmp_path, entry())
    (store.directory / f"{entry().info.key_id}.key.new").write_text("half")
    assert KeyStore(store.directory).list() == (entry().info,)
    store.raise_count(entry().info.key_id, 5)
    assert store.list()[0].sealed_count == 5


def test_a_key_is_found_or_the_reason_is_told(tmp_path: Path) -> None:
    store = made(tmp_path, entry(bytes(32)), entry(32 * b"\x01", serial="S-9"))
    assert store.find("shoe", Role.DEAL, "S-9").info.serial == "S-9"
    for asked, code in (
        (("shoe", Role.DEAL), "key-ambiguous"),
        (("reader", Role.DEAL), "key-missing"),
        (("shoe", Role.SERVICE), "key-missing"),
        (("shoe", Role.DEAL, "S-7"), "key-missing"),
    ):
        with pytest.raises(ConfigError) as refused:
            store.find(*asked)
        assert refused.value.code == code
    store.remove(entry().info.key_id)
    with pytest.raises(ConfigError):
        store.remove(entry().info.key_id)


def test_the_manifest_s_sequence_never_falls(tmp_path: Path) -> None:
    """LINK-12.3."""
    store = made(tmp_path)
    assert store.manifest_sequence() == 0
    for used, kept in ((3, 3), (2, 3), (9, 9)):
        store.manifest_used(used)
        assert KeyStore(store.directory).manifest_sequence() == kept
    path = store.directory / "manifest-used"
    path.write_text(json.dumps({**json.loads(path.read_text()), "sequence": 1}))
    with pytest.raises(ConfigError) as refused:
        store.manifest_sequence()
    assert refused.value.code == "keystore-damaged"


def test_no_key_is_printed(tmp_path: Path) -> None:
    """P4: neither by an entry nor by a listing."""
    secret = bytes(range(100, 132))
    store = made(tmp_path, entry(secret))
    found = store.find("shoe", Role.DEAL)
    for shown in (repr(found), str(found), repr(found.key), repr(store.list()), repr(store)):
        assert secret.hex() not in shown
        assert repr(secret)[2:-1] not in shown
