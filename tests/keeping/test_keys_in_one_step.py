"""A key is replaced in one step, and none is taken away from under a running table (LINK-11.7, P2).

What a cut between the new and the old key leaves, what an older program left, and several programs at once.
"""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from pairing_device import on_tcp
from sealed_device import KEY_ID, SealedDevice
from test_keystore import entry
from test_sealed_table import config_text, store

from cardshoe.errors import ConfigError
from cardshoe.link.messages import Role
from cardshoe.table.app import open_table
from cardshoe.table.config import parse_config
from cardshoe.table.key_files import write_entry
from cardshoe.table.keystore import KeyEntry, KeyStore

CARDSHOE = str(Path(sys.executable).with_name("cardshoe"))
OLD, NEW = entry(bytes(32)), entry(32 * b"\x01")


def cut_off(keys: Path) -> KeyStore:
    """A store in which a new pairing was cut off before the old key was taken away."""
    made = KeyStore(keys, create=True)
    made.put(OLD)
    write_entry(replace(NEW, generation=1), keys / f"{NEW.info.key_id}.key")
    return KeyStore(keys)


def codes(keys: Path) -> set[str]:
    return {path.name for path in keys.iterdir()}


def test_cut_off_between_two_keys_the_new_one_counts(tmp_path: Path) -> None:
    """LINK-11.7: the device knows the new key only, and so does everybody who asks."""
    made = cut_off(tmp_path / "keys")
    assert made.find("shoe", Role.DEAL).pair_key == NEW.pair_key
    assert [info.key_id for info in made.list()] == [NEW.info.key_id]
    made.put(entry(32 * b"\x02", serial="S-2"))
    assert f"{OLD.info.key_id}.key" not in codes(tmp_path / "keys")


def test_the_new_key_removed_the_old_one_does_not_come_back(tmp_path: Path) -> None:
    """LINK-11.7."""
    made = cut_off(tmp_path / "keys")
    made.remove(NEW.info.key_id)
    assert (made.list(), codes(tmp_path / "keys")) == ((), set())


def test_a_key_of_old_that_is_paired_anew_counts_again(tmp_path: Path) -> None:
    made = KeyStore(tmp_path / "keys", create=True)
    for each in (OLD, NEW, OLD, NEW, NEW):
        made.put(each)
        assert [info.key_id for info in made.list()] == [each.info.key_id]


def test_two_keys_that_an_older_program_left_are_told_apart(tmp_path: Path) -> None:
    """Neither is chosen in silence; the text says which are there and how one goes."""
    made = KeyStore(tmp_path / "keys", create=True)
    for each, at in ((OLD, "2026-01-01"), (NEW, "2026-02-02")):
        aged = replace(each, info=replace(each.info, paired_at=at))
        write_entry(aged, tmp_path / "keys" / f"{each.info.key_id}.key")
    with pytest.raises(ConfigError) as refused:
        made.find("shoe", Role.DEAL)
    assert refused.value.code == "key-ambiguous"
    for told in (OLD.info.key_id, NEW.info.key_id, "2026-02-02", "cardshoe unpair", "--only-here"):
        assert told in refused.value.text
    made.put(entry(32 * b"\x03"))
    assert len(made.list()) == 1


def test_keys_of_several_devices_are_named_with_the_line_to_write(tmp_path: Path) -> None:
    made = KeyStore(tmp_path / "keys", create=True)
    for each in (OLD, entry(32 * b"\x01", serial="S-9")):
        made.put(each)
    with pytest.raises(ConfigError) as refused:
        made.find("shoe", Role.DEAL)
    assert "serial = 'S-1' in [devices.shoe]" in refused.value.text


ROTATE = """
import sys
from pathlib import Path
from test_keystore import entry
from cardshoe.table.keystore import KeyStore
store = KeyStore(Path(sys.argv[1]))
print("ready", flush=True)
number = int(sys.argv[2])
while True:
    number += 1
    store.put(entry(number.to_bytes(32, "big")))
"""


def rotating(keys: Path, first: int) -> subprocess.Popen[bytes]:
    """A process that stores one new key of the same device after another."""
    path = os.pathsep.join(sys.path)
    made = subprocess.Popen(
        [sys.executable, "-c", ROTATE, str(keys), str(first)], env={**os.environ, "PYTHONPATH": path}, stdout=-1
    )
    assert made.stdout is not None
    made.stdout.readline()
    made.stdout.close()
    return made


def test_killed_at_any_moment_there_is_one_key(tmp_path: Path) -> None:
    """P2, LINK-11.7: two programs rotate at once and are killed; one whole key of the device counts at all times."""
    keys = tmp_path / "keys"
    made = KeyStore(keys, create=True)
    made.put(OLD)
    for turn in range(6):
        both = [rotating(keys, 1000 * (2 * turn + each + 1)) for each in (0, 1)]
        for _ in range(5):
            assert len(made.list()) == 1
        time.sleep(0.01 * turn)
        for process in both:
            process.send_signal(signal.SIGKILL)
            process.wait()
        found = KeyStore(keys)
        assert [info.serial for info in found.list()] == ["S-1"]
        assert found.find("shoe", Role.DEAL).info.key_id == found.list()[0].key_id
    made.put(NEW)
    assert sorted(name for name in codes(keys) if name.endswith(".key")) == [f"{NEW.info.key_id}.key"]


def test_a_key_that_a_table_deals_under_is_not_taken_away(tmp_path: Path) -> None:
    """Refused with words while the table runs; done when it has ended."""
    store(tmp_path)
    config = config_text("URL", listed=False)
    call = [CARDSHOE, "unpair", KEY_ID.hex(), "--only-here", "--keys", str(tmp_path / "keys")]

    async def run() -> None:
        async with on_tcp(SealedDevice()) as url:
            read = parse_config(config.replace("URL", url), "table.toml")
            async with open_table(read, tmp_path / "j.db"):
                done = await asyncio.create_subprocess_exec(*call, stderr=asyncio.subprocess.PIPE)
                _, said = await done.communicate()
                assert (done.returncode, b"a table that runs deals under it" in said) == (2, True), said

    asyncio.run(run())
    gc.collect()  # what of the table still lies about ends here, as its process would
    assert KEY_ID.hex() in {info.key_id for info in KeyStore(tmp_path / "keys").list()}
    done = subprocess.run(call, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert codes(tmp_path / "keys") == set()


def test_a_key_that_is_gone_all_the_same_is_told_by_name(tmp_path: Path) -> None:
    """LINK-9.6: somebody deletes the file under a running program; the next session says what to do."""
    made = KeyStore(tmp_path / "keys", create=True)
    made.put(OLD)
    next(each for each in (tmp_path / "keys").iterdir() if each.suffix == ".key").unlink()
    with pytest.raises(ConfigError) as refused:
        made.raise_count(OLD.info.key_id, 3)
    assert refused.value.code == "key-missing"
    assert "start again" in refused.value.text


def test_who_waits_for_a_store_that_is_held_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cardshoe.table.keystore.LOCK_S", 0.05)
    made = KeyStore(tmp_path / "keys", create=True)
    with made._alone(), pytest.raises(ConfigError) as refused:
        KeyStore(tmp_path / "keys").put(NEW)
    assert refused.value.code == "keystore-busy"
    assert made.list() == ()


def test_a_key_is_held_by_many_and_claimed_by_one(tmp_path: Path) -> None:
    made = KeyStore(tmp_path / "keys", create=True)
    made.put(OLD)
    key = OLD.info.key_id
    held = [made.hold(key), KeyStore(tmp_path / "keys").hold(key)]
    assert made.in_use(key)
    with pytest.raises(ConfigError), made.claimed(key):
        raise AssertionError("two have it")
    for each in held:
        os.close(each)
    assert not made.in_use(key)
    with made.claimed(key), pytest.raises(ConfigError) as refused:
        made.hold(key)
    assert refused.value.code == "key-in-use"
    assert isinstance(made.entries()[0], KeyEntry)
