"""Random lines for `cardshoe settle`: every house, fold, limit and irregularity, and lines that must be refused.

`random_line` deals often from a thin deck (few ranks or few suits), because full houses, straight flushes and ties are
where settlements go wrong and a fair deal hardly shows them. `spoil` breaks one rule of a good line.
"""

from __future__ import annotations

import copy
import random
from typing import Any

Line = dict[str, Any]

GAMES = ("texas-holdem-bonus", "ultimate-texas-holdem", "three-card-poker")
RANKS = "23456789TJQKA"
AMOUNTS = (100, 101, 333, 500, 700, 1000, 1001, 2500, 10_000, 100_000, 100_001, 1_000_500)
SIX_CARD_HANDS = (
    "royal flush",
    "straight flush",
    "four of a kind",
    "full house",
    "flush",
    "straight",
    "three of a kind",
)
PAIR_PLUS_HANDS = ("straight flush", "three of a kind", "straight", "flush", "pair")
ANTE_BONUS_HANDS = ("straight flush", "three of a kind", "straight")


def deck(draw: random.Random) -> list[str]:
    """A shuffled deck, often with few suits or ranks on top; the rest of the 52 lies below."""
    full = [rank + suit for rank in RANKS for suit in "shdc"]
    draw.shuffle(full)
    kind = draw.randrange(5)
    if kind == 1:
        wanted = set(draw.sample("shdc", 2))
        full.sort(key=lambda card: card[1] not in wanted)
    elif kind == 2:
        wanted = set(draw.sample(RANKS, 7))
        full.sort(key=lambda card: card[0] not in wanted)
    elif kind == 3:
        wanted = set("TJQKA") if draw.random() < 0.5 else set("A2345")
        full.sort(key=lambda card: card[0] not in wanted)
    elif kind == 4:  # all four of a rank near the top: four of a kind, or two pairs of aces face to face
        wanted = set(draw.choice(RANKS + "AAA"))
        full.sort(key=lambda card: card[0] not in wanted)
        top = full[4:9] + full[:4] if draw.random() < 0.5 else draw.sample(full[:9], 9)
        full[:9] = top
    return full


def odds(draw: random.Random, name: str, hands: tuple[str, ...], house: Line, named: tuple[str, ...]) -> None:
    """Perhaps set the pay table `name` of a three-card house, by name or by the odds themselves."""
    kind = draw.randrange(3)
    if kind == 1:
        house[name] = draw.choice(named)
    elif kind == 2:
        house[name] = {hand: draw.randrange(1, 60) for hand in hands}


def random_house(draw: random.Random, game: str) -> Line:
    house: Line = {}
    if draw.random() < 0.3:
        house["payout_limit"] = draw.choice((None, 5_000_000, 5_000_001, 6_000_000))
    if game == "three-card-poker":
        odds(draw, "ante_bonus_table", ANTE_BONUS_HANDS, house, ("5-4-1", "4-3-1"))
        odds(draw, "pair_plus_table", PAIR_PLUS_HANDS, house, ("40-30-6-4-1", "35-25-5-3-1"))
        six = ("1000-200-50-25-20-10-5", "1000-200-100-20-15-10-7", "1000-200-50-25-15-10-5")
        odds(draw, "six_card_table", SIX_CARD_HANDS, house, six)
        choices: Line = {"six_card_requires": ("pair_plus", "ante"), "pair_plus_on_fold": ("forfeit", "settle")}
        if draw.random() < 0.3:
            house["payout_limit"] = draw.choice((None, 1_000, 20_000))
    elif game == "ultimate-texas-holdem":
        choices = {"blind_table": "AB", "trips_table": "ABCD"}
        if draw.random() < 0.3:
            minimum = draw.choice((500, 10_000, 50_000))
            house["minimum_wager"] = draw.choice((minimum, {"ante": minimum, "blind": minimum, "trips": 500}))
    else:
        choices = {"ante_qualifier": ("straight", "flush"), "bonus_pays_both_aces": (True, False)}
        choices.update({f"{street}_multiple": (None, 1, 2, 3) for street in ("flop", "turn", "river")})
        if draw.random() < 0.3:
            house["minimum_wager"] = draw.choice((500, 2_500, {"ante": 1_000, "bonus": 6_000}))
    if game != "three-card-poker" and "minimum_wager" in house:
        house.pop("payout_limit", None)  # the regulation's own limit may be above the house's
    choices["rounding"] = ("up", "up", "up", "refuse")
    house.update({key: draw.choice(values) for key, values in choices.items() if draw.random() < 0.5})
    return house


def random_wagers(draw: random.Random, game: str, house: Line) -> dict[str, int]:
    ante = draw.choice(AMOUNTS)
    side = draw.choice(AMOUNTS)
    if game == "ultimate-texas-holdem":
        if house.get("rounding") == "refuse":
            ante += ante % 2
        return {"ante": ante, "blind": ante, **({"trips": side} if draw.random() < 0.6 else {})}
    if game == "texas-holdem-bonus":
        return {"ante": ante, **({"bonus": side} if draw.random() < 0.6 else {})}
    wagers = draw.choice(({"ante": ante}, {"ante": ante, "pair_plus": side}, {"pair_plus": side}))
    if house.get("six_card_requires", "pair_plus") in wagers and draw.random() < 0.6:
        wagers["six_card"] = draw.choice(AMOUNTS)
    return wagers


def random_actions(draw: random.Random, game: str, house: Line, wagers: dict[str, int]) -> list[str]:
    if game == "three-card-poker":
        return [draw.choice(("fold", "play", "play"))] if "ante" in wagers else []
    ante = wagers["ante"]
    if game == "ultimate-texas-holdem":
        actions = draw.choice(
            (["play 3x"], ["play 4x"], ["check", "play 2x"], ["check"] * 2 + ["play 1x"], ["check"] * 2)
        )
        actions = list(actions)
        if actions == ["check", "check"]:
            actions.append("fold")
        elif draw.random() < 0.3:
            actions[-1] = f"play {int(actions[-1][5]) * ante}"
        return actions
    if draw.random() < 0.25:
        return ["fold"]
    actions = []
    for street in ("flop", "turn", "river"):
        if street != "flop" and draw.random() < 0.4:
            actions.append("check")
            continue
        times = house.get(f"{street}_multiple")
        actions.append(f"{street} {draw.choice(AMOUNTS) if times is None else times * ante}")
    return actions


def random_irregularities(draw: random.Random, game: str, positions: list[str]) -> list[Line]:
    """None in three rounds of five; in the games whose texts are silent the floor has ruled."""
    if draw.random() < 0.6:
        return []
    who = draw.choice(positions)
    short = draw.random() < 0.5
    cards = 1 if short else 3 if game != "three-card-poker" else 1
    kinds: list[Line] = [
        {"kind": "dealer_card_exposed", "before_decisions_done": draw.random() < 0.7},
        {"kind": "card_found_face_up", "after_initial_deal": True},
        {"kind": "wrong_card_count", "who": who, "cards": cards, "repairable_in_sequence": draw.random() < 0.5},
        {"kind": "wrong_card_count", "who": "dealer", "cards": cards, "repairable_in_sequence": draw.random() < 0.6},
    ]
    chosen = draw.sample(kinds, draw.choice((1, 1, 1, 2)))
    if game != "ultimate-texas-holdem":
        local = all(event.get("who") == who for event in chosen)
        ruled = who if local and draw.random() < 0.7 else "all"
        chosen.append({"kind": "floor_ruling", "who": ruled, "outcome": draw.choice(("void", "stands"))})
    elif draw.random() < 0.2:
        chosen = [
            {"kind": "floor_ruling", "who": draw.choice((who, "all")), "outcome": draw.choice(("void", "stands"))}
        ]
    if draw.random() < 0.15:
        fault = {"kind": "device_fault", "affects_outcome": True}
        chosen = [*chosen, fault] if draw.random() < 0.5 else [fault]
    return chosen


def random_line(draw: random.Random, game: str, name: str) -> Line:
    """A line that is well formed; hands, actions and board are whole even where the round is void."""
    house = random_house(draw, game)
    cards = deck(draw)
    positions = sorted(draw.sample("123456", draw.randint(1, 6)))
    size = 3 if game == "three-card-poker" else 2
    board = [] if game == "three-card-poker" else [cards.pop(0) for _ in range(5)]
    dealer = [cards.pop(0) for _ in range(size)]
    line: Line = {"id": name, "game": game, "house": house, "positions": {}, "dealer": dealer, "board": board}
    for position in positions:
        wagers = random_wagers(draw, game, house)
        line["positions"][position] = {
            "wagers": wagers,
            "cards": [cards.pop(0) for _ in range(size)],
            "actions": random_actions(draw, game, house, wagers),
        }
    line["irregularities"] = random_irregularities(draw, game, positions)
    return line


def shorten(draw: random.Random, line: Line, void: dict[str, int], *, board_too: bool) -> None:
    """Let void hands stop early or list any number of cards, and a board that nobody needs stay short."""
    for position, level in void.items():
        hand = line["positions"][position]
        if level and draw.random() < 0.5:
            hand["actions"] = hand["actions"][: draw.randrange(4)]
        if level == 2 and draw.random() < 0.3:
            hand["cards"] = hand["cards"][: draw.randrange(3)]
    if board_too and draw.random() < 0.5:
        line["board"] = line["board"][: draw.choice((0, 3, 4))]


def spoil(draw: random.Random, line: Line) -> Line:
    """A copy of a good line with one thing wrong (or, now and then, not wrong after all)."""
    bad = copy.deepcopy(line)
    hand = bad["positions"][draw.choice(list(bad["positions"]))]
    wagers: dict[str, int] = hand["wagers"]
    kind = draw.randrange(9)
    if kind == 0:
        spot = draw.choice(list(wagers))
        wagers[spot] = draw.choice((0, -100, 10.5, True, "1000"))  # type: ignore[assignment]
    elif kind == 1:
        wagers.pop(draw.choice(list(wagers)))
    elif kind == 2:
        wagers[draw.choice(("bonus", "trips", "six_card", "play", "blind"))] = draw.choice((1, 99, 500))
    elif kind == 3:
        hand["actions"] = hand["actions"][:-1]
    elif kind == 4:
        hand["actions"] = [*hand["actions"], draw.choice(("check", "fold", "play 1x", "river 500", "play"))]
    elif kind == 5:
        moves = ("check", "fold", "play 1x", "play 2x", "play 5x", "turn 1", "flop 0", "flop -5", "play 17", "Play 3x")
        hand["actions"] = [draw.choice(moves), *hand["actions"][1:]]
    elif kind == 6:
        hand["cards"] = [*hand["cards"][:-1], draw.choice([*bad["dealer"], "10h", "as", "Ax", "5s"])]
    elif kind == 7:
        bad["house"]["payout_limit"] = draw.choice((1, 4_999_999, 5_000_000))
    else:
        bad["board"] = bad["board"][:-1]
    return bad
