"""A second settlement of the three games, to hold the product against.

Written from the regulation texts, the rulings of the handbook (sections 7 and 10) and the interface page alone. It
imports nothing of cardshoe and shares no code with it: cards are plain text, hands are ranked by looking at every five
cards, money is plain integers. `settle(line)` takes a line of `cardshoe settle` as a dict and returns the answer,
without `cites`; it raises `Refusal` where the line must be refused. Speed and good messages are no aim here.
"""

from __future__ import annotations

from typing import Any

from naive_hands import FIVE, RANKS, SUITS, best_of, three_of

Line = dict[str, Any]

REGULATION_LIMIT = 50_000_00
USUAL_MULTIPLES = {"flop": 2, "turn": 1, "river": 1}

BLIND = {  # NY-5324.36(f)(2): numerator and denominator of the odds; what is not listed pushes
    "A": {"straight": (1, 1), "flush": (3, 2), "full house": (3, 1), "four of a kind": (10, 1)},
    "B": {"flush": (3, 2), "full house": (3, 1), "four of a kind": (10, 1)},
}
for _table in BLIND.values():
    _table.update({"straight flush": (50, 1), "royal flush": (500, 1)})
TRIPS_HANDS = ["three of a kind", "straight", "flush", "full house", "four of a kind", "straight flush", "royal flush"]
TRIPS = {  # NY-5324.36(f)(3)
    "A": dict(zip(TRIPS_HANDS, (3, 4, 7, 9, 30, 40, 50), strict=True)),
    "B": dict(zip(TRIPS_HANDS, (3, 5, 6, 8, 30, 40, 50), strict=True)),
    "C": dict(zip(TRIPS_HANDS, (3, 4, 7, 8, 30, 40, 50), strict=True)),
    "D": dict(zip(TRIPS_HANDS, (3, 5, 6, 7, 20, 40, 50), strict=True)),
}
SIX_CARD_HANDS = list(reversed(TRIPS_HANDS))
PAIR_PLUS_HANDS = ["straight flush", "three of a kind", "straight", "flush", "pair"]
ANTE_BONUS_HANDS = ["straight flush", "three of a kind", "straight"]
SPOTS = {
    "texas-holdem-bonus": ["ante", "bonus"],
    "ultimate-texas-holdem": ["ante", "blind", "trips"],
    "three-card-poker": ["ante", "pair_plus", "six_card"],
}


class Refusal(Exception):
    """The line must be refused."""


def refuse_unless(fact: bool, why: str) -> None:
    if not fact:
        raise Refusal(why)


# ---------------------------------------------------------------- houses


def odds_table(given: Any, default: str, hands: list[str]) -> dict[str, int]:
    if isinstance(given, dict):
        return {name: given.get(name, 0) for name in hands}
    name = default if given is None else given
    return dict(zip(hands, (int(part) for part in name.split("-")), strict=True))


def minimums(house: Line, spots: list[str]) -> dict[str, int]:
    given = house.get("minimum_wager")
    if isinstance(given, dict):
        return {spot: given.get(spot, 0) for spot in spots}
    return dict.fromkeys(spots, given or 0)


def limit_of(game: str, house: Line) -> int | None:
    """NY-5324.35(f)(3), NY-5324.36(f)(4), ruling 10 and 10.7: $50,000 or the most at the minimum wagers."""
    least = minimums(house, SPOTS[game])
    own: int | None = None
    if game == "texas-holdem-bonus":
        row = 1000 if house.get("bonus_pays_both_aces", True) else 30
        # Ruling 10.7 says five antes: one, and the usual 2x, 1x and 1x; a house that sets its multiples fixes the most.
        antes = 1 + sum(house.get(f"{street}_multiple") or usual for street, usual in USUAL_MULTIPLES.items())
        own = max(REGULATION_LIMIT, antes * least["ante"] + row * max(least["bonus"], 100))
    elif game == "ultimate-texas-holdem":
        own = max(REGULATION_LIMIT, 5 * least["ante"] + 500 * least["blind"] + 50 * least["trips"])
    given = house.get("payout_limit")
    if given is None:
        return own
    refuse_unless(own is None or given >= own, "a limit below the regulation's")
    return int(given)


# ---------------------------------------------------------------- irregularities

KEEPS_SIDE = 1  # the hand is void, its trips wager is settled
RETURNS_ALL = 2


def void_levels(line: Line) -> dict[str, int]:
    """For each position 0 (live), KEEPS_SIDE or RETURNS_ALL. NY-5324.36(h), rulings 10.4 to 10.6."""
    game, events = line["game"], line.get("irregularities", [])
    level = dict.fromkeys(line["positions"], 0)
    ruled = {event["who"]: event["outcome"] for event in events if event["kind"] == "floor_ruling"}
    for event in events:
        everybody, who = list(level), event.get("who")
        kind = event["kind"]
        if kind == "device_fault":
            hit, worst = everybody, RETURNS_ALL if event["affects_outcome"] else 0
        elif kind == "floor_ruling":
            # The floor's word on one position goes before its word on all.
            hit = [who] if who != "all" else [p for p in everybody if p not in ruled]
            worst = RETURNS_ALL if event["outcome"] == "void" else 0
        elif game != "ultimate-texas-holdem":
            refuse_unless(bool(ruled), "the text is silent and the floor has not ruled")
            continue
        elif kind == "wrong_card_count":
            mended = who == "dealer" and event["cards"] < 2 and event["repairable_in_sequence"]
            hit, worst = (everybody if who == "dealer" else [who]), 0 if mended else RETURNS_ALL
        elif kind == "dealer_card_exposed":
            hit, worst = everybody, KEEPS_SIDE if event["before_decisions_done"] else 0
        else:
            refuse_unless(event["after_initial_deal"] or bool(ruled), "silent before the initial deal is complete")
            hit, worst = everybody, KEEPS_SIDE if event["after_initial_deal"] else 0
        for position in hit:
            refuse_unless(position in level, "nobody wagers there")
            level[position] = max(level[position], worst)
    return level


# ---------------------------------------------------------------- decisions


def later_wagers(game: str, house: Line, wagers: dict[str, int], actions: list[str], may_stop: bool) -> dict[str, Any]:
    """The wagers that the actions add, and `folded`."""
    if game == "three-card-poker":
        if "ante" not in wagers:
            refuse_unless(not actions, "no ante, no decision")
            return {"folded": False}
        refuse_unless(actions in (["fold"], ["play"]) or (may_stop and not actions), "fold or play")
        return {"folded": actions == ["fold"], **({"play": wagers["ante"]} if actions == ["play"] else {})}
    if game == "ultimate-texas-holdem":
        return ultimate_decisions(wagers["ante"], actions, may_stop)
    return bonus_decisions(house, wagers["ante"], actions, may_stop)


def ultimate_decisions(ante: int, actions: list[str], may_stop: bool) -> dict[str, Any]:
    """NY-5324.36(e)(1), (e)(3), (e)(5): one play wager of 3x or 4x, 2x or 1x, or a fold at the last."""
    stages = [{"check": None, "3x": 3, "4x": 4}, {"check": None, "2x": 2}, {"fold": None, "1x": 1}]
    for place, action in enumerate(actions):
        refuse_unless(place < 3, "an action after the last decision")
        allowed: dict[str, int | None] = {}
        for name, times in stages[place].items():
            if times is None:
                allowed[name] = None
            else:
                allowed[f"play {name}"] = allowed[f"play {times * ante}"] = times * ante
        refuse_unless(action in allowed, f"{action!r} is not offered there")
        amount = allowed[action]
        if amount is not None or action == "fold":
            refuse_unless(place == len(actions) - 1, "an action after the last decision")
            return {"folded": action == "fold", **({} if amount is None else {"play": amount})}
    refuse_unless(may_stop, "a decision is missing")
    return {"folded": False}


def bonus_decisions(house: Line, ante: int, actions: list[str], may_stop: bool) -> dict[str, Any]:
    """NY-5324.35(e)(1), (e)(3), (e)(5): flop wager or fold, then turn wager or check, then river wager or check."""
    made: dict[str, Any] = {"folded": False}
    if actions == ["fold"]:
        return {"folded": True}
    refuse_unless(len(actions) <= 3, "an action after the last decision")
    for street, action in zip(("flop", "turn", "river"), actions, strict=False):
        if action == "check" and street != "flop":
            continue
        word, _, amount = action.partition(" ")
        refuse_unless(word == street and amount.isdecimal() and int(amount) > 0, f"{action!r} is not offered there")
        times = house.get(f"{street}_multiple")
        refuse_unless(times is None or int(amount) == times * ante, f"{street} is {times} antes")
        made[street] = int(amount)
    refuse_unless(may_stop or len(actions) == 3, "a decision is missing")
    return made


def check_wagers(game: str, house: Line, wagers: dict[str, int]) -> None:
    refuse_unless(all(type(cents) is int and cents > 0 for cents in wagers.values()), "an amount is a positive integer")
    refuse_unless(set(wagers) <= set(SPOTS[game]), "no such spot")
    if game == "three-card-poker":
        refuse_unless("ante" in wagers or "pair_plus" in wagers, "ante or pair plus")
        needs = house.get("six_card_requires", "pair_plus")
        refuse_unless("six_card" not in wagers or needs in wagers, f"the six-card bonus needs {needs}")
        return
    refuse_unless("ante" in wagers, "no ante")
    if game == "ultimate-texas-holdem":
        refuse_unless(wagers.get("blind") == wagers["ante"], "the blind equals the ante")
        exact = house.get("rounding", "up") == "up" or wagers["blind"] % 2 == 0
        refuse_unless(exact, "3:2 cannot be paid exactly")
    else:
        refuse_unless(wagers.get("bonus", 100) >= 100, "the bonus is $1 at least")


# ---------------------------------------------------------------- one wager


def result(staked: int, outcome: str, won: int = 0) -> Line:
    return {"staked": staked, "outcome": outcome, "won": won, "returned": 0 if outcome == "lose" else staked}


def paid(staked: int, up: int, down: int = 1) -> Line:
    return result(staked, "win", -(-staked * up // down)) if up else result(staked, "lose")


def compared(mine: Any, dealers: Any) -> str:
    return "win" if mine > dealers else "push" if mine == dealers else "lose"


def evens(staked: int, outcome: str) -> Line:
    return result(staked, outcome, staked if outcome == "win" else 0)


def two_card_bonus(cards: list[str], dealer: list[str], both_aces: bool) -> int:
    """NY-5324.35(f)(2); the row that reads only "king (same suit)" is ace-king suited (ruling 1)."""
    pair = "".join(sorted(card[0] for card in cards))
    suited = cards[0][1] == cards[1][1]
    if pair == "AA":
        return 1000 if both_aces and [card[0] for card in dealer] == ["A", "A"] else 30
    if pair[0] == pair[1]:
        return 10 if pair[0] in "KQJ" else 3
    if pair == "AK":
        return 25 if suited else 15
    if pair in ("AQ", "AJ"):
        return 20 if suited else 5
    return 0


# ---------------------------------------------------------------- one hand


class Table:
    """What every position shares: game, house, board and the dealer's ranked hand."""

    def __init__(self, line: Line) -> None:
        self.game: str = line["game"]
        self.house: Line = line.get("house", {})
        self.board: list[str] = line.get("board", [])
        self.dealer_cards: list[str] = line["dealer"]
        self.dealer: tuple[Any, str, list[str]] = ((-1, ()), "", [])

    def rank(self, cards: list[str]) -> tuple[Any, str, list[str]]:
        return three_of(cards) if self.game == "three-card-poker" else best_of(cards + self.board)

    def qualifies(self) -> bool | None:
        """Ultimate: a pair or better; three-card poker: queen high or better; the bonus game has no such rule."""
        if self.game == "ultimate-texas-holdem":
            return self.dealer[1] != "high card"
        if self.game == "three-card-poker":
            return bool(self.dealer[0] >= (0, (RANKS.index("Q"),)))
        return None

    def main(self, wagers: dict[str, int], mine: tuple[Any, str, list[str]]) -> Line:
        """The wagers against the dealer, of a hand that is still in."""
        outcome = compared(mine[0], self.dealer[0])
        answer = {spot: evens(cents, outcome) for spot, cents in wagers.items()}
        if self.game == "texas-holdem-bonus":
            least = self.house.get("ante_qualifier", "straight")
            if outcome == "win" and FIVE.index(mine[1]) < FIVE.index(least):
                answer["ante"] = result(wagers["ante"], "push")  # ruling 9
        elif self.game == "ultimate-texas-holdem":
            if outcome == "win":
                up, down = BLIND[self.house.get("blind_table", "A")].get(mine[1], (0, 1))
                answer["blind"] = paid(wagers["blind"], up, down) if up else result(wagers["blind"], "push")
            if not self.qualifies():
                answer["ante"] = result(wagers["ante"], "push")  # (e)(7), rulings 14 and 10.1
        elif not self.qualifies():
            answer["ante"], answer["play"] = evens(wagers["ante"], "win"), result(wagers["play"], "push")
        if self.game == "three-card-poker":
            odds = odds_table(self.house.get("ante_bonus_table"), "5-4-1", ANTE_BONUS_HANDS).get(mine[1], 0)
            if odds:
                answer["ante_bonus"] = result(0, "win", wagers["ante"] * odds)
        return answer

    def side(self, spot: str, staked: int, cards: list[str]) -> Line:
        """A wager that bears on no other."""
        if spot == "trips":
            odds = TRIPS[self.house.get("trips_table", "A")].get(best_of(cards + self.board)[1], 0)
        elif spot == "bonus":
            odds = two_card_bonus(cards, self.dealer_cards, self.house.get("bonus_pays_both_aces", True))
        elif spot == "six_card":
            table = odds_table(self.house.get("six_card_table"), "1000-200-50-25-20-10-5", SIX_CARD_HANDS)
            odds = table.get(best_of(cards + self.dealer_cards)[1], 0)
        else:
            table = odds_table(self.house.get("pair_plus_table"), "40-30-6-4-1", PAIR_PLUS_HANDS)
            odds = table.get(three_of(cards)[1], 0)
        return paid(staked, odds)

    def waits(self, spots: set[str], folded: bool) -> set[str]:
        """The side wagers that are open after the main ones."""
        open_spots = spots & {"trips", "bonus", "pair_plus", "six_card"}
        if folded and self.house.get("pair_plus_on_fold", "forfeit") == "forfeit":
            open_spots -= {"pair_plus"}
        return open_spots


def capped(wagers: Line, limit: int | None) -> tuple[Line, int, bool]:
    """Cut the last-settled winnings down to the limit."""
    won = sum(wager["won"] for wager in wagers.values())
    if limit is None or won <= limit:
        return wagers, won, False
    left = limit
    for wager in wagers.values():
        wager["won"] = min(wager["won"], left)
        left -= wager["won"]
    return wagers, limit, True


ORDER = ["ante", "blind", "flop", "turn", "river", "play", "ante_bonus", "bonus", "trips", "pair_plus", "six_card"]


def settle(line: Line) -> Line:
    """The answer to one line of `cardshoe settle`, without `cites`; raises `Refusal`."""
    table = Table(line)
    limit = limit_of(table.game, table.house)
    level = void_levels(line)
    hands: dict[str, Line] = {}
    for position in sorted(line["positions"]):
        given = line["positions"][position]
        check_wagers(table.game, table.house, given["wagers"])
        made = later_wagers(table.game, table.house, given["wagers"], given.get("actions", []), bool(level[position]))
        folded = made.pop("folded")
        hands[position] = {"staked": {**given["wagers"], **made}, "folded": folded, "cards": given["cards"]}
    check_cards(line, level, table, hands)
    live = [p for p in sorted(hands, reverse=True) if not level[p] and not hands[p]["folded"]]
    waiting = [
        p for p in sorted(hands, reverse=True)
        if not level[p] and hands[p]["folded"] and table.waits(set(hands[p]["staked"]), True)
    ]  # fmt: skip
    if live or waiting:
        table.dealer = table.rank(table.dealer_cards)
    answer: Line = {"id": line.get("id"), "game": table.game, "dealer": None, "positions": {}}
    if live or waiting:
        answer["dealer"] = {
            "category": table.dealer[1], "best": table.dealer[2], "qualifies": table.qualifies()
        }  # fmt: skip
    for position, hand in hands.items():
        answer["positions"][position] = settle_hand(table, hand, level[position], limit)
    answer["settled_in_order"] = live + waiting
    answer["voided"] = all(level.values())
    return answer


def settle_hand(table: Table, hand: Line, level: int, limit: int | None) -> Line:
    staked, folded, cards = hand["staked"], hand["folded"], hand["cards"]
    side = {"trips", "bonus", "pair_plus", "six_card"}
    main = {spot: cents for spot, cents in staked.items() if spot not in side}
    wagers: Line = {}
    mine: tuple[Any, Any, Any] = (None, None, None)
    survives = (
        table.waits(set(staked), folded) if not level else {"trips"} & set(staked) if level == KEEPS_SIDE else set()
    )
    if (not level and not folded) or survives & {"trips", "pair_plus"}:
        mine = table.rank(cards)
    if level:
        wagers.update({spot: result(cents, "void") for spot, cents in staked.items()})
    elif folded:
        wagers.update({spot: result(cents, "lose") for spot, cents in staked.items()})
    elif main:
        wagers.update(table.main(main, mine))
    wagers.update({spot: table.side(spot, staked[spot], cards) for spot in survives})
    wagers, won, limited = capped({spot: wagers[spot] for spot in ORDER if spot in wagers}, limit)
    answer = {"category": mine[1], "best": mine[2], "state": "void" if level else "folded" if folded else "played"}
    if "six_card" in survives:
        answer["six_card_category"] = best_of(cards + table.dealer_cards)[1]
    returned = sum(wager["returned"] for wager in wagers.values())
    return {**answer, "wagers": wagers, "won": won, "returned": returned, "limited": limited}


def check_cards(line: Line, level: dict[str, int], table: Table, hands: dict[str, Line]) -> None:
    size = 3 if table.game == "three-card-poker" else 2
    listed = [*table.board, *table.dealer_cards, *(card for hand in hands.values() for card in hand["cards"])]
    refuse_unless(all(len(c) == 2 and c[0] in RANKS and c[1] in SUITS for c in listed), "not a card")
    for position, hand in hands.items():
        refuse_unless(bool(level[position]) or len(hand["cards"]) == size, "wrong number of cards")
    if all(level.values()):
        listed = listed[: len(table.board)] + listed[len(table.board) + len(table.dealer_cards) :]  # it is ignored
    else:
        refuse_unless(len(table.dealer_cards) == size, "wrong number of dealer's cards")
    refuse_unless(len(set(listed)) == len(listed), "a card twice")
    trips_open = any(level[p] == KEEPS_SIDE and "trips" in hand["staked"] for p, hand in hands.items())
    in_play = any(
        not level[p] and (not hand["folded"] or table.waits(set(hand["staked"]), True)) for p, hand in hands.items()
    )
    # Ruling 10.12: with nobody left and nothing waiting no further board card is dealt; Ultimate folds after the fifth.
    if trips_open or in_play or (table.game == "ultimate-texas-holdem" and not all(level.values())):
        refuse_unless(len(table.board) == (0 if table.game == "three-card-poker" else 5), "wrong number of board cards")
