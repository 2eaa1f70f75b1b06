"""The wire trace: byte-exact, bounded, private, and never a reason to stop a round (promise P4)."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from transport_owner import Owner, settle, until

from cardshoe.errors import ConfigError
from cardshoe.transport import Passed, Tap, TraceFile, memory_pair, open_transport


def test_what_passes_is_kept_byte_for_byte_with_its_time_and_direction(pty_pair) -> None:
    clock = iter(range(100))

    async def main() -> None:
        tap = Tap(await open_transport(f"serial://{pty_pair.path}"), now=lambda: float(next(clock)))
        assert tap.url == f"serial://{pty_pair.path}"
        owner = Owner(tap)
        tap.write(bytes(range(256)))
        os.write(pty_pair.master, b"\x00\xffanswer")
        await until(lambda: owner.received == b"\x00\xffanswer", "the answer")
        pty_pair.hang_up()
        await until(lambda: owner.losses, "the loss")
        tap.close()
        assert tap.recent() == [
            Passed(0.0, "out", bytes(range(256)).hex()),
            Passed(1.0, "in", b"\x00\xffanswer".hex()),
            Passed(2.0, "lost", "port-vanished"),
        ]

    asyncio.run(main())


def test_bytes_are_on_record_before_their_owner_sees_them_or_the_port_dies_of_them(pty_pair) -> None:
    async def main() -> None:
        tap = Tap(await open_transport(f"serial://{pty_pair.path}"))
        seen: list[int] = []
        losses: list[object] = []
        tap.start(asyncio.get_running_loop(), lambda _: seen.append(len(tap.recent())), losses.append)
        os.write(pty_pair.master, b"x")
        await until(lambda: seen, "the byte")
        assert seen == [1]
        pty_pair.hang_up()
        tap.write(b"last")
        assert tap.recent()[-1].what == b"last".hex()
        await until(lambda: losses, "the loss")
        tap.close()

    asyncio.run(main())


@given(sizes=st.lists(st.integers(1, 40), max_size=60), chunks=st.integers(1, 10), limit=st.integers(2, 100))
def test_the_ring_keeps_the_newest_within_both_bounds(sizes: list[int], chunks: int, limit: int) -> None:
    near, _ = memory_pair()
    tap = Tap(near, ring_chunks=chunks, ring_bytes=limit)
    written = [bytes([n % 256]) * size for n, size in enumerate(sizes)]
    for data in written:
        tap.write(data)
    kept = [bytes.fromhex(one.what) for one in tap.recent()]
    assert kept == written[len(written) - len(kept) :]
    assert len(kept) <= chunks
    assert len(kept) <= 1 or sum(2 * len(data) for data in kept) <= limit
    assert bool(kept) == bool(written), "the newest is always there"


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_the_file_holds_one_json_line_a_chunk_and_is_private(tmp_path: Path) -> None:
    path = tmp_path / "wire.jsonl"
    path.write_text("")
    path.chmod(0o644)

    async def main() -> None:
        near, far = memory_pair()
        tap = Tap(near, file=TraceFile(str(path)), now=lambda: 12.3456789)
        Owner(far)
        owner = Owner(tap)
        tap.write(b"\x01\x02")
        far.write(b"\x03")
        await until(lambda: owner.received, "the byte")
        far.close()
        await settle()
        tap.close()

    asyncio.run(main())
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert lines(path) == [
        {"t": 12.345679, "way": "out", "hex": "0102"},
        {"t": 12.345679, "way": "in", "hex": "03"},
        {"t": 12.345679, "way": "lost", "code": "memory-lost"},
    ]


def test_a_full_file_becomes_the_older_one_and_both_stay_capped_and_private(tmp_path: Path) -> None:
    path, older = tmp_path / "wire.jsonl", tmp_path / "wire.jsonl.1"
    file = TraceFile(str(path), limit_bytes=1_000)
    for n in range(200):
        file.append(f'{{"n": {n}}}')
    file.close()
    file.append("{}")
    for one in (path, older):
        assert one.stat().st_size <= 1_000
        assert stat.S_IMODE(one.stat().st_mode) == 0o600
    numbers = [line["n"] for line in lines(older) + lines(path)]
    assert numbers == list(range(200 - len(numbers), 200))
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["wire.jsonl", "wire.jsonl.1"]


def test_a_trace_is_continued_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "wire.jsonl"
    for n in range(2):
        file = TraceFile(str(path))
        file.append(f'{{"n": {n}}}')
        file.close()
    assert [line["n"] for line in lines(path)] == [0, 1]


@pytest.mark.parametrize("wrong", ["a folder", "a missing folder", "a link"])
def test_a_file_that_cannot_be_had_is_refused_by_name(tmp_path: Path, wrong: str) -> None:
    target = {"a folder": tmp_path, "a missing folder": tmp_path / "none" / "wire", "a link": tmp_path / "link"}[wrong]
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ConfigError) as refused:
        TraceFile(str(target))
    assert refused.value.code == "trace-file"
    assert str(target) in refused.value.text
    assert not (tmp_path / "elsewhere").exists()


def test_a_full_disk_ends_the_file_with_one_warning_and_not_the_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "wire.jsonl"

    async def main() -> None:
        near, far = memory_pair()
        other = Owner(far)
        tap = Tap(near, file=TraceFile(str(path)))
        owner = Owner(tap)
        tap.write(b"one")

        def full(fd: int, data: bytes) -> int:
            raise OSError(28, os.strerror(28))

        with monkeypatch.context() as patch:
            patch.setattr("cardshoe.transport.tap.os.write", full)
            tap.write(b"two")
            tap.write(b"three")
        tap.write(b"four")
        await until(lambda: other.received == b"onetwothreefour", "all bytes")
        assert owner.losses == []
        assert len(tap.recent()) == 4
        tap.close()

    with caplog.at_level(logging.WARNING):
        asyncio.run(main())
    assert len(lines(path)) == 1
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert str(path) in caplog.text
