"""The laboratory's tests: how good the reader is, and how random the shuffle is. Small by default; see README.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from bench_book import Book
from bench_session import Session
from bench_station import Station
from bench_statistics import CARDS, READER_BAR, cards_without_fault, measured, rate_bounds
from cardshoe.devices.reader_events import CardRead, PlaceCleared
from cardshoe.devices.reader_terms import NoCard
from cardshoe.lab.conform.rig import BenchFile
from test_reader import READS_S, TABLE, deck_in_hand

AT_ONCE = 5
UNREAD = {NoCard.UNREADABLE: "unreadable", NoCard.FOREIGN: "foreign"}
DECK = ("new_deck", "load_deck", "take_stack", "turn", "collect")


@pytest.mark.needs("reader", "reader:READS_BOARD", hands=TABLE)
@pytest.mark.proves("READER-1.3", "READER-2.1", "READER-2.4")
def test_reader_acceptance(station: Station, reader: Session, book: Book, measure: Callable[..., None]) -> None:
    """A deck of known order is read card by card: which cards were taken for others, and is the bar kept?"""
    file: BenchFile = station.plan.file
    confused: Counter[tuple[str, str]] = Counter()
    read, faults, unread, seconds = 0, 0, 0, []
    while read < file.limits.reader_cards:
        deck_in_hand(station)
        left = list(file.test_deck)
        for at in range(0, CARDS - AT_ONCE, AT_ONCE):
            known = {"known": left[at : at + AT_ONCE]} if left else {}
            reader.mark()
            begun = station.units["reader"].line.now()
            lying = station.act("turn", what="board", cards=AT_ONCE, **known)["cards"]
            for card in lying:
                face = reader.wait(CardRead, within_s=READS_S).face
                told = UNREAD.get(face, str(face)) if isinstance(face, NoCard) else str(face)
                confused[(card, told)] += 1
                faults += told != card and not isinstance(face, NoCard)
                unread += isinstance(face, NoCard)
            seconds.append(1000 * (station.units["reader"].line.now() - begun))
            read += len(lying)
            station.act("collect", what="board")
            reader.wait(PlaceCleared, within_s=READS_S)
            if read >= file.limits.reader_cards:
                break
    low, high = rate_bounds(faults, read)
    wrong = [(card, told, str(times)) for (card, told), times in sorted(confused.items()) if card != told]
    shown = (
        "the bar is shown"
        if high <= READER_BAR * 1.0001
        else f"{cards_without_fault():,} cards without one would show the bar"
    )
    note = (
        f"{read} cards, {faults} taken for another, {unread} told as unreadable. With 95 % confidence at most one "
        f"fault in {1 / high:,.0f} cards; wanted is one in 5,200: {shown}."
    )
    book.tables.append(
        (
            "Reader acceptance",
            note,
            [("lay there", "was told", "times"), *(wrong or [("all cards", "as they are", str(read))])],
        )
    )
    measure(f"{AT_ONCE} cards turned to all read", seconds, "ms", clause="READER-2.1", device="reader")
    assert low <= READER_BAR, f"the bar of one fault in 5,200 cards is broken: {note} {wrong}"


@pytest.mark.needs("shoe", "motion", "shoe:SHUFFLER", hands=DECK, cards=2 * CARDS)
@pytest.mark.proves("SHOE-6.2", "SHOE-6.3")
def test_shuffle_quality(station: Station, book: Book) -> None:
    """Decks are shuffled, dealt out and read: position by card, pairs in stacks, correlation, neighbours."""
    shuffles = station.plan.file.limits.shuffles
    budget = (station.plan.file.limits.dispense_budget - station.cards_fed) // CARDS - 1
    shuffles = min(shuffles, budget)
    if shuffles < 1:
        pytest.skip("the bench file, or what is left of its dispense budget, allows no shuffle")
    station.act("new_deck")
    before = dealt_out(station)
    decks = []
    for _ in range(shuffles):
        after = dealt_out(station)
        place = {card: at for at, card in enumerate(before)}
        decks.append([place[card] for card in after])
        before = after
    rows = [("measure", "value", "99 % of perfect shuffles", "p", "at 95 %", "at 99 %")]
    found = measured(decks)
    for one in found:
        kept = ("kept" if one.at_95 else "not kept", "kept" if one.at_99 else "not kept")
        rows.append((one.name, f"{one.value:,.4g}", f"{one.low:,.4g} to {one.high:,.4g}", f"{one.p:.3f}", *kept))
    note = (
        f"{len(decks)} shuffles; the order before is that in which the deck was dealt the time before. The chances are "
        "those of as many perfect shuffles, so they hold at any number; a weak shuffle shows sooner the more are made."
    )
    book.tables.append(("Shuffle", note, rows))
    assert [one.name for one in found if not one.at_99 and one.p < 0.01 / len(found)] == [], rows


def dealt_out(station: Station) -> list[str]:
    """Load the deck as it lies, have it shuffled, deal all of it out to position 1, and tell the order."""
    station.act("load_deck")
    station.session("shoe").run(0.3)
    verified = station.prepare()
    assert type(verified).__name__ == "DeckVerified", verified
    order: list[str] = []
    while len(order) < CARDS:
        cards = min(7, CARDS - len(order))
        station.dispense(cards)
        station.take()
        order += station.act("turn", what="1", cards=cards)["cards"]
    assert sorted(order) == sorted(set(order))
    station.act("collect")
    return order
