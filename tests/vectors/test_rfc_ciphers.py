"""The vectors' own ciphers give what the RFCs print: nothing else in the house may be their judge."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import rfc_ciphers as rfc

x = bytes.fromhex
ALICE = x("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a")
ALICE_PUBLIC = x("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a")
BOB = x("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb")
BOB_PUBLIC = x("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f")
BOTH = x("4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742")
AEAD_KEY, AEAD_NONCE = bytes(range(0x80, 0xA0)), x("070000004041424344454647")
AEAD_DATA = x("50515253c0c1c2c3c4c5c6c7")
PLAIN = b"Ladies and Gentlemen of the class of '99: If I could offer you "
PLAIN += b"only one tip for the future, sunscreen would be it."
SEALED = x(
    "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d63dbea45e8ca9671282fafb69da92728b"
    "1a71de0a9e060b2905d6a5b67ecd3b3692ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc"
    "3ff4def08e4b7a9de576d26586cec64b61161ae10b594f09e26a7e902ecbd0600691"
)
SIGNER = x("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
SIGNER_PUBLIC = x("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
SIGNATURE = x(
    "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b"
    "d25bf5f0595bbe24655141438e7a100b"
)
OKM = x("3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865")


@pytest.mark.parametrize(
    ("given", "printed"),
    [
        (lambda: rfc.x25519_public(ALICE), ALICE_PUBLIC),
        (lambda: rfc.x25519_public(BOB), BOB_PUBLIC),
        (lambda: rfc.x25519(ALICE, BOB_PUBLIC), BOTH),
        (lambda: rfc.x25519(BOB, ALICE_PUBLIC), BOTH),
        (lambda: rfc.seal(AEAD_KEY, AEAD_NONCE, PLAIN, AEAD_DATA), SEALED),
        (lambda: rfc.unseal(AEAD_KEY, AEAD_NONCE, SEALED, AEAD_DATA), PLAIN),
        (lambda: rfc.hkdf(22 * b"\x0b", bytes(range(13)), bytes(range(0xF0, 0xFA)), 42), OKM),
        (lambda: rfc.ed25519_public(SIGNER), SIGNER_PUBLIC),
        (lambda: rfc.ed25519_sign(SIGNER, b""), SIGNATURE),
    ],
    ids=[
        *("7748 6.1 Alice", "7748 6.1 Bob", "7748 6.1 one way", "7748 6.1 the other way"),
        *("8439 2.8.2 seal", "8439 2.8.2 open", "5869 A.1", "8032 7.1 public", "8032 7.1 sign"),
    ],
)
def test_what_the_rfcs_print(given: Callable[[], bytes | None], printed: bytes) -> None:
    assert given() == printed


def test_a_signature_and_a_tag_are_refused_when_a_bit_turns() -> None:
    assert rfc.ed25519_verify(SIGNER_PUBLIC, b"", SIGNATURE)
    for at in (0, 31, 32, 63):
        wrong = SIGNATURE[:at] + bytes((SIGNATURE[at] ^ 1,)) + SIGNATURE[at + 1 :]
        assert not rfc.ed25519_verify(SIGNER_PUBLIC, b"", wrong)
    assert not rfc.ed25519_verify(SIGNER_PUBLIC, b"x", SIGNATURE)
    for at in (0, 113, 114, 129):
        wrong = SEALED[:at] + bytes((SEALED[at] ^ 1,)) + SEALED[at + 1 :]
        assert rfc.unseal(AEAD_KEY, AEAD_NONCE, wrong, AEAD_DATA) is None
    assert rfc.unseal(AEAD_KEY, AEAD_NONCE, SEALED, b"") is None
