"""The end of a shift is a signed head of its own, made by the table that signs off (P6)."""

from __future__ import annotations

import asyncio
from pathlib import Path

from cardshoe.journal import JournalReader, verify
from cardshoe.table.acts import SignedOff
from cardshoe.table.app import open_table
from cardshoe.table.config import parse_config

CONFIG = """
[table]
name = "T1"
mode = "bench"
game = "three-card-poker"
method = "hand"
journal = "unused"
min_free_mb = 1
"""


def test_a_table_that_signs_off_signs_a_head(tmp_path: Path) -> None:
    """P6: right behind the record of the count, before anybody is told."""

    async def sign_off() -> int:
        async with open_table(parse_config(CONFIG, "test"), tmp_path / "journal") as table:
            await table.act(SignedOff(0, "floor", "end of shift"))
            return table.journal.head.seq

    last = asyncio.run(sign_off())
    with JournalReader(tmp_path / "journal") as reader:
        counted, head = [record for record in reader.records(first_seq=last - 1) if record.seq <= last]
    assert (counted.kind, head.kind, head.body) == ("signed_off", "head_signed", {"reason": "shift-end"})
    assert verify(tmp_path / "journal").ok
