"""The admission of a sealed device: its count is stored, its firmware is proved, then it is handed on.

Owns what happens between a device's proof of its key and the table's first word to it: the count of sealed sessions
goes to the key store before anything is sent, the attestation is asked for as the first command of each session, and
nothing of the session reaches the table before both are known. A device that a live table may not deal from is turned
away here. Must not know rounds. Implements LINK-9.6, LINK-12.2 and LINK-12.4 for a table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final, Generic, Protocol, TypeVar, cast

from cardshoe.clock import Clock
from cardshoe.devices.attest import Attestation, Standing, Why
from cardshoe.devices.events import (
    AttestationJudged,
    DeviceIdentified,
    DeviceLost,
    DeviceRefused,
    Output,
    RequestFailed,
    SealedCountSeen,
)
from cardshoe.devices.session import Expected
from cardshoe.devices.shoe_terms import ShoeCapability
from cardshoe.errors import ConfigError, DeviceError
from cardshoe.link.events import Identity
from cardshoe.link.messages import DeviceKind

E = TypeVar("E")

ATTEST_S: Final = 2.0
"""How long a device may take to prove its firmware."""
UNANSWERED: Final = Attestation(Standing.UNATTESTED, Why.UNANSWERED)


class SealedDriver(Protocol):
    """What the admission needs of a device's driver."""

    def count_kept(self, now: float) -> Output[Any]:
        """Go on: the count is stored."""

    def attest(self, *, now: float, deadline: float) -> Output[Any]:
        """Ask for a proof of the firmware."""

    def close(self) -> Output[Any]:
        """End the session."""


@dataclass(frozen=True, slots=True)
class Terms:
    """On which terms a device is admitted. `keep_count` stores a count of a key (hexadecimal) and may raise
    `ConfigError`; `live` turns away what a live table may not deal from; `where` is the device's URL.
    """

    keep_count: Callable[[str, int], None]
    live: bool
    where: str


class Admission(Generic[E]):
    """One device's admission, session after session. `perform` carries out what the driver gave, `hand_on` tells."""

    def __init__(
        self,
        driver: SealedDriver,
        terms: Terms,
        *,
        clock: Clock,
        perform: Callable[[Output[Any]], None],
        hand_on: Callable[[E], None],
    ) -> None:
        self._driver, self._terms, self._clock = driver, terms, clock
        self._perform, self._hand_on = perform, hand_on
        self._identified: DeviceIdentified | None = None
        self._withheld: list[E] = []
        self._turned_away = False

    def take(self, event: E) -> None:
        """Take one event of the driver."""
        match event:
            case SealedCountSeen(key_id, sealed_count):
                self._keep_count(key_id.hex(), sealed_count)
            case DeviceIdentified():
                self._identified, self._turned_away = event, False
                now = self._clock.now()
                self._perform(self._driver.attest(now=now, deadline=now + ATTEST_S))
            case AttestationJudged(attestation):
                self._judged(attestation)
            case RequestFailed("ATTEST"):
                self._judged(UNANSWERED)
            case DeviceLost() if self._turned_away:
                self._turned_away = False  # by us: it was told as a refusal
            case DeviceLost():
                self._judged(UNANSWERED)
                self._hand_on(event)
            case _ if self._identified is not None:
                self._withheld.append(event)
            case _:
                self._hand_on(event)

    def _keep_count(self, key_id: str, sealed_count: int) -> None:
        try:
            self._terms.keep_count(key_id, sealed_count)
        except ConfigError as error:
            text = f"the device at {self._terms.where} proved itself, but its count could not be stored: {error.text}"
            self._turn_away(DeviceError("device-count-not-kept", text), None)
            return
        self._perform(self._driver.count_kept(self._clock.now()))

    def _judged(self, attestation: Attestation) -> None:
        identified, self._identified = self._identified, None
        if identified is None:
            return
        withheld, self._withheld = self._withheld, []
        error = refusal_of(identified.identity, attestation, self._terms.where) if self._terms.live else None
        if error is None:
            self._hand_on(cast("E", replace(identified, attestation=attestation)))
        else:
            self._turn_away(error, identified.identity)
        for event in withheld:  # what it reported is evidence, whoever may deal from it
            self._hand_on(event)

    def _turn_away(self, error: DeviceError, identity: Identity | None) -> None:
        self._turned_away = True
        self._perform(self._driver.close())
        self._hand_on(cast("E", DeviceRefused(error, identity)))


@dataclass(frozen=True, slots=True)
class Pinned(Expected):
    """A device that must also have the serial that `known` returns, where it returns one (condition E35)."""

    known: Callable[[], str | None] = lambda: None

    def admits(self, identity: Identity) -> bool:
        """Tell whether this is the device; asked before it is granted a lease."""
        return Expected.admits(self, identity) and self.known() in (None, identity.serial)


def refusal_of(identity: Identity, attestation: Attestation, where: str) -> DeviceError | None:
    """Return why a live table may not deal with this device, None where it may."""
    kind = DeviceKind(identity.device_kind).name.lower()
    who = (
        f"the {kind} at {where} (model {identity.model!r}, serial {identity.serial!r}, firmware {identity.firmware!r})"
    )
    if "SIM" in identity.model.split("-") or identity.firmware.endswith("-sim"):
        return DeviceError(
            "device-not-for-live", f"{who} is a simulated device; a live table deals from real ones. Connect it."
        )
    if kind == "shoe" and not identity.capabilities & ShoeCapability.COMMITS:
        return DeviceError(
            "device-not-for-live",
            f"{who} does not commit to its cards; a live table needs a shoe that does. Connect one, or use a bench.",
        )
    if kind == "shoe" and identity.capabilities & ShoeCapability.TELLS_FACES:
        return DeviceError(
            "device-not-for-live",
            f"{who} tells the faces of cards that lie face down; it is for a bench only. Connect another shoe.",
        )
    if attestation.standing is Standing.FAILED:
        return DeviceError(
            "device-attestation-failed",
            f"{who} failed its attestation: {attestation.why.value}. Do not deal from it; keep it for the technician.",
        )
    if attestation.standing is Standing.UNATTESTED:
        return DeviceError(
            "device-unattested",
            f"{who} is not attested: {attestation.why.value}. A live table deals from attested devices only; put it on"
            " the signed list, or use a bench.",
        )
    return None
