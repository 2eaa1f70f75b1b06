"""Firmware of the shoe: rounds whose cards it commits to, and who may ask for what.

Owns SHOE-2.6, SHOE-9.1, SHOE-9.3 to SHOE-9.7 and SHOE-9.9 to SHOE-9.14. Must not compute a commitment or an envelope
itself (`hidden` does), nor look at a card but through the exit reader.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from cardshoe.sim import hidden
from cardshoe.sim.asked import note, read_asked
from cardshoe.sim.codes import (
    AskedKind,
    Capability,
    DeckState,
    MatchResult,
    RevealResult,
    RoundResult,
    RoundState,
)
from cardshoe.sim.deck import DECK_CARDS
from cardshoe.sim.keys import NO_AUDITOR
from cardshoe.sim.link import Reply, number
from cardshoe.sim.messages import Value
from cardshoe.sim.nvram import CommittedCard, RoundMemory

if TYPE_CHECKING:
    from cardshoe.sim.shoe import Shoe

UNREADABLE: Final = 0xFE
REVEALED_MAX: Final = 7


class Rounds:
    """The round in the shoe. `secret` gives 32 random bytes."""

    def __init__(self, shoe: Shoe, *, capabilities: int, serial: str, secret: Callable[[], bytes]) -> None:
        self._shoe = shoe
        self._capabilities = capabilities
        self._serial = serial
        self._secret = secret
        self._passages = 0
        if shoe.broken("SHOE-9.12"):
            self._memory.tries.clear()
            self._memory.revealed.clear()

    @property
    def _memory(self) -> RoundMemory:
        return self._shoe.memory.round

    def can(self, capability: Capability) -> bool:
        """Tell whether this shoe has a capability."""
        return bool(self._capabilities & capability)

    def knows(self, name: str) -> bool:
        """Tell whether this shoe has a command: those of this chapter only with capability 32, reveals with 64."""
        if name == "REVEAL_STACK" and not self.can(Capability.REVEALS):
            return False
        return name not in ROUND_ORDERS or self.can(Capability.COMMITS)

    @property
    def open(self) -> bool:
        """Tell whether a round is open."""
        return self._memory.state != RoundState.NONE

    def has_other_deck(self, deck_id: int) -> bool:
        """Tell whether the open round has another deck than this (SHOE-4.2)."""
        return self.open and self._memory.deck_id != deck_id

    @property
    def deal_closed(self) -> bool:
        """Tell whether no card may leave in this round any more (SHOE-9.6)."""
        return self._memory.state == RoundState.CLOSED and not self._shoe.broken("SHOE-9.6")

    def status(self) -> tuple[int, int]:
        """Return round id and state for STATUS; 0 and 0 of a shoe that does not commit (SHOE-2.6)."""
        return (self._memory.round_id, self._memory.state) if self.can(Capability.COMMITS) else (0, 0)

    # --- a card leaves

    def card_passed(self, command_id: int, slot: int, deck_id: int) -> None:
        """A card has passed the exit sensor: read it, and commit to it when a round is open (SHOE-9.3, SHOE-9.14)."""
        shoe, memory = self._shoe, self._memory
        face = shoe.read_at_exit()
        if self.can(Capability.TELLS_FACES):
            shoe.report("CARD_FACE", command_id=command_id, slot=slot, face=face)
        if not self.open or memory.deck_id != deck_id or not self.can(Capability.COMMITS):
            return
        memory.cards.append(CommittedCard(command_id, slot, face))
        shoe.store.touch()
        self._passages += 1
        if shoe.broken("SHOE-9.3") and self._passages % 3 == 0:
            return
        bound = 0 if shoe.broken("SHOE-9.2") else slot
        salt = hidden.salt_of(self._seed, bound)
        commitment = hidden.commitment_of(salt, self._place, bound, face)
        if shoe.commits_wrongly():
            commitment = bytes(byte ^ 0x55 for byte in commitment)
        shoe.report("CARD_COMMITTED", round_id=memory.round_id, command_id=command_id, slot=slot, commitment=commitment)

    @property
    def _seed(self) -> bytes:
        return bytes.fromhex(self._memory.seed)

    @property
    def _place(self) -> hidden.Place:
        return hidden.Place(self._serial, self._memory.deck_id, self._memory.round_id)

    # --- begin, close, end

    def _disturbance(self) -> RoundResult | None:
        if self._shoe.run is not None:
            return RoundResult.BUSY
        return RoundResult.STACK_AT_GATE if self._shoe.senses.gate_occupied else None

    def begin(self, values: Mapping[str, Value]) -> Reply:
        """BEGIN_ROUND (SHOE-9.1)."""
        round_id, deck_id = number(values["round_id"]), number(values["deck_id"])
        result = self._begun(round_id, deck_id)
        return Reply("BEGIN_ROUND_REPLY", {"round_id": round_id, "result": result})

    def _begun(self, round_id: int, deck_id: int) -> RoundResult:
        shoe, memory = self._shoe, self._memory
        if round_id == 0:
            return RoundResult.BAD_VALUE
        if self.open and round_id == memory.round_id:
            return RoundResult.DONE
        if round_id <= memory.round_id:
            return RoundResult.STALE_ROUND
        disturbance = self._disturbance()
        if disturbance is not None:
            return disturbance
        if shoe.memory.deck_state != DeckState.VERIFIED or shoe.memory.deck_id != deck_id:
            return RoundResult.WRONG_DECK
        if self.open:
            self._seal()
        memory.round_id, memory.state, memory.deck_id = round_id, RoundState.DEALING, deck_id
        memory.seed = bytes(range(32)).hex() if shoe.broken("SHOE-9.1") else self._secret().hex()
        shoe.store.touch()
        return RoundResult.DONE

    def close_deal(self, values: Mapping[str, Value]) -> Reply:
        """CLOSE_DEAL (SHOE-9.6)."""
        round_id, memory = number(values["round_id"]), self._memory
        result = RoundResult.DONE
        if not self.open or round_id != memory.round_id:
            result = RoundResult.NOT_OPEN
        elif memory.state == RoundState.DEALING:
            result = self._disturbance() or RoundResult.DONE
        if result is RoundResult.DONE:
            memory.state = RoundState.CLOSED
            self._shoe.store.touch()
        return Reply("CLOSE_DEAL_REPLY", {"round_id": round_id, "result": result})

    def end(self, values: Mapping[str, Value]) -> Reply:
        """END_ROUND (SHOE-9.9): ROUND_SEALED is in the ring before the reply."""
        round_id, memory = number(values["round_id"]), self._memory
        result = RoundResult.DONE
        if round_id == 0 or round_id != memory.round_id:
            result = RoundResult.NOT_OPEN
        elif self.open:
            result = self._disturbance() or RoundResult.DONE
            if result is RoundResult.DONE:
                self._seal()
        return Reply("END_ROUND_REPLY", {"round_id": round_id, "result": result})

    def _seal(self) -> None:
        shoe, memory = self._shoe, self._memory
        envelope = hidden.envelope_of(
            self._seed, self._place, memory.cards, auditor=self._auditor(), secret=self._secret()
        )
        values: dict[str, Value] = {
            "round_id": memory.round_id,
            "deck_id": memory.deck_id,
            "first_slot": envelope.first_slot,
            "cards": envelope.cards,
            "auditor": envelope.auditor,
            "ephemeral": envelope.ephemeral,
            "sealed": envelope.sealed,
        }
        memory.state, memory.seed = RoundState.NONE, ""
        memory.cards, memory.tries, memory.revealed = [], {}, []
        shoe.store.touch()
        if not shoe.broken("SHOE-9.9"):
            shoe.report("ROUND_SEALED", **values)

    def _auditor(self) -> bytes | None:
        """The auditor's key of the pairing whose session this is, in clear that of the last pairing (SHOE-9.10)."""
        if not self.can(Capability.ENVELOPES):
            return None
        key = self._shoe.link.sessions.auditor
        if key == NO_AUDITOR:
            return None
        if self._shoe.broken("SHOE-9.10"):
            return bytes((9,)) + bytes(31)  # a public key of nobody's: the base point
        return key

    # --- match and reveal

    def _stack(self, command_id: int) -> list[CommittedCard]:
        run = self._shoe.run
        if run is not None and run.command_id == command_id:
            return []
        return [card for card in self._memory.cards if card.command_id == command_id]

    def match(self, values: Mapping[str, Value]) -> Reply:
        """MATCH_CARD (SHOE-9.4, SHOE-9.5)."""
        round_id, command_id = number(values["round_id"]), number(values["command_id"])
        result = self._matched(round_id, command_id, number(values["face"]))
        return Reply("MATCH_CARD_REPLY", {"round_id": round_id, "command_id": command_id, "result": result})

    def _matched(self, round_id: int, command_id: int, face: int) -> MatchResult:
        memory = self._memory
        if not self.open or round_id != memory.round_id:
            return MatchResult.NOT_OPEN
        stack = self._stack(command_id)
        if not stack:
            return MatchResult.UNKNOWN_STACK
        if face >= DECK_CARDS:
            return MatchResult.BAD_VALUE
        allowed = len(stack) * (2 if self._shoe.broken("SHOE-9.4") else 1)
        if memory.tries.get(command_id, 0) >= allowed or command_id in memory.revealed:
            return MatchResult.NO_TRY_LEFT
        memory.tries[command_id] = memory.tries.get(command_id, 0) + 1
        result = MatchResult.MISMATCH
        for wanted, told in ((face, MatchResult.MATCH), (UNREADABLE, MatchResult.UNREAD)):
            found = next((card for card in stack if card.face == wanted and not card.spent), None)
            if found is not None:
                found.spent, result = True, told
                break
        note(self._shoe, command_id, AskedKind.MATCH, result)
        return result

    def reveal(self, values: Mapping[str, Value]) -> Reply:
        """REVEAL_STACK (SHOE-9.7)."""
        round_id, command_id = number(values["round_id"]), number(values["command_id"])
        result = self._may_reveal(round_id, command_id)
        shown: list[CommittedCard] = []
        if result is RevealResult.REVEALED:
            shown = sorted(self._stack(command_id), key=lambda card: card.slot)[:REVEALED_MAX]
            self._memory.revealed.append(command_id)
            note(self._shoe, command_id, AskedKind.REVEAL, result)
        faces = bytes(card.face for card in shown)
        salts = b"".join(hidden.salt_of(self._seed, card.slot) for card in shown)
        answer: dict[str, Value] = {
            "round_id": round_id,
            "command_id": command_id,
            "result": result,
            "cards": len(shown),
            "faces": faces.ljust(REVEALED_MAX, bytes((hidden.NO_FACE,))),
            "salts": salts.ljust(REVEALED_MAX * hidden.SALT_BYTES, b"\x00"),
        }
        return Reply("REVEAL_STACK_REPLY", answer)

    def _may_reveal(self, round_id: int, command_id: int) -> RevealResult:
        memory = self._memory
        if not self.open or round_id != memory.round_id:
            return RevealResult.NOT_OPEN
        if memory.state != RoundState.CLOSED and not self._shoe.broken("SHOE-9.7"):
            return RevealResult.NOT_YET
        if not self._stack(command_id):
            return RevealResult.UNKNOWN_STACK
        spent = command_id in memory.revealed or memory.tries.get(command_id, 0)
        return RevealResult.SPENT if spent else RevealResult.REVEALED


def _of_rounds(act: Callable[[Rounds, Mapping[str, Value]], Reply]) -> Callable[[Shoe, Mapping[str, Value]], Reply]:
    return lambda shoe, values: act(shoe.rounds, values)


ROUND_ORDERS: Final[dict[str, Callable[[Shoe, Mapping[str, Value]], Reply]]] = {
    "BEGIN_ROUND": _of_rounds(Rounds.begin),
    "CLOSE_DEAL": _of_rounds(Rounds.close_deal),
    "END_ROUND": _of_rounds(Rounds.end),
    "MATCH_CARD": _of_rounds(Rounds.match),
    "REVEAL_STACK": _of_rounds(Rounds.reveal),
    "READ_ASKED": read_asked,
}
