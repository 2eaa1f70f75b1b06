"""Who a device is, whether it is the expected one, and what to tell people when it is not.

Owns the expectation of a device and the texts and codes of refusals and losses. Must not know commands or bytes.
Implements LINK-5.3, LINK-5.8, LINK-5.9, LINK-6.5, LINK-9.3 and LINK-9.6 as far as people are told of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from cardshoe.errors import DeviceError
from cardshoe.link.events import Identity, LostReason, Refusal
from cardshoe.link.messages import DeviceKind
from cardshoe.wire.spec import DeviceSpec


@dataclass(frozen=True, slots=True)
class Expected:
    """Which device must answer at `where` (its URL). `model` and `serial` None: any of that kind."""

    where: str
    model: str | None = None
    serial: str | None = None

    def admits(self, identity: Identity) -> bool:
        """Tell whether this is the device; asked before it is granted a lease."""
        return self.model in (None, identity.model) and self.serial in (None, identity.serial)


_LOST: Final = {
    LostReason.SILENCE: (
        "device-lost-silence",
        "has sent no valid frame for 1 s, though its port may look open; look at cable and power, then connect again",
    ),
    LostReason.NO_SESSION: (
        "device-lost-session",
        "no longer knows the session; connect again and compare its state before the next deal",
    ),
    LostReason.RESTARTED: (
        "device-lost-restart",
        "restarted in the middle of the session; connect again and ask what became of the last command",
    ),
    LostReason.UNANSWERED: (
        "device-lost-unanswered",
        "gave no answer to a command before its deadline; connect again and ask what became of it",
    ),
    LostReason.OUT_OF_STEP: (
        "device-lost-out-of-step",
        "gave an answer that does not fit what it was asked; connect again and ask what became of the last command",
    ),
    LostReason.COUNTER: (
        "device-session-spent",
        "has used up the counters of its session; connect again to go on with fresh keys",
    ),
    LostReason.PORT: ("device-lost-port", "is gone: its port was lost; look at cable and power, then connect again"),
    LostReason.CLOSED: ("device-closed", "was disconnected from this side; connect again to go on"),
}


def lost_error(reason: LostReason, expected: Expected, spec: DeviceSpec) -> DeviceError:
    """Return the error for a session that ended."""
    code, text = _LOST[reason]
    return DeviceError(code, f"the {_kind(spec.device_kind)} at {expected.where} {text}")


_SEALED: Final = {
    Refusal.UNKNOWN_KEY: (
        "device-unknown-key",
        "which does not hold our key: it was paired anew or its keys were removed, or it is another device; look at its"
        " seals, then pair it again",
    ),
    Refusal.WRONG_PROOF: (
        "device-wrong-proof",
        "which says that our proof is wrong: somebody changes the line, or one of the two keys is damaged; look at the"
        " cable, and pair again only when it is whole",
    ),
    Refusal.WRONG_ROLE: (
        "device-wrong-role",
        "whose key here has another role; a table deals with a key of role 'deal', service works with one of role"
        " 'service': pair for the role that is needed",
    ),
    Refusal.NOT_PROVED: (
        "device-not-proved",
        "but it could not prove that it holds our key: somebody stands between, or another device answers in its"
        " place; do not deal, look at cable and device",
    ),
    Refusal.SEAL_UNANSWERED: (
        "device-seal-unanswered",
        "which greeted us and then did not go on to a sealed session; look at the cable, connect again, and call its"
        " maker when it stays so",
    ),
    Refusal.COPIED: (
        "device-copied",
        "whose count of sealed sessions is not above the last one that was seen: it is a copy, or its memory was put"
        " back; do not deal from it, keep it for the technician",
    ),
    Refusal.COUNT_NOT_KEPT: (
        "device-count-not-kept",
        "which proved itself, but its count could not be stored in the key store in time; look at the disk, then"
        " connect again",
    ),
    Refusal.CANNOT_PAIR: (
        "device-cannot-pair",
        "which knows no pairing; it serves bench tables with security = 'clear' only",
    ),
    Refusal.WRONG_LABEL: (
        "device-wrong-label",
        "which did not accept the label secret; read it again inside the device's door. After three wrong ones its"
        " window closes",
    ),
    Refusal.NO_ROOM: (
        "device-no-room",
        "whose places for keys are all taken; unpair a host that is not used any more, or hold the button inside the"
        " door for 10 s to remove all keys",
    ),
    Refusal.PAIRING_REFUSED: (
        "device-pairing-refused",
        "which refused role, name or public key of the pairing; look at the auditor's key and pair again",
    ),
    Refusal.NOT_PAIRING: (
        "device-not-pairing",
        "whose pairing window is not open; press the button inside its door and pair within two minutes",
    ),
}


def refused_error(
    refusal: Refusal,
    identity: Identity | None,
    expected: Expected,
    spec: DeviceSpec,
    *,
    dropped: int,
    sealed: bool = False,
) -> DeviceError:
    """Return the error for a session that did not begin: what answered, where, and what to do now.

    `sealed`: a sealed session was asked for.
    """
    where, kind = expected.where, _kind(spec.device_kind)
    if identity is None:
        code, text = _nobody(refusal, dropped)
        return DeviceError(code, f"{kind} at {where}: {text}")
    if refusal in _SEALED and identity.device_kind == spec.device_kind:
        code, text = _SEALED[refusal]
    else:
        code, text = _somebody(refusal, identity, expected, spec, sealed=sealed)
    return DeviceError(code, f"{where} is a {_kind(identity.device_kind)} ({_who(identity)}), {text}")


def _nobody(refusal: Refusal, dropped: int) -> tuple[str, str]:
    if refusal is Refusal.BUSY:
        return "device-starting", "it is still starting; wait until its lamp is steady, then connect again"
    if refusal is Refusal.NOISE:
        return (
            "device-noise",
            f"bytes came ({dropped} pieces could not be read) but no answer; it is another kind of device, or the line "
            "is bad or has another speed: look at the address and the cable",
        )
    return "device-silent", "nothing answered; look at the address, cable and power, then connect again"


def _somebody(
    refusal: Refusal, identity: Identity, expected: Expected, spec: DeviceSpec, *, sealed: bool
) -> tuple[str, str]:
    kind = _kind(spec.device_kind)
    if identity.device_kind != spec.device_kind:
        return "device-other-kind", f"but a {kind} is expected there; look whether the two addresses are swapped"
    match refusal:
        case Refusal.WRONG_SPEC_HASH:
            ours, theirs = spec.hash.hex()[:16], identity.spec_hash.hex()[:16]
            return (
                "device-other-version",
                f"whose protocol {theirs}… is not our {spec.protocol} {ours}…; bring both to the same version",
            )
        case Refusal.PURPOSE_UNAVAILABLE:
            return "device-refuses-purpose", "which refuses a session for dealing; end what it is doing at the machine"
        case Refusal.SECURITY_UNAVAILABLE if sealed:
            return (
                "device-not-paired",
                "which holds no pairing with anybody, or knows no sealed sessions; pair it with `cardshoe pair`, or ask"
                " for a bench table with security = 'clear'",
            )
        case Refusal.SECURITY_UNAVAILABLE:
            return (
                "device-wants-sealed",
                "which is paired and takes sealed sessions only; write security = 'sealed' for it, on the computer that"
                " it is paired with",
            )
        case Refusal.NOT_ADMITTED if expected.model not in (None, identity.model):
            return (
                "device-other-model",
                f"but model {expected.model!r} is expected; connect that one or change the table",
            )
        case Refusal.NOT_ADMITTED if expected.serial in (None, identity.serial):
            return "device-other-serial", "but another one began the open round; connect that one to finish it"
        case Refusal.NOT_ADMITTED:
            return (
                "device-other-serial",
                f"but serial {expected.serial!r} is expected; connect that one or pair this one",
            )
        case _:
            return "device-absurd", f"whose answer contradicts {spec.protocol}; do not deal with it, call its maker"


def _kind(device_kind: int) -> str:
    return DeviceKind(device_kind).name.lower() if device_kind in set(DeviceKind) else f"device of kind {device_kind}"


def _who(identity: Identity) -> str:
    return f"model {identity.model!r}, serial {identity.serial!r}, firmware {identity.firmware!r}"
