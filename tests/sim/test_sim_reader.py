"""The table reader against the cards that lie on the table (reader-v1)."""

from __future__ import annotations

import pytest
from sim_host import Bench, face_number

from cardshoe.sim.world import World

PLACES = ["dealer", "1", "2", "3", "4", "5", "6", "board"]


def table(seed: int = 1, *, mutations: frozenset[str] = frozenset()) -> Bench:
    """A reader in session, the deck in the dealer's hand."""
    bench = Bench(World(seed=seed, mutations=mutations), port="reader")
    bench.hello()
    bench.beat()
    bench.do("take_deck")
    return bench


def read(bench: Bench) -> list[tuple[int, int, int]]:
    return [(one.place, one.index, one.face) for one in bench.events if one.name == "CARD_READ"]


def scan(bench: Bench, place: int) -> tuple[int, bytes]:
    reply = bench.command("SCAN", place=place)
    assert reply.place == place
    return reply.result, reply.faces


@pytest.mark.parametrize("place", range(8))
def test_a_card_is_read_where_it_lies(place: int) -> None:
    """READER-1.2, READER-1.3, READER-2.1, READER-3.1."""
    bench = table()
    assert scan(bench, place) == (1, b"\xff" * 8)
    top = bench.world.every_card()["hand"][0]
    bench.do("deal_card", to=PLACES[place], face_up=True)
    assert scan(bench, place) == (2, b"\xff" * 8)
    bench.run(0.5)
    assert read(bench) == [(place, 0, face_number(top))]
    assert scan(bench, place) == (0, bytes([face_number(top)]).ljust(8, b"\xff"))
    status = bench.beat()
    assert (status.places_occupied, status.faces_seen, status.state) == (1 << place, 1, 1)


def test_identity() -> None:
    """READER-1.1."""
    reply = Bench(World(seed=1), port="reader").hello()
    assert (reply.device_kind, reply.model, reply.capabilities) == (2, "CS-SIM-READER", 7)


def test_a_face_down_card_does_not_exist() -> None:
    """READER-1: not in an event, not in a scan, not in STATUS."""
    bench = table()
    for place in PLACES:
        bench.do("deal_card", to=place)
    bench.run(2.0)
    assert bench.names == ["BOOTED"]
    assert {scan(bench, place)[0] for place in range(8)} == {1}
    assert bench.beat().faces_seen == 0


def test_the_board_in_order() -> None:
    """READER-1.2, READER-2.1: an index for each, in the order in which they came."""
    bench = table()
    faces = []
    for count in (3, 1, 1):
        faces += bench.do("turn", what="board", cards=count)["cards"]
        bench.run(1.0)
    assert read(bench) == [(7, n, face_number(card)) for n, card in enumerate(faces)]
    assert scan(bench, 7)[1] == bytes(map(face_number, faces)).ljust(8, b"\xff")


def test_down_and_up_again_is_a_new_card() -> None:
    """READER-2.1, READER-2.3."""
    bench = table()
    bench.do("turn", what="board", cards=3)
    bench.run(1.0)
    bench.do("turn_down", what="board", cards=1)
    bench.run(1.0)
    bench.do("turn", what="board", cards=1)
    bench.run(1.0)
    assert [one[1] for one in read(bench)] == [0, 1, 2, 3]
    assert scan(bench, 7)[1][:3] == bytes([read(bench)[n][2] for n in (1, 2, 0)])
    bench.do("collect")
    bench.run(1.0)
    assert (bench.events[-1].name, bench.events[-1].place) == ("PLACE_CLEARED", 7)
    assert scan(bench, 7)[0] == 1
    bench.do("take_deck")
    bench.do("turn", what="board", cards=1)
    bench.run(1.0)
    assert read(bench)[-1][1] == 0


def test_a_card_taken_away_before_it_lay_still_is_not_read() -> None:
    """READER-2.4."""
    bench = table()
    bench.do("turn", what="board", cards=1)
    bench.run(0.2)
    bench.do("collect", what="board")
    bench.run(2.0)
    assert bench.names == ["BOOTED"]


def test_every_card_is_reported_within_the_same_time() -> None:
    """READER-2.5: length and delay do not depend on the card."""
    delays, lengths = set(), set()
    for seed in range(12):
        bench = table(seed)
        start = bench.now
        bench.do("deal_card", to="board", face_up=True)
        bench.run(1.0)
        event = bench.events[-1]
        delays.add(round(event.at - start, 6))
        lengths.add(len(bench.protocol.pack("CARD_READ", event.fields)))
    assert len(delays) == len(lengths) == 1


def test_a_bad_place_is_refused_by_the_reply() -> None:
    """READER-3.1, LINK-4.8."""
    assert scan(table(), 8) == (3, b"\xff" * 8)


@pytest.mark.parametrize(
    ("fault", "faces"),
    [
        ({"kind": "misread", "as": "As"}, [51]),
        ({"kind": "misread"}, None),
        ({"kind": "unreadable"}, [0xFE]),
        ({"kind": "foreign_read"}, [0xFD]),
        ({"kind": "unreadable", "recovers_after_s": 1.0}, [0xFE, -1]),
    ],
)
def test_what_can_go_wrong_with_a_reading(fault: dict[str, object], faces: list[int] | None) -> None:
    """READER-1.3, READER-2.2: wrong but well-formed, unreadable, foreign; the same index when it becomes readable."""
    bench = table()
    true = face_number(bench.world.every_card()["hand"][0])
    bench.do("fault", **fault)
    bench.do("deal_card", to="dealer", face_up=True)
    bench.run(3.0)
    got = [(place, index) for place, index, _ in read(bench)]
    assert set(got) == {(0, 0)}
    told = [face for _, _, face in read(bench)]
    if faces is None:
        assert len(told) == 1
        assert told[0] != true
        assert told[0] < 52
    else:
        assert told == [true if face == -1 else face for face in faces]
    assert scan(bench, 0)[1][0] == told[-1]
    bench.do("deal_card", to="dealer", face_up=True)
    bench.run(1.0)
    assert read(bench)[-1][2] == face_number(bench.world.every_card()["dealer"][1]), "one fault, one reading"


def test_the_picture_of_the_previous_card() -> None:
    """devices.md section 5: the last identity reported again for the next card."""
    bench = table()
    bench.do("turn", what="board", cards=1)
    bench.run(1.0)
    bench.do("fault", kind="previous_read")
    bench.do("turn", what="board", cards=1)
    bench.run(1.0)
    assert read(bench)[1][2] == read(bench)[0][2]


def test_a_face_reported_twice() -> None:
    """handbook devices.md section 7: a misread that shows as a duplicate."""
    bench = table()
    bench.do("turn", what="board", cards=3)
    bench.run(1.0)
    bench.do("fault", kind="duplicate_read", place="dealer")
    bench.do("deal_card", to="dealer", face_up=True)
    bench.run(1.0)
    assert read(bench)[-1][2] in [one[2] for one in read(bench)[:3]]


@pytest.mark.parametrize(
    ("kind", "face"), [("foreign_card", 0xFD), ("joker", 0xFD), ("unreadable_card", 0xFE), ("duplicate_card", None)]
)
def test_wrong_cards_on_the_table(kind: str, face: int | None) -> None:
    """READER-1.3: what the card is decides what is seen; a duplicate looks like any other."""
    bench = table()
    bench.do("fault", kind=kind, cards=20)
    cards = bench.world.every_card()["hand"][:7]
    bench.do("turn", what="board", cards=7)
    bench.run(1.0)
    for told, card in zip([one[2] for one in read(bench)], cards, strict=True):
        if face is None:
            assert told == face_number(card)
        elif card == "joker":
            assert told == 0xFD
        else:
            assert told in {face_number(card), face}
    if face is not None:
        assert face in [one[2] for one in read(bench)]


def test_a_dirty_window_and_an_unsteady_picture() -> None:
    """READER-4.1, READER-4.2, READER-3.1."""
    bench = table()
    bench.do("fault", kind="lens_dirty")
    bench.do("fault", kind="glare", for_s=3.0)
    bench.do("fault", kind="reader_unsteady", for_s=2.0)
    bench.do("turn", what="board", cards=2)
    bench.run(1.0)
    status = bench.beat()
    assert (status.state, status.flags, status.fault) == (2, 3, 0x0401)
    assert scan(bench, 7)[0] == 2
    assert read(bench) == []
    bench.run(3.0)
    assert len(read(bench)) == 2
    assert (bench.beat().state, bench.beat().flags) == (1, 1)
    bench.do("press", button="service")
    assert bench.beat().fault == 0
    raised = [(one.name, one.fault) for one in bench.events if "FAULT" in one.name]
    assert raised == [
        ("FAULT_RAISED", 0x0401),
        ("FAULT_RAISED", 0x0402),
        ("FAULT_CLEARED", 0x0402),
        ("FAULT_CLEARED", 0x0401),
    ]


def test_a_restart_reports_what_lies_there() -> None:
    """READER-4.3, READER-4.4: as if it had just been turned; the counters go on."""
    bench = table()
    bench.do("turn", what="board", cards=3)
    bench.run(1.0)
    bench.do("power", device="reader", state="off")
    bench.do("turn", what="board", cards=1)
    bench.do("power", device="reader", state="on")
    bench.session = 0
    bench.run(1.0)
    bench.hello()
    bench.beat()
    bench.run(1.0)
    assert [one.name for one in bench.events[4:]] == ["BOOTED"] + ["CARD_READ"] * 4
    assert [one[1] for one in read(bench)[3:]] == [0, 1, 2, 3]
    counters = bench.command("READ_COUNTERS")
    assert (counters.cards_read_total, counters.unreadable_total) == (7, 0)


def test_a_reader_that_breaks_its_clause_reports_the_previous_card() -> None:
    """READER-2.4, broken on purpose."""
    bench = table(mutations=frozenset({"READER-2.4"}))
    bench.do("turn", what="board", cards=3)
    bench.run(1.0)
    told = [one[2] for one in read(bench)]
    assert told[1] == told[0]
