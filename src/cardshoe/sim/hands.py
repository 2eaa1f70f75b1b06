"""The dealer's hands: what a person can do at this table, and what is impossible.

Owns the physical acts on shoe and felt. Must not know firmware: a shoe hears of an act through its sensors only.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final

from cardshoe.sim.codes import MODES
from cardshoe.sim.deck import DECK_CARDS, Placed, counted, face_down, new_deck, only_covers, shuffled, without_covers
from cardshoe.sim.errors import Impossible
from cardshoe.sim.mechanism import Mechanism
from cardshoe.sim.table import PLACES, Table
from cardshoe.sim.truth import Truth

Answer = dict[str, object]
LOOSE: Final = (*PLACES, "burns", "hand")


def _spelled(cards: list[Placed]) -> list[str]:
    return [placed.card.spelled for placed in cards]


class Hands:
    """Acts that happen at once. Each raises Impossible, with nothing changed, when it cannot be done."""

    def __init__(
        self, *, table: Table, mechanism: Mechanism, truth: Truth, shuffle_source: Callable[[], random.Random]
    ) -> None:
        self._table = table
        self._mechanism = mechanism
        self._truth = truth
        self._shuffle_source = shuffle_source

    # --- gate and cover card

    def take_stack(self, to: str) -> Answer:
        """Take everything out of the gate and lay it at a place."""
        state = self._mechanism.state
        if not state.gate and not state.mouth:
            raise Impossible("nothing lies in the gate")
        cards = self._mechanism.empty_gate()
        covers = only_covers(cards)
        self._table.state.covers.extend(face_down(covers))
        self._table.lay(to, without_covers(cards))
        return {"cards": counted(cards), "cover_cards": len(covers)}

    def insert_cover_card(self) -> Answer:
        """Put a cover card into the slot: it lies ahead of the next card."""
        covers = self._table.state.covers
        if not covers:
            raise Impossible("no cover card is in the dealer's hand")
        if not self._mechanism.state.magazine:
            raise Impossible("the magazine is empty: there is nothing to lay a cover card on")
        self._mechanism.state.magazine.insert(0, covers.pop())
        self._mechanism.signal("cover", covered=True)
        return {}

    # --- door and deck

    def open_door(self) -> Answer:
        """Open the door."""
        if self._mechanism.state.door_open:
            raise Impossible("the door is open already")
        self._swing(opened=True)
        return {}

    def close_door(self) -> Answer:
        """Close the door."""
        if not self._mechanism.state.door_open:
            raise Impossible("the door is closed already")
        self._swing(opened=False)
        return {}

    def _swing(self, *, opened: bool) -> None:
        state = self._mechanism.state
        if state.door_open == opened:
            return
        state.door_open, state.door_touched = opened, True
        self._mechanism.signal("door", covered=opened)

    def _inside(self) -> int:
        return counted(self._mechanism.state.magazine) + counted(self._mechanism.state.path)

    def _empty_magazine(self) -> list[Placed]:
        """Take the cards out through the open door; cover cards among them go to the hand."""
        state = self._mechanism.state
        cards = state.path + state.magazine
        from_path = bool(state.path)
        self._mechanism.stop()
        state.path, state.magazine = [], []
        if from_path:
            self._mechanism.path_emptied()
        covers = only_covers(cards)
        if counted(cards):
            self._mechanism.signal("magazine", covered=False)
        if covers:
            self._table.state.covers.extend(face_down(covers))
            self._mechanism.signal("cover", covered=False)
        return without_covers(cards)

    def remove_stub(self) -> Answer:
        """Open the door, take the stub into the hand, close the door."""
        if not self._inside():
            raise Impossible("the magazine is empty: there is no stub")
        self._swing(opened=True)
        stub = self._empty_magazine()
        self._table.lay("hand", stub)
        self._swing(opened=False)
        return {"cards": len(stub)}

    def take_deck(self, source: str | None) -> Answer:
        """Take the whole deck into the hand: out of the shoe as it is, or from the rack, shuffled by hand."""
        if source is None:
            source = "shoe" if self._inside() else "rack"
        if source == "shoe":
            return self.remove_stub()
        cards = face_down(self._table.take("rack"))
        if not cards:
            raise Impossible("neither the shoe nor the rack holds cards")
        self._table.lay("hand", shuffled(cards, self._shuffle_source()))
        return {"cards": len(cards)}

    def load_deck(self) -> Answer:
        """Square everything that is not in the gate into one deck and put it into the shoe."""
        state = self._mechanism.state
        if state.gate or state.mouth:
            raise Impossible("cards lie in the gate: take them first")
        if not self._inside() and not any(self._table.cards(place) for place in (*LOOSE, "rack")):
            raise Impossible("there is no card to load")
        self._swing(opened=True)
        left = self._empty_magazine() if state.magazine or state.path else []
        deck = self._table.take("rack")
        for place in LOOSE:
            deck += self._table.take(place)
        state.magazine = face_down(deck + left)
        self._truth.decks_loaded += 1
        self._mechanism.signal("magazine", covered=True)
        self._swing(opened=False)
        return {"cards": len(state.magazine)}

    def new_deck(self) -> Answer:
        """Take away every card that is not in the gate; a complete deck in factory order lies in the rack."""
        state = self._mechanism.state
        if state.gate or state.mouth:
            raise Impossible("cards lie in the gate: take them first")
        if state.magazine or state.path:
            self._swing(opened=True)
            self._empty_magazine()
            self._swing(opened=False)
        for place in (*LOOSE, "rack"):
            self._table.take(place)
        self._table.lay("rack", new_deck())
        return {"cards": DECK_CARDS}

    # --- cards on the felt

    def burn(self, cards: int) -> Answer:
        """Burn cards from the hand, face down."""
        self._need_hand(cards)
        self._table.lay("burns", face_down(self._table.take("hand", cards)))
        return {}

    def deal_card(self, to: str, *, face_up: bool) -> Answer:
        """Deal the top card of the hand to a place."""
        self._need_hand(1)
        dealt = self._table.take("hand", 1)
        self._table.lay(to, [Placed(placed.card, face_up) for placed in dealt])
        return {}

    def _need_hand(self, cards: int) -> None:
        held = len(self._table.cards("hand"))
        if held < cards:
            raise Impossible(f"the dealer holds {held} cards, {cards} wanted: remove the stub or take the deck first")

    def turn(self, what: str, cards: int | None) -> Answer:
        """Turn cards face up; on the board, deal them from the hand when none lie there face down."""
        backs = len(self._table.cards(what)) - len(self._table.faces(what))
        if what == "board" and backs == 0:
            if cards is None:
                raise Impossible("board: no card lies there face down; say how many to deal from the hand")
            self._need_hand(cards)
            dealt = [Placed(placed.card, face_up=True) for placed in self._table.take("hand", cards)]
            self._table.lay("board", dealt)
            return {"cards": _spelled(dealt)}
        return {"cards": _spelled(self._table.turn(what, cards, face_up=True))}

    def turn_down(self, what: str, cards: int | None) -> Answer:
        """Turn face-up cards face down again."""
        return {"cards": len(self._table.turn(what, cards, face_up=False))}

    def collect(self, what: str | None) -> Answer:
        """Put cards into the discard rack: one place, or everything that is on the table and in the hand."""
        places = LOOSE if what is None else (what,)
        taken: list[Placed] = []
        for place in places:
            taken += self._table.take(place)
        self._table.lay("rack", face_down(taken))
        return {"cards": len(taken)}

    def muck(self, what: str) -> Answer:
        """Put a folded hand into the rack."""
        if not self._table.cards(what):
            raise Impossible(f"no cards lie at {what}")
        return self.collect(what)

    # --- eyes

    def look(self) -> Answer:
        """Tell what a person sees: faces that are up, backs as counts."""
        table, state = self._table, self._mechanism.state
        at_the_mouth = state.gate + state.mouth
        covers = only_covers(at_the_mouth)
        return {
            "places": {place: self._seen(table.cards(place)) for place in PLACES},
            "hand": len(table.cards("hand")),
            "burns": len(table.cards("burns")),
            "rack": len(table.cards("rack")),
            "gate": {
                **self._seen(without_covers(at_the_mouth) if covers else at_the_mouth),
                "cover_cards": len(covers),
            },
            "cover_cards_in_hand": len(table.state.covers),
            "door_open": state.door_open,
            "magazine_empty": not self._inside(),
        }

    def _seen(self, cards: list[Placed]) -> dict[str, object]:
        if not cards:
            return {"backs": 0, "faces": []}
        faces = [placed for placed in cards if placed.face_up]
        return {"backs": len(cards) - len(faces), "faces": _spelled(faces)}

    def peek(self, who: str) -> Answer:
        """A player, or the dealer, looks at the own cards."""
        return {"cards": _spelled(self._table.cards(who))}

    # --- the machine's own switches

    def switch_mode(self, mode: str) -> Answer:
        """Turn the mode switch."""
        if self._mechanism.state.mode != MODES[mode]:
            self._mechanism.state.mode = MODES[mode]
            self._mechanism.signal("mode", covered=True)
        return {}

    def clear_jam(self) -> Answer:
        """Press the lever: a card stuck in the path goes back to the magazine, the door stays closed."""
        state = self._mechanism.state
        if not state.path:
            raise Impossible("no card is stuck in the path")
        state.magazine[:0] = state.path
        cards, state.path = counted(state.path), []
        self._mechanism.path_emptied()
        return {"cards": cards}

    def unexpected_card(self, source: str) -> Answer:
        """A card appears in the gate that no command asked for: it slid out, or someone laid it there."""
        if source == "hand":
            self._need_hand(1)
            self._mechanism.laid_in_gate(face_down(self._table.take("hand", 1)))
            return {}
        if not self._inside() or self._mechanism.feeding:
            raise Impossible("no card can slide out of the magazine now: it is empty, or a stack is on its way")
        self._mechanism.slide_out()
        return {}
