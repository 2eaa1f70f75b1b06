"""The robot dealer's hands: stacks, single cards, stub, burns, board, faces.

Owns every step in which a card moves or is turned. Before hands do anything the robot looks at the table, so that one
that starts on an open round (after a crash, after a restart of the table) does not take, burn or deal again what was
done already. Where the table reader stays silent the dealer enters the faces that lie up.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from cardshoe.errors import Refused
from cardshoe.games.script import DEALER
from cardshoe.games.verdicts import Case
from cardshoe.lab.doings import Do, Doing, Pause, Say, Shows, Steps, Watch
from cardshoe.lab.eyes import Sight, sight, unknown_faces
from cardshoe.lab.patience import LONG_S, REPORT_S, STUB_S, Patience
from cardshoe.lab.players import Players
from cardshoe.round import next_step as step
from cardshoe.round.events import (
    DECLARED,
    BoardDealt,
    BoardTurned,
    CardBurned,
    CardDealt,
    CardTurned,
    DealerRevealed,
    HandCollected,
    IrregularityFound,
    RoundCompleted,
)
from cardshoe.round.faces import BOARD
from cardshoe.round.state import State
from cardshoe.table import view
from cardshoe.table.acts import StubCounted


class CardWork:
    """The hands at the table that `table` shows. Each method is one due step."""

    def __init__(self, table: Shows, players: Players, patience: Patience) -> None:
        self._table = table
        self._players = players
        self._patience = patience

    @property
    def round(self) -> State:
        """The round that is open. Raises `Refused` (`no-round`)."""
        round_ = self._table.controller.state.round
        if round_ is None:
            raise Refused("no-round", "no round is open; open one first")
        return round_

    def give_up(self) -> Steps:
        """The round cannot go on: a fault of equipment that affects the outcome voids it, every wager goes back."""
        round_ = self._table.controller.desk.open_round
        if round_ is not None and not round_.over:
            yield Say(IrregularityFound(Case.DEVICE_FAULT))

    # --- deck and gate

    def load_deck(self, due: view.LoadDeck) -> Steps:
        """Put the whole deck into the shoe, if that is still due once it is squared."""
        shown = self._table.shown
        yield Pause(4.0)
        if self._table.shown.due != due:
            return
        yield Do("load_deck")
        yield Watch(shown, LONG_S)

    def clear_gate(self, _due: view.ClearGate) -> Steps:
        """Take cards that belong to nobody out of the gate, into the rack."""
        shown = self._table.shown
        seen = yield from _look()
        if not seen.gate_empty:
            yield Pause(1.0)
            yield Do("take_stack", {"to": seen.free_place})
            yield Do("collect", {"what": seen.free_place})
        yield Watch(shown, REPORT_S)

    def take_stack(self, due: view.TakeStack) -> Steps:
        """Take the stack to its place, the cover card into the shoe before it where the dealer uses one."""
        shown, round_ = self._table.shown, self.round
        seen = yield from _look()
        if not seen.gate_empty:
            may = due.to != DEALER and not round_.cover_card_in and not round_.dealer_requested
            if may and seen.cover_cards_in_hand and self._players.puts_cover_card_in(round_.round_id):
                yield Do("insert_cover_card")
            yield Pause(1.0)
            if self._table.shown.due != due:  # what lies in the gate now may be another stack, for another place
                return
            yield Do("take_stack", {"to": due.to})
        yield Watch(shown, REPORT_S)

    def remove_stub(self, due: step.RemoveStub) -> Steps:
        """Take the stub into the hand."""
        shown = self._table.shown
        seen = yield from _look()
        if not seen.magazine_empty:
            yield Pause(2.5)
            yield Do("remove_stub")
        waited_s = self._patience.waited_s(due)
        if not (yield Watch(shown, REPORT_S)) and waited_s > STUB_S:
            yield from self.give_up()

    def count_stub(self, _due: view.CountStub) -> Steps:
        """Spread and count what is left of the deck."""
        seen = yield from _look()
        if not seen.magazine_empty:
            yield Do("remove_stub")
            seen = yield from _look()
        yield Pause(8.0)
        yield Say(StubCounted(seen.hand))

    # --- cards from the hand

    def deal_card(self, due: step.DealCard) -> Steps:
        """Deal one card, from a deck that the hand takes up first."""
        round_ = self.round
        dealt = round_.dealer_dealt if due.to == DEALER else round_.hand(due.to).dealt
        seen = yield from _look()
        if seen.at(due.to).cards <= dealt:
            if not seen.hand:
                yield Pause(6.0)
                yield Do("take_deck")
            yield Pause(0.8)
            yield Do("deal_card", {"to": due.to})
        yield Say(CardDealt(due.to))

    def burn(self, due: step.BurnCards) -> Steps:
        """Burn from the hand."""
        burned = self.round.burned
        seen = yield from _look()
        if seen.burns < burned + due.cards:
            yield Pause(1.0)
            yield Do("burn", {"cards": due.cards})
        yield Say(CardBurned(due.cards))

    def deal_board(self, due: step.DealCommunity) -> Steps:
        """Deal community cards; face up, the reader tells of them."""
        seen = yield from _look()
        missing = self.round.board_dealt + due.cards - seen.at(BOARD).cards
        if missing > 0:
            yield Pause(1.5)
            for _ in range(missing):
                yield Do("deal_card", {"to": BOARD, "face_up": due.face_up})
        if not due.face_up or (yield from self._patience.reader_is_silent(due)):
            yield Say(BoardDealt(due.cards))

    # --- faces

    def turn_board(self, due: step.TurnCommunity) -> Steps:
        """Turn up community cards."""
        seen = yield from _look()
        missing = self.round.board_up + due.cards - len(seen.at(BOARD).faces)
        if missing > 0:
            yield Pause(1.5)
            yield Do("turn", {"what": BOARD, "cards": missing})
        if (yield from self._patience.reader_is_silent(due)):
            yield Say(BoardTurned(due.cards))

    def turn_dealer(self, due: step.TurnDealer) -> Steps:
        """Turn up the dealer's hand."""
        seen = yield from _look()
        if seen.at(DEALER).backs:
            yield Pause(2.0)
            yield Do("turn", {"what": DEALER})
        if (yield from self._patience.reader_is_silent(due)):
            yield Say(DealerRevealed())

    def read_faces(self, due: step.ReadFaces) -> Steps:
        """Turn up what has to lie up; what the reader does not tell the dealer enters."""
        known = self._known(due.place)
        seen = yield from _look()
        lying = seen.at(due.place)
        turn = min(len(known) + due.cards - len(lying.faces), lying.backs)
        if turn > 0:
            yield Pause(1.0)
            yield Do("turn", {"what": due.place, "cards": turn})
        if not (yield from self._patience.reader_is_silent(due)):
            return
        seen = yield from _look()
        entered = unknown_faces(seen.at(due.place).faces, self._known(due.place))
        if not entered or len(entered[0]) != 2:  # too few cards lie there, or one of another deck
            yield from self.give_up()
            return
        yield Say(CardTurned(entered[0], due.place, DECLARED))

    def _known(self, place: str) -> tuple[str, ...]:
        round_ = self.round
        if place == BOARD:
            return tuple(card.text for card in round_.board_faces)
        cards = round_.dealer_faces if place == DEALER else round_.hand(place).faces
        return tuple(card.text for card in cards)

    # --- the rack

    def collect(self, due: step.CollectHand) -> Steps:
        """Put one hand into the rack."""
        yield Pause(1.0)
        yield Do("collect", {"what": due.position})
        yield Say(HandCollected(due.position))

    def complete(self, _due: step.CompleteRound) -> Steps:
        """Put everything into the rack; the round is complete."""
        seen = yield from _look()
        if not seen.gate_empty:
            yield Do("take_stack", {"to": seen.free_place})
        yield Pause(3.0)
        yield Do("collect")
        yield Say(RoundCompleted())


def _look() -> Generator[Doing, Any, Sight]:
    return sight((yield Do("look")))
