"""Who is connected, and what that leads to: identified, refused, lost.

Owns the records of a device's coming and going, for shoe and reader alike. In a clear session nothing of what a device
says of itself is proved, so another serial or another firmware is a question for people, never an answer; in a sealed
one the record says what was proved. Pure.
Implements conditions E27, E29, E31, E34 and E35, and scenario S15.
"""

from __future__ import annotations

from typing import Final

from cardshoe.devices.events import DeviceIdentified, DeviceLost, DeviceRefused, EventsLost, LinkTampered
from cardshoe.devices.shoe_terms import ShoeCapability
from cardshoe.link.events import LostReason
from cardshoe.table.commands import another_shoe, without_memory
from cardshoe.table.decks import suspect
from cardshoe.table.desk import Desk
from cardshoe.table.header import standing
from cardshoe.table.state import Known


def identified(desk: Desk, device: str, event: DeviceIdentified) -> None:
    """Write who answered; another device, or another firmware, in the place of the known one is an alarm."""
    identity = event.identity
    known = desk.state.devices.get(device)
    desk.live.refused.pop(device, None)
    desk.live.standing[device] = standing(event)
    desk.live.past[device] = identity.last_event if identity.oldest_event <= identity.last_event else 0
    body: dict[str, object] = {
        "device": device,
        "model": identity.model,
        "serial": identity.serial,
        "firmware": identity.firmware,
        "boot_counter": identity.boot_counter,
        "ring_size": identity.ring_size,
        "capabilities": identity.capabilities,
        **standing(event),
        "consumed_event": identity.oldest_event - 1,
        "last_event": identity.last_event,
    }
    if device == "shoe":
        body["counts_deck"] = bool(identity.capabilities & ShoeCapability.COUNTS_DECK)
    desk.write("device_identified", body)
    if known is not None:
        _compared(desk, device, known, event)


def _compared(desk: Desk, device: str, known: Known, event: DeviceIdentified) -> None:
    identity = event.identity
    if known.serial != identity.serial:
        if device == "shoe":
            suspect(desk, f"shoe {identity.serial} stands in the place of {known.serial}", count_known=False)
            another_shoe(desk, identity.serial)
        if desk.open_round is not None:
            _another(desk, device, identity.serial, known.serial)
        return
    if identity.boot_counter < known.started and identity.last_event >= known.consumed_event:
        # Its events have caught up, so nothing else tells that it began to count anew.
        _without_memory(desk, device, f"it counts start {identity.boot_counter} after {known.started}")
    if known.firmware not in ("", identity.firmware):
        desk.alarm(
            "device-firmware-changed",
            f"The {device} {identity.serial} says firmware {identity.firmware}; it was {known.firmware}. Pull it out.",
        )


def refused(desk: Desk, device: str, event: DeviceRefused) -> None:
    """Write why a device was turned away, once a cause; a stranger in the known one's place holds an open round."""
    code, identity = event.error.code, event.identity
    known = desk.state.devices.get(device)
    if desk.live.refused.get(device) != code:
        desk.live.refused[device] = code
        serial = identity.serial if identity is not None else None
        desk.write("device_refused", {"device": device, "code": code, "text": event.error.text, "serial": serial})
        if code in _GRAVE:
            grave, what = _GRAVE[code]
            desk.alarm(grave, f"The {device} {what}. {event.error.text[:1].upper()}{event.error.text[1:]}")
    stranger = identity is not None and known is not None and identity.serial != known.serial
    if stranger and identity is not None and known is not None and desk.open_round is not None:
        _another(desk, device, identity.serial, known.serial)


def tampered(desk: Desk, device: str, event: LinkTampered) -> None:
    """Hold: a sealed session dropped frames that noise does not make (LINK-9.10)."""
    body = {"device": device, "replays": event.replays, "wrong_tags": event.wrong_tags}
    desk.write("link_tampered", body)
    desk.alarm(
        "link-tampered",
        f"Somebody is at the cable of the {device}: {event.replays} old frames came again and {event.wrong_tags} had a"
        " wrong seal. None was taken. Look at the cable and what hangs on it.",
    )


_GRAVE: Final = {
    "device-copied": ("device-copied", "may be a copy"),
    "device-not-proved": ("device-not-proved", "could not prove itself"),
    "device-unattested": ("device-unattested", "is not on the approved list"),
    "device-attestation-failed": ("device-attestation-failed", "runs firmware that is not approved"),
    "device-not-for-live": ("device-not-for-live", "is for a bench only"),
}
"""What a refusal holds the table with, and how it is said first."""


def lost(desk: Desk, device: str, event: DeviceLost) -> None:
    """Write the loss; while a command runs it is one "on motion", and the move is neither done nor undone."""
    if event.reason is LostReason.CLOSED:
        desk.write("device_closed", {"device": device})  # by us: no loss that service has to count
        return
    command = desk.state.command
    moving = device == "shoe" and command is not None and not command.ready
    body = {"device": device, "code": event.error.code, "text": event.error.text, "on_motion": moving}
    desk.write("device_lost", body)


def events_lost(desk: Desk, device: str, event: EventsLost) -> None:
    """Hold: what a lost report said is never inferred (condition E28)."""
    if event.last < event.received:
        _without_memory(desk, device, f"it counts event {event.last} after {event.received}")
    else:
        _reports_lost(desk, device, f"Reports {event.received + 1} to {event.oldest - 1} of the {device} are lost.")


def _without_memory(desk: Desk, device: str, why: str) -> None:
    """A device that begins to count anew knows nothing of what it did before (condition E27)."""
    if device == "shoe":
        without_memory(desk)
    _reports_lost(desk, device, f"The {device} has lost its memory of what it did: {why}.")


def _reports_lost(desk: Desk, device: str, told: str) -> None:
    if device == "shoe":
        suspect(desk, "reports of the shoe are lost", count_known=False)
    count = "Count the cards." if device == "shoe" else "Compare the cards on the table."
    desk.alarm("events-lost", f"{told} {count}")


def _another(desk: Desk, device: str, here: str, known: str) -> None:
    desk.alarm("device-changed", f"The {device} is another one: {here} in place of {known}, with a round open.")
