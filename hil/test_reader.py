"""The table reader: it says what lies there, and never guesses."""

from __future__ import annotations

import pytest

from bench_session import Session
from bench_station import Station
from cardshoe.cards import Card
from cardshoe.devices.reader_events import CardRead, PlaceCleared, PlaceScanned
from cardshoe.devices.reader_terms import NoCard, Place, ScanResult

READS_S = 5.0
TABLE = ("new_deck", "load_deck", "remove_stub", "turn", "collect")


def deck_in_hand(station: Station) -> None:
    """A whole deck is in the dealer's hand, nothing lies on the table."""
    for act in ("new_deck", "load_deck", "remove_stub"):
        station.act(act)
    if "shoe" in station.units:
        station.session("shoe").run(0.3)


@pytest.mark.needs("reader", "reader:READS_BOARD", hands=TABLE)
@pytest.mark.proves("READER-1.2", "READER-1.3", "READER-2.1", "READER-2.3", "READER-3.1")
def test_a_board_is_read(station: Station, reader: Session) -> None:
    """Five cards of the board are read as what they are, in order, and scanned; then the place is clear."""
    deck_in_hand(station)
    reader.mark()
    lying = station.act("turn", what="board", cards=5)["cards"]
    reads = [reader.wait(CardRead, within_s=READS_S) for _ in lying]
    assert [(read.place, read.index, str(read.face)) for read in reads] == [
        (Place.BOARD, index, card) for index, card in enumerate(lying)
    ]
    scan = reader.ask(reader.driver.scan, PlaceScanned, place=Place.BOARD)
    assert scan.result is ScanResult.OK
    assert [str(face) for face in scan.faces] == lying
    reader.mark()
    station.act("collect", what="board")
    assert reader.wait(PlaceCleared, within_s=READS_S).place is Place.BOARD


@pytest.mark.needs("reader", "reader:READS_BOARD", "destructive", hands=(*TABLE, "fault unreadable"))
@pytest.mark.proves("READER-1.3", "READER-2.1")
def test_an_unreadable_card_is_not_guessed(station: Station, reader: Session) -> None:
    """A covered card is told as unreadable, and the next one is read."""
    deck_in_hand(station)
    station.act("fault", kind="unreadable", place="board")
    reader.mark()
    station.act("turn", what="board", cards=1)
    assert reader.wait(CardRead, within_s=READS_S).face is NoCard.UNREADABLE
    lying = station.act("turn", what="board", cards=1)["cards"]
    face = reader.wait(CardRead, within_s=READS_S).face
    assert isinstance(face, Card)
    assert [str(face)] == lying
    station.act("collect", what="board")
