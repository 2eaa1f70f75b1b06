"""A whole round again, from what is known of it afterwards: the cards, the wagers, the answers, what went wrong.

Owns driving one recorded round through the machine that runs the table, and what a record of a round must hold. Must
not know JSON. Irregularities: NY-5324.36(h)(1)–(3) where the text rules, a floor ruling where it is silent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from cardshoe.cards import Card
from cardshoe.errors import InputError, Refused
from cardshoe.games.house import House
from cardshoe.games.script import (
    DEALER,
    POSITIONS,
    Ask,
    Burn,
    DealBoard,
    DealStacks,
    Game,
    Method,
    RevealDealer,
    SettleHands,
    Step,
    TurnBoard,
)
from cardshoe.games.verdicts import Case, Outcome
from cardshoe.round import irregular
from cardshoe.round.betting import check_wagers
from cardshoe.round.dealing import Misfit
from cardshoe.round.deciding import answered
from cardshoe.round.events import (
    READ,
    BoardDealt,
    BoardTurned,
    CardBurned,
    DealerRevealed,
    DecisionMade,
    Event,
    FloorRuled,
    HandCollected,
    HandSettled,
    IrregularityFound,
    NoMoreBetsCalled,
    StackDelivered,
    StackRequested,
    StubRemoved,
    WagerPlaced,
)
from cardshoe.round.faces import BOARD, turned_up
from cardshoe.round.machine import apply, new_round
from cardshoe.round.progress import first_asked, next_destination, stub_demanded
from cardshoe.round.settlement import next_to_settle
from cardshoe.round.state import VOID, State, changed

_NO_MORE_BETS: Final = NoMoreBetsCalled()
_REVEALED: Final = DealerRevealed()
_STUB_OUT: Final = StubRemoved()
_SETTLED: Final = {position: HandSettled(position) for position in POSITIONS}
_COLLECTED: Final = {position: HandCollected(position) for position in POSITIONS}
_dealt_patterns: dict[tuple[str, tuple[tuple[str, ...], ...]], State] = {}
MOST_PATTERNS: Final = 1024
_FROM_HAND: Final = (Burn, DealBoard)


@dataclass(frozen=True, slots=True)
class HandRecord:
    """One position: spot to cents before the deal, its cards, its answers in order."""

    wagers: Mapping[str, int]
    cards: tuple[Card, ...]
    actions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RoundRecord:
    """One round. `hands` by position; `found` and `rulings`: what went wrong and what the floor said of it."""

    game: Game
    house: House
    hands: Mapping[str, HandRecord]
    dealer: tuple[Card, ...]
    board: tuple[Card, ...]
    found: tuple[IrregularityFound, ...] = ()
    rulings: tuple[FloorRuled, ...] = ()


def recompute(record: RoundRecord) -> State:
    """Return the state of the whole round.

    Raises `Refused` or `InputError` for wagers and answers that the rules do not allow, and for a record that lacks
    cards, answers or a ruling (`card-count`, `duplicate-card`, `action-missing`, `action`, `ruling-missing`, `ruling`).
    """
    # The house's minimum serves the aggregate limit only: what was wagered was taken.
    house = record.house
    if house.minimum_cents or house.maximum_cents:
        house = replace(house, minimum_cents={}, maximum_cents={})
    drive = _Drive(record, _after_deal(record, house))
    drive.rule()
    drive.play()
    drive.check()
    return drive.state


def _after_deal(record: RoundRecord, house: House) -> State:
    """Return the state in which every stack lies at its place.

    Which spots have a wager decides where the stacks go, the amounts do not: each pattern of wagers is dealt once, and
    amounts and house are put in its place after the checks that every wager goes through.
    """
    game, hands = record.game, record.hands
    pattern = (game.name, tuple([(position, *hand.wagers) for position, hand in hands.items()]))
    dealt = _dealt_patterns.get(pattern)
    if dealt is None or dealt.game is not game:
        dealt = _dealt_out(record, house)
        if len(_dealt_patterns) >= MOST_PATTERNS:
            _dealt_patterns.clear()
        _dealt_patterns[pattern] = dealt
        return dealt
    for position, hand in hands.items():
        check_wagers(game, house, hand.wagers, f"position {position}")
    placed = tuple(
        [
            changed(hand, wagers=game.in_settling_order(hands[hand.position].wagers)) if hand.wagers else hand
            for hand in dealt.hands
        ]
    )
    return changed(dealt, house=house, hands=placed)


def forget_patterns() -> None:
    """Deal every pattern anew."""
    _dealt_patterns.clear()


def remembered_patterns() -> int:
    """Return how many patterns are known, `MOST_PATTERNS` at most."""
    return len(_dealt_patterns)


def _dealt_out(record: RoundRecord, house: House) -> State:
    """Wagers, "no more bets", then every stack, the dealer's last."""
    seats = {position: f"player {position}" for position in record.hands}
    state = new_round(record.game, house, Method.AUTOMATED_SHOE, 0, seats, live=True)
    for position, hand in record.hands.items():
        state, _ = apply(state, WagerPlaced(position, seats[position], hand.wagers))
    state, _ = apply(state, _NO_MORE_BETS)
    step = state.script[state.step]
    command_id = 0
    while isinstance(step, DealStacks):
        command_id += 1
        to = next_destination(state, step) or DEALER
        state, _ = apply(state, StackRequested(command_id, to, step.cards))
        state, _ = apply(state, StackDelivered(command_id, to, step.cards))
        step = state.script[state.step]
    return state


class _Drive:
    """One round on its way through the machine."""

    __slots__ = ("answers", "record", "state")

    def __init__(self, record: RoundRecord, state: State) -> None:
        self.record = record
        self.state = state
        self.answers: dict[str, Iterator[str]] = {at: iter(hand.actions) for at, hand in record.hands.items()}

    def rule(self) -> None:
        """What the text rules on what went wrong, then what the floor ruled where the text is silent."""
        record = self.record
        if not record.found and not record.rulings:
            self._check_cards(void=())
            return
        by_text = [each for each in record.found if _verdict(record, each) is not Outcome.ASK_FLOOR]
        _check_rulings(record)
        void = _void_positions(record, by_text)
        self._check_cards(void)
        for position in void:
            self._answer_out_of_turn(position)
        for each in by_text:
            self.state, _ = irregular.ruled(self.state, each.case, each.who, each.cards)
        _check_not_overruled(record, self.state)
        self.state, _ = irregular.voided_by_floor(self.state, _floor_voids(record))

    def play(self) -> None:
        """From the first question to the last hand."""
        while not self.state.over:
            step = self.state.script[self.state.step]
            if type(step) in _FROM_HAND and stub_demanded(self.state):
                self._feed(_STUB_OUT)
            match step:
                case Ask():
                    self._ask(step)
                case Burn():
                    self._feed(CardBurned(step.cards))
                case DealBoard():
                    self._feed(BoardDealt(step.cards))
                    self._turn_board()
                case TurnBoard():
                    self._feed(BoardTurned(step.cards))
                    self._turn_board()
                case RevealDealer():
                    self._feed(_REVEALED)
                    self._check_count("dealer", self.record.dealer)
                    self._turn(DEALER, self.record.dealer)
                case SettleHands():
                    self._settle(step)
                case _:
                    raise _stuck(step)

    def check(self) -> None:
        """Nothing may be left over: no answer, no community card that was not dealt."""
        state = self.state
        for position, answers in self.answers.items():
            extra = next(answers, None)
            if extra is not None:
                raise Refused(
                    "action",
                    f"positions[{position!r}].actions: {extra[:40]!r} is one answer too many; remove it",
                    cites=state.game.clauses.at_their_points,
                )

    def _feed(self, event: Event) -> None:
        self.state = apply(self.state, event)[0]

    def _turn(self, place: str, cards: tuple[Card, ...]) -> None:
        try:
            self.state = turned_up(self.state, place, cards, READ)
        except Misfit as misfit:
            raise Refused(misfit.hold.code, misfit.hold.question, cites=misfit.hold.cites) from None

    def _turn_board(self) -> None:
        state, record = self.state, self.record
        cards = record.board[len(state.board_faces) : state.board_up]
        if len(cards) < state.board_up - len(state.board_faces):
            wanted = state.game.board_cards
            raise InputError("card-count", f"board: {len(record.board)} cards, not {wanted}; give all of them")
        self._turn(BOARD, cards)

    def _ask(self, step: Ask) -> None:
        hand = first_asked(self.state, step, self.state.stage)
        if hand is None:
            raise _stuck(step)
        action = next(self.answers[hand.position], None)
        if action is None:
            labels = " or ".join(repr(choice.label) for choice in step.choices)
            raise Refused(
                "action-missing",
                f"positions[{hand.position!r}].actions: an answer is missing; it was asked for {labels}",
                cites=step.cites,
            )
        self._feed(DecisionMade(hand.position, action))

    def _settle(self, step: SettleHands) -> None:
        hand = next_to_settle(self.state)
        if hand is None:
            raise _stuck(step)
        cards = self.record.hands[hand.position].cards
        self._check_count(f"positions[{hand.position!r}].cards", cards)
        self._turn(hand.position, cards)
        self._feed(_SETTLED[hand.position])
        self._feed(_COLLECTED[hand.position])

    def _check_count(self, where: str, cards: Sequence[Card]) -> None:
        each = self.record.game.cards_each
        if len(cards) != each:
            raise InputError("card-count", f"{where}: {len(cards)} cards, not {each}; it is settled, give all of them")

    def _answer_out_of_turn(self, position: str) -> None:
        """Take the answers that a hand gave before it became void; they may stop early."""
        for step in self.state.script:
            hand = self.state.hand(position)
            if not isinstance(step, Ask) or hand.done or (step.of_those_with and step.of_those_with not in hand.wagers):
                continue
            action = next(self.answers[position], None)
            if action is None:
                return
            self.state, _ = answered(self.state, hand, step, action)

    def _check_cards(self, void: tuple[str, ...]) -> None:
        record = self.record
        all_void = len(void) == len(record.hands)
        _check_counts(record, void, all_void=all_void)
        listed = [card for hand in record.hands.values() for card in hand.cards]
        listed += record.board if all_void else (*record.dealer, *record.board)
        if len(set(listed)) == len(listed):
            return
        seen: dict[Card, str] = {}
        places = [(f"positions[{at!r}].cards", hand.cards) for at, hand in record.hands.items()]
        if not all_void:
            places.append(("dealer", record.dealer))
        places.append(("board", record.board))
        for place, cards in places:
            for number, card in enumerate(cards):
                if card in seen:
                    where = f"{place}[{number}]"
                    raise InputError("duplicate-card", f"{where}: {card.text!r} is in {seen[card]} too; correct one")
                seen[card] = place


def _stuck(step: Step) -> Refused:
    return Refused(
        "out-of-order", f"the round stands at {type(step).__name__} and cannot be recomputed", cites=step.cites
    )


def _check_counts(record: RoundRecord, void: tuple[str, ...], *, all_void: bool) -> None:
    """Refuse numbers of cards that cannot be; what a step needs and does not find is refused at that step."""
    each = record.game.cards_each
    for position, hand in record.hands.items():
        if position not in void and len(hand.cards) != each:
            raise InputError("card-count", f"positions[{position!r}].cards: {len(hand.cards)} cards, not {each}")
    # A round that ended early has no dealer's hand that was seen.
    dealers = each if record.game.has_dealer_hand else 0
    if not all_void and len(record.dealer) not in (0, dealers):
        raise InputError("card-count", f"dealer: {len(record.dealer)} cards, not {dealers}")
    most = record.game.board_cards
    if len(record.board) > most:
        raise InputError("card-count", f"board: {len(record.board)} cards, not {most}")


def _verdict(record: RoundRecord, found: IrregularityFound) -> Outcome:
    return record.game.verdicts[found.case].outcome


def _void_positions(record: RoundRecord, by_text: Sequence[IrregularityFound]) -> tuple[str, ...]:
    void = set(_floor_voids(record))
    for each in by_text:
        outcome = _verdict(record, each)
        if outcome is Outcome.VOID_ALL:
            void = set(record.hands)
        elif outcome is Outcome.VOID_HAND:
            void.add(each.who)
    return tuple([position for position in record.hands if position in void])


def _floor_voids(record: RoundRecord) -> tuple[str, ...]:
    """Return the hands that the floor ruled void; a ruling on one position stands before a ruling on all."""
    general = any(each.who == "all" and each.outcome == "void" for each in record.rulings)
    named = {each.who: each.outcome for each in record.rulings}
    return tuple([at for at in record.hands if named.get(at, "void" if general else "stands") == "void"])


def _check_rulings(record: RoundRecord) -> None:
    named: dict[str, str] = {}
    for each in record.rulings:
        if named.setdefault(each.who, each.outcome) != each.outcome:
            raise Refused("ruling", f"irregularities: two rulings differ on {each.who}; keep one")
    for found in record.found:
        if _verdict(record, found) is not Outcome.ASK_FLOOR:
            continue
        if not named or (found.case is Case.PLAYER_WRONG_COUNT and not {"all", found.who} & named.keys()):
            raise Refused(
                "ruling-missing",
                f"irregularities: {found.case.value}, and the text of {record.game.name} is silent; "
                "give the floor_ruling that was made",
            )


def _check_not_overruled(record: RoundRecord, state: State) -> None:
    """The floor rules where the text is silent, never against it."""
    for each in record.rulings:
        hands = [hand for hand in state.hands if hand.status is VOID and each.who in ("all", hand.position)]
        void = hands[0].void if hands else None
        # A device fault voids without any clause; it is no text that a ruling could go against.
        if each.outcome == "stands" and void is not None and void.cites is not None:
            raise Refused(
                "ruling",
                f"irregularities: the text makes the hand of position {hands[0].position} void; "
                "the floor cannot let it stand",
                cites=void.cites,
            )
