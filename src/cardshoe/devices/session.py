"""Who a device is, whether it is the expected one, and what to tell people when it is not.

Owns the expectation of a device and the texts and codes of refusals and losses. Must not know commands or bytes.
Implements LINK-5.3, LINK-5.8, LINK-5.9 and LINK-6.5 as far as people are told of them.
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
    LostReason.PORT: ("device-lost-port", "is gone: its port was lost; look at cable and power, then connect again"),
    LostReason.CLOSED: ("device-closed", "was disconnected from this side; connect again to go on"),
}


def lost_error(reason: LostReason, expected: Expected, spec: DeviceSpec) -> DeviceError:
    """Return the error for a session that ended."""
    code, text = _LOST[reason]
    return DeviceError(code, f"the {_kind(spec.device_kind)} at {expected.where} {text}")


def refused_error(
    refusal: Refusal, identity: Identity | None, expected: Expected, spec: DeviceSpec, *, dropped: int
) -> DeviceError:
    """Return the error for a session that did not begin: what answered, where, and what to do now."""
    where, kind = expected.where, _kind(spec.device_kind)
    if identity is None:
        code, text = _nobody(refusal, dropped)
        return DeviceError(code, f"{kind} at {where}: {text}")
    code, text = _somebody(refusal, identity, expected, spec)
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


def _somebody(refusal: Refusal, identity: Identity, expected: Expected, spec: DeviceSpec) -> tuple[str, str]:
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
        case Refusal.SECURITY_UNAVAILABLE:
            return "device-wants-sealed", "which takes sealed sessions only; this version speaks to bench devices only"
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
        case Refusal.ABSURD | Refusal.SILENT | Refusal.NOISE | Refusal.BUSY:
            return "device-absurd", f"whose answer contradicts {spec.protocol}; do not deal with it, call its maker"


def _kind(device_kind: int) -> str:
    return DeviceKind(device_kind).name.lower() if device_kind in set(DeviceKind) else f"device of kind {device_kind}"


def _who(identity: Identity) -> str:
    return f"model {identity.model!r}, serial {identity.serial!r}, firmware {identity.firmware!r}"
