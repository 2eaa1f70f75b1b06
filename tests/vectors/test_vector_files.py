"""The committed vectors are what the generator writes, and its bytes are right by outside oracles."""

from __future__ import annotations

import subprocess
import sys
import zlib
from collections import Counter
from pathlib import Path

import pytest
import vector_wire
from cobs import cobs
from hypothesis import given
from hypothesis import strategies as st
from vector_files import VECTORS, lines

FILES = ("frames", "resync", "sealed", "dialogues")


def test_the_committed_files_are_what_the_generator_writes(tmp_path: Path) -> None:
    """Edit the cases, run `make_vectors.py`, commit both."""
    done = subprocess.run(
        [sys.executable, str(VECTORS / "make_vectors.py"), str(tmp_path)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    for name in FILES:
        assert (tmp_path / f"{name}.jsonl").read_bytes() == (VECTORS / f"{name}.jsonl").read_bytes(), name


def test_ids_are_used_once_and_every_vector_cites_a_clause() -> None:
    """A maker finds a vector by its id and its clauses."""
    vectors = [vector for name in FILES for vector in lines(name)]
    assert [id_ for id_, count in Counter(vector["id"] for vector in vectors).items() if count > 1] == []
    assert [vector["id"] for vector in vectors if not vector["clauses"]] == []
    assert len(vectors) >= 250


@given(st.binary(max_size=600))
def test_the_third_crc_agrees_with_zlib(data: bytes) -> None:
    """LINK-2.4."""
    assert vector_wire.crc32(data) == zlib.crc32(data)


@given(st.binary(max_size=253))
def test_the_third_cobs_agrees_with_the_cobs_package(data: bytes) -> None:
    """LINK-2.5."""
    encoded = vector_wire.cobs_encode(data)
    assert encoded == cobs.encode(data)
    assert vector_wire.cobs_decode(encoded) == data
    assert b"\0" not in encoded
    assert b"\xff" not in encoded[:1]


@given(st.binary(max_size=260).map(lambda data: data.replace(b"\0", b"\1")))
def test_the_third_cobs_refuses_what_the_cobs_package_refuses(data: bytes) -> None:
    """LINK-2.5, LINK-3.2."""
    try:
        expected: bytes | None = cobs.decode(data)
    except cobs.DecodeError:
        expected = None
    assert vector_wire.cobs_decode(data) == expected


@pytest.mark.parametrize(
    ("content", "encoded"),
    [
        ("00", "0101"),
        ("0000", "010101"),
        ("00110000", "0102110101"),
        ("11220033", "0311220233"),
        ("11223344", "0511223344"),
        ("11000000", "0211010101"),
    ],
)
def test_the_third_cobs_gives_the_published_examples(content: str, encoded: str) -> None:
    """LINK-2.5: examples as the literature on COBS gives them."""
    assert vector_wire.cobs_encode(bytes.fromhex(content)) == bytes.fromhex(encoded)


def test_the_check_value_of_the_prose() -> None:
    """LINK-2.4: "123456789" gives CBF43926."""
    assert vector_wire.crc32(b"123456789") == 0xCBF43926
