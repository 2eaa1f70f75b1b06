"""What a bench shoe tells of the cards that leave it: kept sealed, opened when the rules turn the cards up.

Owns the step at which such a face may be looked at, which is the one at which a committing shoe would reveal it: where
nothing else reads cards it enters the round as read, where a reader does it is compared, and what does not fit holds
(P5). It lives in memory alone: after a restart the dealer enters the cards. Implements SHOE-9.14 for the table (P4).
"""

from __future__ import annotations

from collections import Counter

from cardshoe.cards import Card
from cardshoe.round.events import READ, CardMismatched, CardTurned
from cardshoe.round.faces import BOARD
from cardshoe.round.next_step import ReadFaces, next_step
from cardshoe.round.places import in_words
from cardshoe.round.state import State
from cardshoe.sealed_card import SealedCard
from cardshoe.table import commits
from cardshoe.table.desk import Desk


def open_due(desk: Desk) -> None:
    """Enter or compare the faces that lie up now; those of a round that is over are forgotten."""
    live, round_ = desk.live, desk.open_round
    if not live.faces:
        return
    if round_ is None:
        live.faces = {}
        return
    if desk.config.devices.reader is None:
        while round_ is not None and not desk.held and _enter(desk, round_):
            round_ = desk.open_round
    if not desk.held:
        _compare(desk)


def _enter(desk: Desk, round_: State) -> bool:
    """Enter the hand that is to lie up now; tell whether anything was."""
    step = next_step(round_)
    if not isinstance(step, ReadFaces) or step.place == BOARD or commits.faces_at(round_, step.place):
        return False  # what a person has entered already is compared instead
    told = desk.live.faces.get((desk.state.last_round_id, step.place), [])
    if len(told) != round_.game.cards_each:
        return False  # the dealer enters them
    for face in _open(told):
        desk.happened(CardTurned(face, step.place, READ))
    if None in told:
        desk.alarm("card-unread", f"The shoe had not read a card of {in_words(step.place)}. Enter it.")
    return True


def _open(told: list[SealedCard | None]) -> list[str]:
    """Return the faces; the caller has made sure that the rules turn these cards up."""
    cards: list[Card] = [each.reveal(lies_face_up=True) for each in told if each is not None]
    return [card.text for card in cards]


def _compare(desk: Desk) -> None:
    """Hold each hand that lies up whole against what the shoe told of it, once."""
    live = desk.live
    for key, told in list(live.faces.items()):
        round_, (round_id, place) = desk.open_round, key
        if round_ is None or not place or round_id != desk.state.last_round_id:
            continue
        up = commits.faces_at(round_, place)
        if len(up) != len(told):
            continue
        strangers = list((Counter(up) - Counter(_open(told))).elements())
        unread = told.count(None)
        if len(strangers) > unread:
            for face in strangers:
                why = f"the shoe did not deal {face} to {in_words(place)}"
                desk.happened(CardMismatched(place, face, why))
            return
        live.faces = {other: cards for other, cards in live.faces.items() if other != key}
        if strangers:
            names = " ".join(strangers)
            text = f"The shoe had not read a card of {in_words(place)}. Look whether {names} is right."
            desk.alarm("card-unread", text)
            return
