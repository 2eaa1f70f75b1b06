"""The world as a whole: the same again, hidden cards hidden, no card lost, no request that upsets it."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from sim_host import FULL_DECK, Bench, all_cards, count_at, fresh

from cardshoe.sim import mutations
from cardshoe.sim.control import REQUESTS
from cardshoe.sim.deck import new_deck, shuffled, stream
from cardshoe.sim.errors import SimError
from cardshoe.sim.faults import KINDS
from cardshoe.sim.line import LINE_KINDS
from cardshoe.sim.world import World

PLACES = ("dealer", "1", "2", "3", "4", "5", "6", "board")


def a_round(bench: Bench, spoken: list[bytes]) -> None:
    """Deal a round of hold 'em with two players; collect all that the shoe said."""
    take = bench.world.take_output

    def heard(port: str) -> bytes:
        data = take(port)
        spoken.append(data)
        return data

    bench.world.take_output = heard  # type: ignore[method-assign]
    bench.hello()
    bench.beat()
    for command, place in enumerate(("1", "4", "dealer"), start=1):
        bench.dispense(command)
        bench.until("STACK_READY")
        bench.do("take_stack", to=place)
        bench.until("STACK_TAKEN")
    bench.do("remove_stub")
    bench.do("burn")
    bench.run(1.0)


# --- the same again


def test_a_seed_gives_the_same_bytes() -> None:
    """design.md section 8: a seed reproduces a run byte for byte."""
    runs: list[list[bytes]] = []
    for _ in range(2):
        world = World(seed=42, faults=[{"kind": "slip", "stack": 2}])
        world.control({"do": "line", "port": "shoe", "kind": "babble", "chance": 0.2}, 0.0)
        runs.append([])
        a_round(Bench(world, tolerant=True), runs[-1])
    assert runs[0] == runs[1]
    assert any(runs[0])


def test_another_seed_gives_another_deck() -> None:
    """And no seed gives another deck each time."""
    decks = [tuple(World(seed=seed).every_card()["magazine"]) for seed in (1, 2, None, None)]
    assert len(set(decks)) == 4


def test_the_shuffle_is_fair() -> None:
    """Fisher and Yates: each card as often on top, each pair of neighbours as often kept (chi-square, fixed seed)."""
    rng = stream(7, "fair")
    tops = [0] * 52
    kept = 0
    rounds = 5200
    for _ in range(rounds):
        order = [placed.card.uid for placed in shuffled(new_deck(), rng)]
        tops[order[0]] += 1
        kept += sum(after == before + 1 for before, after in pairwise(order))
    chi = sum((count - rounds / 52) ** 2 / (rounds / 52) for count in tops)
    assert chi < 90  # 51 degrees of freedom: above 90 in 1 of 1,500 runs
    assert 0.94 < kept / rounds / (51 / 52) < 1.06


def test_worlds_that_differ_in_hidden_cards_only_say_the_same() -> None:
    """P4: until a card is turned up, not a byte of the shoe or the reader depends on it."""
    said: list[tuple[list[bytes], bytes]] = []
    for turned in (False, True):
        bench = Bench(World(seed=5))
        machine = bench.world._remains.machine
        if turned:
            machine.magazine = machine.magazine[::-1]
        spoken: list[bytes] = []
        a_round(bench, spoken)
        said.append((spoken, bench.world.take_output("reader")))
    assert said[0] == said[1]


def test_hands_see_backs_only() -> None:
    """P4, out of band as well: `look` tells faces that are up, `peek` only the own cards."""
    bench = fresh()
    a_round(bench, [])
    seen = bench.do("look")
    assert seen["places"]["1"] == {"backs": 2, "faces": []}
    assert not any(card in str(seen) for card in bench.world.every_card()["1"])
    assert bench.do("peek", who="1")["cards"] == bench.world.every_card()["1"]


# --- no card is lost


class Cards(RuleBasedStateMachine):
    """Any sequence of acts, commands, faults and power cuts keeps every card (P3: 52 accounted for)."""

    @initialize(seed=st.integers(0, 1000))
    def begin(self, seed: int) -> None:
        self.bench = fresh(seed, speed=20.0)
        self.bench.tolerant = self.bench.ear.tolerant = True
        self.command = 0
        self.added = 0

    def ask(self, **request: Any) -> dict[str, Any]:
        answer = self.bench.world.control(request, self.bench.now)
        self.bench.look()
        assert answer["ok"] is True or answer["text"]
        return answer

    @rule(cards=st.integers(1, 7), wait=st.floats(0, 0.1))
    def dispense(self, cards: int, wait: float) -> None:
        self.command += 1
        bench = self.bench
        if bench.world.box("shoe").powered and bench.session:
            bench.put(
                bench.frame("DISPENSE", bench.sequence, command_id=self.command, deck_id=1, cards=cards, destination=1)
            )
            bench.sequence = (bench.sequence + 1) % 256
        bench.run(wait)

    @rule()
    def prepare(self) -> None:
        self.command += 1
        self.bench.put(self.bench.frame("PREPARE_DECK", self.bench.sequence, command_id=self.command))
        self.bench.sequence = (self.bench.sequence + 1) % 256
        self.bench.run(0.7)

    @rule()
    def hello(self) -> None:
        self.bench.session = 0
        self.bench.run(0.05)
        if self.bench.world.box("shoe").powered:
            self.bench.hello()
            self.bench._send_beat()

    @rule(do=st.sampled_from(["insert_cover_card", "remove_stub", "burn", "load_deck", "open_door", "close_door"]))
    def act(self, do: str) -> None:
        self.ask(do=do)

    @rule(to=st.sampled_from(PLACES), do=st.sampled_from(["take_stack", "deal_card"]))
    def give(self, to: str, do: str) -> None:
        self.ask(do=do, to=to)

    @rule(what=st.sampled_from(PLACES), cards=st.integers(1, 4), do=st.sampled_from(["turn", "turn_down"]))
    def turn(self, what: str, cards: int, do: str) -> None:
        self.ask(do=do, what=what, cards=cards)

    @rule(what=st.sampled_from([None, *PLACES, "hand", "burns"]))
    def collect(self, what: str | None) -> None:
        self.ask(do="collect", **({} if what is None else {"what": what}))

    @rule(source=st.sampled_from(["shoe", "rack"]))
    def take_deck(self, source: str) -> None:
        self.ask(do="take_deck", source=source)

    @rule(kind=st.sampled_from(sorted(KINDS)))
    def fault(self, kind: str) -> None:
        extra = {"power_cut": {"at": "exit_covered"}, "device_reset": {"at": "entry"}, "mode": {"mode": "deal"}}
        answer = self.ask(do="fault", kind=kind, **extra.get(kind, {}))
        if answer["ok"] and kind in {"duplicate_card", "foreign_card", "extra_card", "joker"}:
            self.added += 1

    @rule(state=st.sampled_from(["on", "off"]))
    def power(self, state: str) -> None:
        self.ask(do="power", device="shoe", state=state)

    @rule(button=st.sampled_from(["clear_jam", "service"]))
    def press(self, button: str) -> None:
        self.ask(do="press", button=button)

    @rule(wait=st.floats(0, 0.3))
    def wait(self, wait: float) -> None:
        self.bench.run(wait)

    @invariant()
    def every_card_is_somewhere(self) -> None:
        world = self.bench.world
        uids = [placed.card.uid for cards in world._remains.every_card().values() for placed in cards]
        assert len(uids) == len(set(uids)) == 54 + self.added
        assert {*range(52), 1000, 1001} <= set(uids)

    @invariant()
    def cover_cards_are_never_dealt(self) -> None:
        cards = self.bench.world.every_card()
        assert all("cover" not in cards[place] for place in (*PLACES, "hand", "rack", "burns", "floor"))


Cards.TestCase.settings = settings(
    max_examples=60, stateful_step_count=40, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
TestCards = Cards.TestCase


class ManyCards(Cards):
    """The same law, for longer."""


ManyCards.TestCase.settings = settings(Cards.TestCase.settings, max_examples=1000, stateful_step_count=80)
TestManyCards = pytest.mark.nightly(ManyCards.TestCase)


# --- requests


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        ({}, "do is None"),
        ([], "not list"),
        ("counters", "not str"),
        ({"do": "fly"}, "'fly'"),
        ({"do": ["counters"]}, "['counters']"),
        ({"do": "counters", "x": 1}, "unknown key 'x'"),
        ({"do": "take_stack"}, "'to' is missing"),
        ({"do": "take_stack", "to": "7"}, "'7'"),
        ({"do": "take_stack", "to": 1}, "to is 1"),
        ({"do": "take_stack", "to": "1"}, "nothing lies in the gate"),
        ({"do": "burn"}, "the dealer holds 0 cards"),
        ({"do": "burn", "cards": 0}, "cards is 0"),
        ({"do": "burn", "cards": True}, "cards is True"),
        ({"do": "burn", "cards": 1.5}, "cards is 1.5"),
        ({"do": "turn", "what": "1"}, "0 cards lie face down"),
        ({"do": "turn", "what": "board"}, "say how many"),
        ({"do": "turn", "what": "board", "cards": 3}, "remove the stub"),
        ({"do": "deal_card", "to": "1", "face_up": "yes"}, "face_up is 'yes'"),
        ({"do": "muck", "what": "3"}, "no cards lie at 3"),
        ({"do": "close_door"}, "closed already"),
        ({"do": "press", "button": "clear_jam"}, "no card is stuck"),
        ({"do": "power", "device": "shoe"}, "'state' is missing"),
        ({"do": "reset", "device": "lamp"}, "'lamp'"),
        ({"do": "fault"}, "kind is None"),
        ({"do": "fault", "kind": "gremlin"}, "'gremlin'"),
        ({"do": "fault", "kind": "jam", "card": "2"}, "card is '2'"),
        ({"do": "fault", "kind": "jam", "stack": 1, "chance": 0.5}, "not several"),
        ({"do": "fault", "kind": "jam", "chance": 1.5}, "chance is 1.5"),
        ({"do": "fault", "kind": "misread", "as": "1s"}, "'1s'"),
        ({"do": "fault", "kind": "power_cut", "at": "noon"}, "'noon'"),
        ({"do": "fault", "kind": "missing_card", "cards": 52}, "53 are needed"),
        ({"do": "line", "port": "moon", "kind": "drop"}, "'moon'"),
        ({"do": "line", "port": "shoe", "kind": {}}, "kind is {}"),
        ({"do": "line", "port": "shoe", "kind": "stall"}, "'ms' is missing"),
        ({"do": "line", "port": "shoe", "kind": "drop", "frames": -1}, "frames is -1"),
    ],
)
def test_a_request_that_cannot_be_done_says_why_and_changes_nothing(request_: object, text: str) -> None:
    """interfaces.md: ok false and a text; the value quoted."""
    world = World(seed=1)
    before = world.every_card()
    answer = world.control(request_, 0.0)
    assert answer["ok"] is False
    assert text in str(answer["text"])
    assert world.every_card() == before


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=6)
    | st.sampled_from(["1", "shoe", "on"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
KEY = st.sampled_from(
    ["to", "what", "cards", "kind", "port", "device", "state", "at", "ms", "for_s", "frames", "chance"]
)
VALUE = JSON | st.sampled_from([*PLACES, *KINDS, *LINE_KINDS, "both", "to_device", 1, 2, 0.5])


@settings(max_examples=100)
@given(st.lists(st.tuples(st.sampled_from(sorted(REQUESTS)), st.dictionaries(KEY, VALUE, max_size=4)), max_size=4))
def test_no_request_upsets_the_world(requests: list[tuple[str, dict[str, object]]]) -> None:
    """Whatever is asked, an answer comes, and the world goes on."""
    bench = fresh()
    bench.ear.tolerant = True
    for do, keys in requests:
        answer = bench.world.control({"do": do, **keys}, bench.now)
        assert answer["ok"] is True or isinstance(answer["text"], str)
        bench.run(0.05)
    assert bench.world.control({"do": "counters"}, bench.now)["ok"] is True


def test_help_tells_what_there_is() -> None:
    """Every request, every fault and every trouble of the line, with its keys."""
    told = fresh().do("help")
    assert set(told["requests"]) == set(REQUESTS)
    assert set(told["faults"]) == set(KINDS)
    assert set(told["line"]) == set(LINE_KINDS)
    assert told["requests"]["take_stack"] == {"to": "one of dealer, 1, 2, 3, 4, 5, 6, board"}
    assert told["faults"]["jam"]["keys"]["card"] == "a whole number from 1, may be left out"


# --- faults as data


def test_a_fault_waits_for_its_stack() -> None:
    """`stack` n counts the stacks that the shoe accepts."""
    bench = Bench(World(seed=1, faults=[{"kind": "jam", "stack": 2, "card": 1}]))
    bench.hello()
    bench.beat()
    bench.dispense(1)
    bench.until("STACK_READY")
    bench.do("take_stack", to="1")
    bench.until("STACK_TAKEN")
    assert bench.do("faults_left")["armed"] == [{"kind": "jam", "stack": 2, "after_s": None, "chance": None}]
    bench.dispense(2)
    assert bench.until("DISPENSE_FAILED").cards_seen == 0
    assert bench.do("faults_left")["armed"] == []
    assert "already" in bench.refused("fault", kind="jam", stack=2)


def test_a_fault_waits_for_its_time() -> None:
    """`after_s` is world time, not scaled."""
    bench = Bench(World(seed=1, speed=10.0, faults=[{"kind": "door", "after_s": 2.0}]))
    bench.hello()
    assert bench.until("DOOR_OPENED").at == pytest.approx(2.0)


def test_a_fault_at_a_stack_that_happens_at_once_hits_the_feed() -> None:
    """A door that opens while the stack is under way."""
    bench = Bench(World(seed=1, faults=[{"kind": "door", "stack": 1}]))
    bench.hello()
    bench.beat()
    assert bench.dispense(1) == 0
    told = bench.until("DISPENSE_INTERRUPTED")
    assert told.cause == 4
    assert told.at == pytest.approx(0.3)
    late = Bench(World(seed=1, faults=[{"kind": "door", "after_s": 1.0}, {"kind": "door", "after_s": 2.0}]))
    late.run(3.0)
    assert late.do("faults_left")["missed"] == [{"kind": "door", "text": "the door is open already"}]


def test_chance_is_seeded() -> None:
    """`chance` rolls at every occasion, and rolls the same with the same seed."""

    def misreadings(seed: int) -> int:
        bench = Bench(World(seed=seed, faults=[{"kind": "misread", "chance": 0.3}]), port="reader")
        bench.hello()
        bench.do("take_deck")
        cards = bench.world.every_card()["hand"][:40]
        bench.do("turn", what="board", cards=40)
        bench.run(1.0)
        told = [one.face for one in bench.events if one.name == "CARD_READ"]
        return sum(
            face != "23456789TJQKA".index(card[0]) * 4 + "cdhs".index(card[1])
            for face, card in zip(told, cards, strict=True)
        )

    counts = [misreadings(seed) for seed in (1, 2, 3)]
    assert counts == [misreadings(seed) for seed in (1, 2, 3)]
    assert 15 < sum(counts) < 60


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"speed": 0.0}, "speed is 0.0"),
        ({"speed": float("nan")}, "speed"),
        ({"speed": -1.0}, "-1.0"),
        ({"faults": [{"kind": "jam"}, {"kind": "x"}]}, "fault 2: .*'x'"),
        ({"mutations": frozenset({"LINK-X"})}, "(?s)LINK-X.*known are.*LINK-4.3"),
    ],
)
def test_a_world_that_cannot_be(arguments: dict[str, Any], text: str) -> None:
    """Refused with the value and what is wrong."""
    with pytest.raises(SimError, match=text):
        World(seed=1, **arguments)


def test_mutations_are_listed_with_a_text() -> None:
    """At least sixteen, each a clause of a protocol."""
    assert len(mutations.MUTATIONS) >= 16
    for clause, text in mutations.MUTATIONS.items():
        assert clause.split("-")[0] in {"LINK", "SHOE", "READER"}
        assert text[0].islower()


# --- the line


def answered(bench: Bench, tries: int = 50) -> int:
    """A host that repeats a command until its reply comes (LINK-4.5); returns how many times it sent it."""
    sequence = bench.sequence
    raw = bench.frame("READ_COUNTERS", sequence)
    for attempt in range(1, tries + 1):
        bench.world.receive("shoe", raw, bench.now)
        end = bench.now + 0.15
        while bench.now < end:
            if any(one.name == "READ_COUNTERS_REPLY" and one.sequence == sequence for one in bench.look()):
                bench.sequence = (sequence + 1) % 256
                return attempt
            bench.now += 0.005
            bench.world.advance(bench.now)
    raise AssertionError("no reply")


@pytest.mark.parametrize(
    ("kind", "values", "sent"),
    [
        ("drop", {"frames": 2}, 3),
        ("flip", {"frames": 2}, 3),
        ("burst", {"frames": 1}, 2),
        ("duplicate", {"frames": 1}, 1),
        ("delay", {"ms": 100}, 1),
        ("delay", {"ms": 200}, 2),
        ("split", {}, 1),
        ("trickle", {"ms": 2}, 1),
        ("babble", {}, 1),
        ("stall", {"ms": 200}, 2),
    ],
)
@pytest.mark.parametrize("direction", ["to_host", "to_device"])
def test_what_the_line_does_to_a_frame(kind: str, values: dict[str, Any], sent: int, direction: str) -> None:
    """LINK-3, LINK-4.3: a host that repeats gets through, and the command is carried out once."""
    bench = Bench(World(seed=3), tolerant=True, acknowledge=True)
    bench.hello()
    bench.do("line", port="shoe", kind=kind, direction=direction, **values)
    attempts = answered(bench)
    assert attempts in ({sent} if kind not in {"flip", "burst"} else {sent, sent - 1, sent + 1})
    assert answered(bench) in {1, 2}
    bench.do("line", port="shoe", kind="clear")
    assert answered(bench) == 1


@settings(max_examples=25)
@given(seed=st.integers(0, 10_000), chance=st.sampled_from([0.05, 0.15, 0.3]))
def test_a_bad_line_neither_repeats_nor_loses(seed: int, chance: float) -> None:
    """LINK-4.3, LINK-7.3, P1: whatever the line does, each command is carried out once, each event comes in order."""
    bench = Bench(World(seed=seed, speed=20.0), tolerant=True)
    bench.hello()
    for kind in ("drop", "flip", "burst", "duplicate", "delay", "babble"):
        bench.do("line", port="shoe", kind=kind, direction="both", chance=chance / 2)
    for command_id in range(1, 7):
        raw = bench.frame("DISPENSE", bench.sequence, command_id=command_id, deck_id=1, cards=2, destination=1)
        replies: list[int] = []
        for _ in range(200):
            bench.put(raw)
            end = bench.now + 0.15
            while bench.now < end and not replies:
                known = len(bench.seen)
                bench.run(0.01)
                replies = [
                    one.result
                    for one in bench.seen[known:]
                    if one.fields.get("result") is not None and one.fields.get("command_id") == command_id
                ]
            if replies:
                break
        assert replies[0] in {0, 2}  # no lease, when the line ate too many heartbeats
        bench.sequence += 1
        if replies[0] == 0:
            while not any(one.fields.get("command_id") == command_id for one in bench.events):
                bench.run(0.1)
            bench.world.control({"do": "take_stack", "to": "1"}, bench.now)
            bench.run(0.5)
    endings = [one for one in bench.events if one.name in {"STACK_READY", "DISPENSE_INTERRUPTED"}]
    assert len({one.command_id for one in endings}) == len(endings)
    counters = bench.do("counters")
    assert counters["feeds_started"] <= len(endings)
    told = [one.fields.get("cards", one.fields.get("cards_seen")) for one in endings]
    assert counters["stacks_dispensed"] == told.count(2)  # also one that was interrupted when all its cards were out
    assert counters["cards_out"] == sum(told)
    assert [one.event_id for one in bench.events] == list(range(1, len(bench.events) + 1))


def test_bytes_keep_their_order() -> None:
    """Nothing overtakes what is held back."""
    bench = Bench(World(seed=3))
    bench.hello()
    bench.do("line", port="shoe", kind="delay", ms=80)
    bench.put(bench.frame("HEARTBEAT", 1, lease_ms=500))
    bench.put(bench.frame("HEARTBEAT", 2, lease_ms=500))
    bench.heartbeat = False
    bench.run(0.1)
    assert [one.sequence for one in bench.seen if one.name == "STATUS"] == [1, 2]


def test_an_unplugged_port() -> None:
    """Bytes are lost, the device lives on, and stops without its lease (LINK-6.4)."""
    bench = fresh()
    bench.dispense(1, 7)
    bench.run(0.5)
    bench.do("line", port="shoe", kind="unplug", for_s=3.0)
    assert not bench.world.plugged("shoe")
    bench.run(2.9)
    assert bench.seen[-1].at < 0.6
    bench.run(0.2)
    assert bench.world.plugged("shoe")
    bench.hello()
    assert "LEASE_LOST" in bench.names or bench.run(0.5)
    assert "DISPENSE_INTERRUPTED" in bench.names
    assert bench.do("counters")["boots"] == 1


def test_a_drop_when_the_motor_starts() -> None:
    """devices.md section 5: a disconnect within 200 ms of a move."""
    bench = fresh()
    bench.do("fault", kind="usb_drop", for_s=0.5)
    bench.dispense(1)
    bench.run(0.2)
    assert not bench.world.plugged("shoe")
    bench.run(0.5)
    bench.until("STACK_READY")
    assert count_at(bench.world, "gate") == 2


# --- dealing by hand


def test_dealing_by_hand() -> None:
    """take_deck, deal_card, muck, collect, and the rack shuffled by hand."""
    bench = fresh()
    deck = bench.world.every_card()["magazine"]
    assert bench.do("take_deck")["cards"] == 52
    for place in ("1", "2", "dealer") * 2:
        bench.do("deal_card", to=place)
    assert bench.world.every_card()["2"] == [deck[1], deck[4]]
    bench.do("deal_card", to="board", face_up=True)
    assert bench.do("look")["places"]["board"]["faces"] == [deck[6]]
    assert bench.do("muck", what="2")["cards"] == 2
    assert bench.do("turn", what="dealer")["cards"] == [deck[2], deck[5]]
    assert bench.do("collect")["cards"] == 50
    assert bench.do("take_deck")["cards"] == 52
    again = bench.world.every_card()["hand"]
    assert sorted(again) == sorted(deck)
    assert again != deck
    assert all_cards(bench.world) == FULL_DECK


def test_a_board_from_the_shoe() -> None:
    """A stack delivered to the board is turned where it lies, before cards from the hand."""
    bench = fresh()
    bench.dispense(1, 3)
    bench.until("STACK_READY")
    bench.do("take_stack", to="board")
    faces = bench.world.every_card()["board"]
    assert bench.do("turn", what="board", cards=3)["cards"] == faces


def test_a_deck_is_not_loaded_over_cards_in_the_gate() -> None:
    """The dealer takes the gate's cards first."""
    bench = fresh()
    bench.dispense(1)
    bench.until("STACK_READY")
    assert "in the gate" in bench.refused("load_deck")


def test_acts_need_no_power() -> None:
    """Hands work in the dark, and the truth is counted all the same."""
    bench = fresh()
    for device in ("shoe", "reader"):
        bench.do("power", device=device, state="off")
    assert "no power" in bench.refused("reset", device="shoe")
    bench.do("insert_cover_card")
    bench.do("remove_stub")
    bench.do("turn", what="board", cards=3)
    bench.do("load_deck")
    assert bench.do("counters")["decks_loaded"] == 1
    assert bench.world.take_output("shoe") == bench.world.take_output("reader") == b""
