"""At every start of the motor: for a command that was meant, in its place in the round, with nothing held.

Owns what promises P1, P3 and P5 say of the moment at which a card begins to move. Must not import what it judges.
"""

from __future__ import annotations

from typing import Final

from cardshoe.lab.simulation.book import DEALER, Request, RoundBook
from cardshoe.lab.simulation.facts import Facts
from cardshoe.lab.simulation.watched import Feed

_FULL_DECK: Final = 52


class Motor:
    """Judges each run of the feed motor."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts

    def fed(self, feed: Feed) -> None:
        """The motor starts: for a command that was meant, in its place in the round, with nothing held."""
        request = self._facts.book.requests.get(feed.command_id)
        if feed.command_id in self._facts.fed:
            raise self._facts.broken("P1", f"the motor runs a second time for command {feed.command_id}")
        if request is None:
            raise self._facts.broken("P2", f"the motor runs for command {feed.command_id}, of which nothing is durable")
        self._facts.fed[feed.command_id] = feed
        to = DEALER if feed.destination == 0 else str(feed.destination)
        if (to, feed.asked) != (request.to, request.cards):
            meant = f"{request.cards} cards for {request.to}"
            raise self._facts.broken(
                "P1", f"command {feed.command_id} meant {meant}; the motor runs for {feed.asked} to {to}"
            )
        if self._facts.sent_into_gate.get(feed.command_id, False) and self._facts.world.gate_occupied:
            raise self._facts.broken("P1", f"the motor runs for {to} though cards of before lie in the gate")
        if self._facts.must_hold:
            raise self._facts.broken(
                "P5", f"the motor runs for {to} though nothing was asked after: {self._facts.must_hold[0]}"
            )
        round_ = self._facts.book.round
        if round_ is None or request.round_id != round_.round_id or round_.completed:
            raise self._facts.broken("P3", f"the motor runs for command {feed.command_id} of a round that is not open")
        self._in_order(round_, request)
        self._from_a_fresh_deck(round_, feed)

    def _in_order(self, round_: RoundBook, request: Request) -> None:
        if not round_.no_more_bets:
            raise self._facts.broken("P3", f"the motor runs for {request.to} before no more bets")
        if request.to != DEALER and request.to not in round_.wagering:
            raise self._facts.broken("P1", f"the motor runs for position {request.to}, which has no wager")
        self._facts.world.count()
        for other in round_.requests:
            feed = self._facts.fed.get(other.command_id)
            if other is request or feed is None or not feed.moved or other.fate == "not moved":
                continue
            if other.to == request.to:
                raise self._facts.broken(
                    "P1", f"a second stack for {request.to}: commands {other.command_id}, {request.command_id}"
                )
            if other.to == DEALER:
                raise self._facts.broken("P3", f"a stack for {request.to} after the dealer's")
            if request.to != DEALER and other.to > request.to:
                raise self._facts.broken("P3", f"the stack for {request.to} comes after that for {other.to}")
        missing = [position for position in round_.wagering if position not in round_.delivered]
        if request.to == DEALER and missing:
            raise self._facts.broken("P3", f"the dealer's stack comes before that for {missing[0]}")

    def _from_a_fresh_deck(self, round_: RoundBook, feed: Feed) -> None:
        if round_.round_id == self._facts.spent_round:
            return
        if feed.shuffles == self._facts.spent_shuffles:
            raise self._facts.broken(
                "P3", f"round {round_.round_id} is dealt from the deck of round {self._facts.spent_round}"
            )
        self._facts.spent_round, self._facts.spent_shuffles = round_.round_id, feed.shuffles
        cards = feed.undealt
        if round_.asked or self._facts.world.tampered or self._facts.world.just_slid:
            return  # a card that came out was asked after; nobody can know of a deck that was changed unseen
        if (len(cards), len(set(cards))) != (_FULL_DECK, _FULL_DECK):
            raise self._facts.broken(
                "P3", f"round {round_.round_id} is dealt from {len(cards)} cards, {len(set(cards))} different"
            )
