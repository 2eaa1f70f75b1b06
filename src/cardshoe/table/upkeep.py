"""What the table knows of its decks, its counts and its wear, beside the round: built from journal entries alone.

Owns `Upkeep` and `upkept`: the deck that must not be dealt from, the count by which 52 cards are accounted for, where
cover cards are, which back lies in the shoe and for how many rounds, the stub count, the sign-off, what went wrong
since the table was opened, and how much of the list of people stands in the journal. Must not know time, devices' bytes
or screens. Its values have no slots, so that `changed` copies them quickly. Implements conditions E10, E11, E15, E24,
E25 and E26 as far as something has to be remembered for them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from cardshoe.round.state import changed


@dataclass(frozen=True)
class Shift:
    """Counts since the table was opened: `losses` of a device, those of them `losses_on_motion`, cards that the table
    reader told (`reads`), and how many of them it could not read."""

    losses: int = 0
    losses_on_motion: int = 0
    reads: int = 0
    unreadable: int = 0


@dataclass(frozen=True, slots=True)
class Limits:
    """What the floor has set for wagers at `game`, in cents for each spot; "" as long as the floor has set nothing."""

    game: str = ""
    minimum_cents: Mapping[str, int] = field(default_factory=dict)
    maximum_cents: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Upkeep:
    """Everything here outlives a restart.

    `verified_deck_id`: the last deck that the shoe verified; `suspect_deck_id`: the deck that may have changed since
    (0: none), and `suspect_why`. `armed_cards`: cards of the deck that is dealt from; `cards_out`: how many of them the
    shoe counted out (None: it does not know), `cards_unasked`: came out unasked, perhaps not of the deck.
    `cover_cards`: the slots before which cover cards lie in the shoe. `back`: the back of the deck in the shoe, ""
    until the dealer said; `dealt_back`: that of the last round's deck; `suspect_backs`: decks that are set aside;
    `rounds_of_back`: rounds dealt from the deck of each back. `counted_in`: cards that were verified into the shoe.
    `counts_deck`: whether the shoe counts to 52; `uncounted_rounds` and `first_uncounted`: rounds since the last count
    of the stub, which was in `counted_round`. `signed_off`: the cards were counted out. `deck_reads` and
    `deck_unreadable`: of the present deck; `advised`: what service was told already. `people_store`: the list of people
    that the journal knows, "" before any; `people_change`: the last change of it that stands in the journal. `limits`:
    those of the floor; `training`: what happens is training, and is no play.
    """

    verified_deck_id: int = 0
    suspect_deck_id: int = 0
    suspect_why: str = ""
    armed_cards: int = 0
    cards_out: int | None = 0
    cards_unasked: int = 0
    cover_cards: tuple[int, ...] = ()
    back: str = ""
    dealt_back: str = ""
    suspect_backs: tuple[str, ...] = ()
    rounds_of_back: Mapping[str, int] = field(default_factory=dict)
    counted_in: int = 0
    counts_deck: bool = True
    uncounted_rounds: int = 0
    first_uncounted: int = 0
    counted_round: int = 0
    signed_off: bool = False
    deck_reads: int = 0
    deck_unreadable: int = 0
    advised: tuple[str, ...] = ()
    shift: Shift = field(default_factory=Shift)
    people_store: str = ""
    people_change: int = 0
    limits: Limits = Limits()
    training: bool = False


def upkept(upkeep: Upkeep, kind: str, body: Mapping[str, Any], round_id: int) -> Upkeep:
    """Return `upkeep` after the entry of `kind`; the same object where the entry tells nothing for it."""
    taken = _TAKEN.get(kind)
    return upkeep if taken is None else taken(upkeep, body, round_id)


def noted_upkeep(upkeep: Upkeep) -> dict[str, Any]:
    """Return `upkeep` as a JSON object."""
    return asdict(upkeep)


def recalled_upkeep(body: Mapping[str, Any]) -> Upkeep:
    """Return the upkeep that `noted_upkeep` wrote; an older note without it gives a fresh one."""
    if not body:
        return Upkeep()
    lists = ("cover_cards", "suspect_backs", "advised")
    parts = {"shift": Shift(**body["shift"]), "limits": Limits(**body.get("limits", {}))}
    return Upkeep(**{**body, **{name: tuple(body[name]) for name in lists}, **parts})


def _shoe_reported(upkeep: Upkeep, body: Mapping[str, Any], _round_id: int) -> Upkeep:
    match body["event"]:
        case "StackReady":
            return _out(upkeep, body["cards"])
        case "DispenseFailed" | "DispenseInterrupted":
            return _out(upkeep, body["cards_seen"])
        case "CardUnexpected":
            return changed(upkeep, cards_unasked=upkeep.cards_unasked + int(body["cards"]))
        case "CoverCardInserted":
            return changed(upkeep, cover_cards=(*upkeep.cover_cards, int(body["before_slot"])))
        case "CoverCardSeen":
            return changed(upkeep, cover_cards=_without(upkeep.cover_cards, int(body["before_slot"])))
        case "DeckLoaded":
            return changed(upkeep, cover_cards=(), back="")
        case "StubRemoved":
            return changed(upkeep, cover_cards=())
        case "DeckVerified":
            return changed(upkeep, verified_deck_id=int(body["deck_id"]), counted_in=int(body["cards"]))
        case _:
            return upkeep


def _out(upkeep: Upkeep, cards: int | None) -> Upkeep:
    if cards is None or upkeep.cards_out is None:
        return changed(upkeep, cards_out=None)
    return changed(upkeep, cards_out=upkeep.cards_out + cards)


def _without(slots: tuple[int, ...], slot: int) -> tuple[int, ...]:
    """Return `slots` less the card that came out: the one told, else the one that must have lain first."""
    left = sorted(slots)
    if left:
        left.remove(slot if slot in left else left[0])
    return tuple(left)


def _reader_reported(upkeep: Upkeep, body: Mapping[str, Any], _round_id: int) -> Upkeep:
    if body["event"] != "CardRead":
        return upkeep
    bad = 1 if body["face"] == "unreadable" else 0
    shift = changed(upkeep.shift, reads=upkeep.shift.reads + 1, unreadable=upkeep.shift.unreadable + bad)
    return changed(upkeep, shift=shift, deck_reads=upkeep.deck_reads + 1, deck_unreadable=upkeep.deck_unreadable + bad)


def _deck_armed(upkeep: Upkeep, body: Mapping[str, Any], _round_id: int) -> Upkeep:
    return changed(
        upkeep,
        verified_deck_id=int(body["deck_id"]),
        armed_cards=int(body["cards"]),
        counted_in=int(body["cards"]),
        cards_out=0,
        cards_unasked=0,
        deck_reads=0,
        deck_unreadable=0,
        advised=(),
    )


def _deck_suspected(upkeep: Upkeep, body: Mapping[str, Any], _round_id: int) -> Upkeep:
    out = upkeep.cards_out if body["count_known"] else None
    return changed(upkeep, suspect_deck_id=int(body["deck_id"]), suspect_why=str(body["why"]), cards_out=out)


def _deck_proved(upkeep: Upkeep, _body: Mapping[str, Any], _round_id: int) -> Upkeep:
    return changed(upkeep, suspect_deck_id=0, suspect_why="")


def _backs_suspected(upkeep: Upkeep, body: Mapping[str, Any], _round_id: int) -> Upkeep:
    backs = tuple(str(back) for back in body["backs"])
    return changed(upkeep, suspect_backs=(*upkeep.suspect_backs, *(b for b in backs if b not in upkeep.suspect_backs)))


def _deck_placed(upkeep: Upkeep, body: Mapping[str, Any], _round_id: int) -> Upkeep:
    return changed(upkeep, back=str(body["back"]))


def _deck_replaced(upkeep: Upkeep, body: Mapping[str, Any], _round_id: int) -> Upkeep:
    back = str(body["back"])
    return changed(
        upkeep,
        suspect_backs=tuple(each for each in upkeep.suspect_backs if each != back),
        rounds_of_back={**upkeep.rounds_of_back, back: 0},
    )


def _stub_counted(upkeep: Upkeep, _body: Mapping[str, Any], round_id: int) -> Upkeep:
    return changed(upkeep, uncounted_rounds=0, first_uncounted=0, counted_round=round_id)


def _settled(upkeep: Upkeep, body: Mapping[str, Any], round_id: int) -> Upkeep:
    if not upkeep.armed_cards:
        return upkeep
    counted = upkeep.counted_round == round_id
    return changed(
        upkeep,
        armed_cards=0,
        dealt_back=upkeep.back,
        back="",
        rounds_of_back={**upkeep.rounds_of_back, upkeep.back: upkeep.rounds_of_back.get(upkeep.back, 0) + 1},
        uncounted_rounds=0 if counted else upkeep.uncounted_rounds + 1,
        first_uncounted=0 if counted else upkeep.first_uncounted or round_id,
    )


def _signed_off(upkeep: Upkeep, _body: Mapping[str, Any], _round_id: int) -> Upkeep:
    return changed(upkeep, signed_off=True)


def _table_opened(upkeep: Upkeep, _body: Mapping[str, Any], _round_id: int) -> Upkeep:
    return changed(upkeep, signed_off=False, shift=Shift(), advised=())


def _limits_changed(upkeep: Upkeep, body: Mapping[str, Any], _round_id: int) -> Upkeep:
    return changed(
        upkeep,
        limits=Limits(str(body["game"]), dict(body["minimum_cents"]), dict(body["maximum_cents"])),
    )


def _training_set(upkeep: Upkeep, body: Mapping[str, Any], _round_id: int) -> Upkeep:
    return changed(upkeep, training=bool(body["on"]))


def _identified(upkeep: Upkeep, body: Mapping[str, Any], _round_id: int) -> Upkeep:
    if body["device"] != "shoe":
        return upkeep
    # An older journal did not say what the shoe can do; then it counts, as every shoe that it knew did.
    return changed(upkeep, counts_deck=bool(body.get("counts_deck", True)))


def _device_lost(upkeep: Upkeep, body: Mapping[str, Any], _round_id: int) -> Upkeep:
    shift, moving = upkeep.shift, 1 if body.get("on_motion") else 0
    return changed(
        upkeep,
        shift=changed(shift, losses=shift.losses + 1, losses_on_motion=shift.losses_on_motion + moving),
    )


def _advised(upkeep: Upkeep, body: Mapping[str, Any], _round_id: int) -> Upkeep:
    return changed(upkeep, advised=(*upkeep.advised, str(body["code"])))


def _people_list_found(upkeep: Upkeep, body: Mapping[str, Any], _round_id: int) -> Upkeep:
    same = body["store"] == upkeep.people_store
    return changed(upkeep, people_store=str(body["store"]), people_change=int(body["change"]) if same else 0)


def _people_changed(upkeep: Upkeep, body: Mapping[str, Any], _round_id: int) -> Upkeep:
    return changed(upkeep, people_store=str(body["store"]), people_change=int(body["change"]))


_TAKEN: Final[Mapping[str, Callable[[Upkeep, Mapping[str, Any], int], Upkeep]]] = {
    "shoe_reported": _shoe_reported,
    "reader_reported": _reader_reported,
    "deck_armed": _deck_armed,
    "deck_suspected": _deck_suspected,
    "deck_count_proved": _deck_proved,
    "backs_suspected": _backs_suspected,
    "deck_placed": _deck_placed,
    "deck_replaced": _deck_replaced,
    "stub_counted": _stub_counted,
    "settled": _settled,
    "signed_off": _signed_off,
    "table_opened": _table_opened,
    "limits_changed": _limits_changed,
    "training_set": _training_set,
    "device_identified": _identified,
    "device_lost": _device_lost,
    "service_advised": _advised,
    "people_list_found": _people_list_found,
    "person_enrolled": _people_changed,
    "person_removed": _people_changed,
    "person_unlocked": _people_changed,
    "pin_changed": _people_changed,
    "signed_elsewhere": _people_changed,
}
"""What each kind of entry does to the upkeep."""
