"""A device with a label secret and a pairing window, after the prose, and the TCP port that it may stand behind."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import sealed_wire as sealed
from rfc_ciphers import x25519_public
from scripted_device import TYPE, frame_of, hello_reply_fields
from sealed_device import IDENTITY_PUBLIC, SealedDevice, payload_of
from vector_wire import read_collection

from cardshoe.devices.shoe_wire import SHOE_CODEC
from cardshoe.wire.framing import Frame

LABEL = bytes(range(0x70, 0x80))


@dataclass
class PairingDevice(SealedDevice):
    """The device's side of LINK-11. `window`: the button was pressed; `paired` closes it."""

    keys: dict[bytes, tuple[bytes, int]] = field(default_factory=dict)
    window: bool = True
    room: int = 4
    label: bytes = LABEL
    wrong: int = 0
    hosts: dict[bytes, str] = field(default_factory=dict)
    auditor: bytes = bytes(32)
    lies: bool = False  # it answers a proof that is none

    def _forget(self) -> None:
        super()._forget()
        self._pairing: tuple[bytes, bytes, int] | None = None
        self._pair_kept: tuple[bytes, bytes] | None = None

    def _collection(self, encoded: bytes) -> None:
        clear = read_collection(encoded)
        if isinstance(clear, str):
            super()._collection(encoded)
        elif clear.type == TYPE["HELLO"] and clear.payload[49] == 2:
            self._greet_for_pairing(clear.payload, clear.sequence)
        elif clear.type == TYPE["PAIR"]:
            self._pair(clear.payload, clear.session, clear.sequence)
        else:
            super()._collection(encoded)

    def _greet_for_pairing(self, payload: bytes, sequence: int) -> None:
        hello: Any = SHOE_CODEC.decode(Frame(0, TYPE["HELLO"], sequence, payload))
        result = 1 if hello.spec_hash != SHOE_CODEC.spec.hash else 0 if self.window else 5
        number = 0 if result else 99
        fields = hello_reply_fields(hello.host_nonce, result=result, session=number, boot_counter=self.boot)
        if result == 0:
            self._pairing = (payload, payload_of("HELLO_REPLY", fields), number)
        self._clear_out += b"\0" + frame_of("HELLO_REPLY", fields, session=0, sequence=sequence)

    def _pair(self, payload: bytes, session: int, sequence: int) -> None:
        if self._pair_kept is not None and self._pair_kept[0] == payload:
            self._clear_out += self._pair_kept[1]
            return
        if self._pairing is None or session != self._pairing[2]:
            return
        hello, reply, _number = self._pairing
        pair: Any = SHOE_CODEC.decode(Frame(session, TYPE["PAIR"], sequence, payload))
        p0 = sealed.p0_of(hello, reply)
        fields: dict[str, Any] = {"device_public": bytes(32), "identity_public": bytes(32), "proof": bytes(16)}
        if sealed.pair_proof(self.label, p0, payload) != pair.proof:
            self.wrong += 1
            self.window = self.window and self.wrong < 3
            fields["result"] = 1
        elif len(self.keys) >= self.room:
            fields["result"] = 2
        else:
            secret = self.random.randbytes(32)
            fields |= {"result": 0, "device_public": x25519_public(secret), "identity_public": IDENTITY_PUBLIC}
            body = payload_of("PAIR_REPLY", fields)
            key = sealed.pair_key_of(secret, pair.host_public, self.label, p0, payload, body)
            fields["proof"] = bytes(16) if self.lies else sealed.pair_reply_proof(key)
            self.keys = {
                key_id: kept for key_id, kept in self.keys.items()
                if (self.hosts.get(key_id), kept[1]) != (pair.host_name, pair.role)
            }  # fmt: skip
            key_id = sealed.key_id_of(key)
            self.keys[key_id] = (key, pair.role)
            self.hosts[key_id] = pair.host_name
            self.auditor, self.window, self.count = pair.auditor_public, False, 0
        answer = b"\0" + frame_of("PAIR_REPLY", fields, session=session, sequence=sequence)
        self._pair_kept = (payload, answer)
        self._clear_out += answer


@asynccontextmanager
async def on_tcp(device: SealedDevice) -> AsyncIterator[str]:
    """The device behind a TCP port of its own; gives the URL."""
    loop = asyncio.get_running_loop()
    writers: set[asyncio.StreamWriter] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.add(writer)
        try:
            while True:
                try:
                    data = await asyncio.wait_for(reader.read(4096), 0.02)
                except TimeoutError:
                    writer.write(device.advance(loop.time()))
                    continue
                if not data:
                    return
                writer.write(device.receive(data, loop.time()))
        except ConnectionError:
            return
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"tcp://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        for writer in writers:
            writer.close()
