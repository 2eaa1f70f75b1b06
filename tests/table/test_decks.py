"""Which deck may be dealt from: backs that alternate, decks that wear out, decks that may have changed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from table_play import TOML, Dealer, world

from cardshoe.errors import ConfigError, Refused
from cardshoe.lab.virtual import VirtualTable
from cardshoe.table.acts import DeckPlaced, DeckReplaced
from cardshoe.table.config import parse_config
from cardshoe.table.decks import proof_obstacle, suspect
from cardshoe.table.state import TableState, absorb
from cardshoe.table.upkeep import Upkeep, noted_upkeep, recalled_upkeep


def table(deck: str, *, seed: int = 1) -> Dealer:
    text = TOML.format(game="ultimate-texas-holdem", house="") + f"[deck]\n{deck}\n"
    dealer = Dealer(VirtualTable(parse_config(text, "test.toml"), world(seed), seed=seed))
    dealer.connect()
    return dealer


def test_two_decks_alternate_by_their_backs() -> None:
    """Deck rules: the dealer says which back lies in the shoe; the one that was dealt last is refused."""
    dealer = table('backs = ["red", "blue"]')
    dealer.play(1, stops=lambda: "Say which deck" in dealer.table.shown.words)
    dealer.table.act(DeckPlaced("red"))
    dealer.play(1)
    assert dealer.table.shown.words == "Put the whole blue deck into the shoe."
    with pytest.raises(Refused, match="red deck was dealt last"):
        dealer.table.act(DeckPlaced("red"))
    dealer.play(2, stops=lambda: "Say which deck" in dealer.table.shown.words)
    dealer.table.act(DeckPlaced("blue"))
    dealer.play(2)
    assert dealer.table.shown.words == "Put the whole red deck into the shoe."
    armed = [entry.body["back"] for entry in dealer.table.entries if entry.kind == "deck_armed"]
    assert armed == ["red", "blue"]


def test_a_back_is_not_changed_in_mid_deal() -> None:
    """Deck rules: what is dealt from was said before the first stack."""
    dealer = table('backs = ["red"]')
    dealer.table.act(DeckPlaced("red"))
    dealer.play(1, stops=lambda: "Take 2 cards" in dealer.table.shown.words)
    for act in (DeckPlaced("red"), DeckReplaced("red", "floor", "new")):
        with pytest.raises(Refused, match="dealt from"):
            dealer.table.act(act)


def test_a_deck_is_changed_when_its_life_is_over() -> None:
    """Deck rules: after so many rounds nothing is dealt until the floor has replaced it."""
    dealer = table("life_rounds = 2")
    dealer.play(2)
    dealer.play(3, stops=lambda: "2 times" in dealer.table.shown.words)
    feeds = dealer.table.hands("counters")["feeds_started"]
    dealer.table.run_until(lambda: False, within_s=20)
    assert dealer.table.hands("counters")["feeds_started"] == feeds
    with pytest.raises(Refused):
        dealer.table.act(DeckReplaced("", "dealer", "worn"))
    dealer.table.act(DeckReplaced("", "floor", "worn"))
    dealer.play(3)
    assert dealer.table.shown.tally.completed == 3


def test_a_deck_that_waited_while_the_door_was_opened_is_not_dealt_from() -> None:
    """E11, deck rules: verified, then the door opens between rounds: a new deck id before the next stack."""
    dealer = table("")
    dealer.play(1)
    dealer.must("load_deck")
    dealer.table.run_until(lambda: "verified (deck 2" in dealer.table.shown.deck, within_s=10)
    dealer.must("open_door")
    dealer.must("close_door")
    dealer.play(2)
    armed = [entry.body["deck_id"] for entry in dealer.table.entries if entry.kind == "deck_armed"]
    assert armed == [1, 3]
    assert dealer.table.shown.tally.held == 0


@pytest.mark.parametrize("place", ["1", "3", "6"])
def test_a_cover_card_before_each_stack_is_never_counted(place: str) -> None:
    """FR-11, E24: put in at each point of the deal; the stacks have two cards each, the round is finished in order."""
    dealer = table("")
    dealer.play(1, stops=lambda: dealer.table.shown.words == f"Take 2 cards to position {place}.")
    dealer.must("insert_cover_card")
    dealer.table.run_until(lambda: dealer.table.shown.cover_card_in, within_s=2)
    assert len(dealer.table.shown.cover_cards) == 1
    dealer.play(1)
    delivered = [entry.body["cards"] for entry in dealer.table.entries if entry.kind == "stack-delivered"]
    assert delivered == [2, 2, 2, 2]
    assert dealer.table.shown.tally.completed == 1
    dealer.play(2)
    assert dealer.table.shown.tally.completed == 2


def test_a_second_cover_card_and_one_after_the_dealers_stack_hold() -> None:
    """FR-11, E24, promise P3."""
    dealer = table("")
    dealer.play(1, stops=lambda: "Take 2 cards to position 6" in dealer.table.shown.words)
    dealer.must("insert_cover_card")
    dealer.must("insert_cover_card")
    dealer.table.run_until(lambda: bool(dealer.table.controller.desk.open_round.holds), within_s=2)  # type: ignore[union-attr]
    assert "cover-card" in [hold.code for hold in dealer.table.controller.desk.open_round.holds]  # type: ignore[union-attr]
    assert len(dealer.table.shown.cover_cards) == 2
    late = table("")
    late.play(1, stops=lambda: "Take 2 cards to the dealer" in late.table.shown.words)
    late.must("insert_cover_card")
    late.table.run_until(lambda: bool(late.table.controller.desk.open_round.holds), within_s=2)  # type: ignore[union-attr]
    assert [hold.code for hold in late.table.controller.desk.open_round.holds] == ["cover-card"]  # type: ignore[union-attr]


def test_what_is_kept_of_decks_survives_the_note() -> None:
    """Promise P2: the upkeep that a restart sets out from is the one that was."""
    dealer = table('backs = ["red", "blue"]')
    dealer.table.act(DeckPlaced("red"))
    dealer.play(1)
    state = TableState()
    for entry in dealer.table.entries:
        state = absorb(state, entry.kind, entry.body)
    assert state.upkeep == dealer.table.controller.state.upkeep
    assert recalled_upkeep(noted_upkeep(state.upkeep)) == state.upkeep
    assert recalled_upkeep({}) == Upkeep()


@pytest.mark.parametrize(
    ("deck", "code", "named"),
    [
        ("life = 3", "config-key", "life_rounds"),
        ("life_rounds = 0", "config-value", "deck.life_rounds"),
        ('life_rounds = "3"', "config-value", "deck.life_rounds"),
        ('cover_card = "always"', "config-value", "deck.cover_card"),
        ('backs = ["red", "red"]', "config-backs", "twice"),
        ('backs = [""]', "config-value", "deck.backs"),
        ("unreadable_per_1000 = 1001", "config-value", "deck.unreadable_per_1000"),
        ("stub_count_rounds = -1", "config-value", "deck.stub_count_rounds"),
    ],
)
def test_wrong_deck_settings_are_refused_by_name(deck: str, code: str, named: str) -> None:
    """Configuration: unknown keys and values name themselves; nothing is started."""
    text = TOML.format(game="ultimate-texas-holdem", house="") + f"[deck]\n{deck}\n"
    with pytest.raises(ConfigError) as error:
        parse_config(text, "test.toml")
    assert error.value.code == code
    assert named in error.value.text


@pytest.mark.parametrize("left", [50, None])
def test_a_shoe_that_does_not_know_what_is_left_proves_no_count(left: int | None) -> None:
    """E10: where the count can be had it is waited for; where the shoe cannot say the floor is asked at once."""
    dealer = table("")
    dealer.play(1, stops=lambda: "Take 2 cards" in dealer.table.shown.words)
    desk = dealer.table.controller.desk
    suspect(desk, "a card was seen to stick")
    assert desk.live.shoe is not None
    desk.live.shoe = replace(desk.live.shoe, cards_left=left)
    obstacle = proof_obstacle(desk)
    assert obstacle is not None
    assert obstacle.code == ("deck-recount" if left is not None else "deck-not-proved")
