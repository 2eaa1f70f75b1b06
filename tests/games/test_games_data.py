"""Each game beside its text: layout, wagers, pay tables, hands, script, clauses, effective date."""

from __future__ import annotations

import csv
import dataclasses
import re
from pathlib import Path
from typing import Any

import pytest

from cardshoe.errors import InputError
from cardshoe.games import games, paytables
from cardshoe.games.hands import FIVE_CARD_CATEGORIES
from cardshoe.games.house import parse_house, short_rows
from cardshoe.games.script import (
    Area,
    Ask,
    Burn,
    DealBoard,
    DealSingles,
    DealStacks,
    Game,
    Method,
    OnCards,
    Placed,
    TableOption,
)
from cardshoe.games.verdicts import Case, Outcome
from cardshoe.money import Odds

UTH = games()["ultimate-texas-holdem"]
THB = games()["texas-holdem-bonus"]
TCP = games()["three-card-poker"]
NEW_YORK = [UTH, THB]


def _strings(value: object) -> list[str]:
    """Every string within a frozen value."""
    if isinstance(value, str):
        return [value]
    if dataclasses.is_dataclass(value):
        return [text for each in dataclasses.fields(value) for text in _strings(getattr(value, each.name))]
    if isinstance(value, dict):
        return [text for pair in value.items() for each in pair for text in _strings(each)]
    if isinstance(value, tuple):
        return [text for each in value for text in _strings(each)]
    return []


@pytest.mark.parametrize(
    ("game", "cites", "shows"),
    [
        (THB, "NY-5324.35(a)(1)", "six player positions"),
        (THB, "NY-5324.35(a)(2)(i)", "ante"),
        (THB, "NY-5324.35(a)(2)(ii)", "flop, turn and river"),
        (THB, "NY-5324.35(a)(2)(iii)", "bonus"),
        (THB, "NY-5324.35(a)(2)(iv)", "five community cards"),
        (THB, "NY-5324.35(a)(2)(v)", "dealer's two cards"),
        (THB, "NY-5324.35(a)(2)(vi)", "straight, or on a flush"),
        (UTH, "NY-5324.36(a)(1)", "six player positions"),
        (UTH, "NY-5324.36(a)(2)(i)", "trips nearest the dealer"),
        (UTH, "NY-5324.36(a)(2)(ii)", "five community cards"),
        (UTH, "NY-5324.36(a)(2)(iii)", "dealer's two cards"),
        (UTH, "NY-5324.36(a)(2)(iv)", "pushes"),
        (UTH, "NY-5324.36(a)(2)(v)(a)", "blind and trips odds"),
        (UTH, "NY-5324.36(a)(2)(v)(b)", "outranks the dealer"),
        (UTH, "NY-5324.36(a)(2)(v)(c)", "3x or 4x"),
        (UTH, "NY-5324.36(a)(2)(v)(d)", "sign"),
    ],
)
def test_layout(game: Game, cites: str, shows: str) -> None:
    """What the layout must show is data of the game, each with its clause."""
    areas = [area for area in game.layout if area.cites == cites]
    assert len(areas) == 1
    assert isinstance(areas[0], Area)
    assert shows in areas[0].what


def test_every_betting_area_is_a_spot() -> None:
    """NY-5324.35(a)(2)(i), NY-5324.35(a)(2)(ii), NY-5324.35(a)(2)(iii), NY-5324.36(a)(2)(i): and no other."""
    assert {spot.name: spot.area for spot in THB.spots} == {
        "ante": "NY-5324.35(a)(2)(i)",
        "flop": "NY-5324.35(a)(2)(ii)",
        "turn": "NY-5324.35(a)(2)(ii)",
        "river": "NY-5324.35(a)(2)(ii)",
        "bonus": "NY-5324.35(a)(2)(iii)",
    }
    assert {spot.name: spot.area for spot in UTH.spots} == dict.fromkeys(
        ("ante", "blind", "play", "trips"), "NY-5324.36(a)(2)(i)"
    )
    assert [spot.name for spot in TCP.spots] == ["ante", "play", "pair_plus", "six_card"]


def test_boards_and_hands_have_the_size_of_their_areas() -> None:
    """NY-5324.35(a)(2)(iv), NY-5324.35(a)(2)(v), NY-5324.36(a)(2)(ii), NY-5324.36(a)(2)(iii)."""
    for game in NEW_YORK:
        assert (game.board_cards, game.cards_each) == (5, 2)
        for method in Method:
            assert sum(step.cards for step in game.scripts[method] if isinstance(step, DealBoard)) == 5
        assert [step.cards for step in game.scripts[Method.AUTOMATED_SHOE] if isinstance(step, DealStacks)] == [2]
        assert len([step for step in game.scripts[Method.HAND] if isinstance(step, DealSingles)]) == 2
    assert (TCP.board_cards, TCP.cards_each) == (0, 3)


@pytest.mark.parametrize("game", NEW_YORK, ids=lambda game: game.name)
def test_every_hand_has_its_clause(game: Game) -> None:
    """NY-5324.35(b)(2)(i) to NY-5324.35(b)(2)(ix), NY-5324.36(b)(2)(i) to NY-5324.36(b)(2)(ix)."""
    numerals = ["i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix"]
    text = "NY-5324.36" if game is UTH else "NY-5324.35"
    expected = [f"{text}(b)(2)({numeral})" for numeral in numerals] + [f"{text}(b)(3)"]
    assert [game.hand_clauses[category] for category in FIVE_CARD_CATEGORIES] == expected


@pytest.mark.parametrize("game", NEW_YORK, ids=lambda game: game.name)
@pytest.mark.parametrize("method", list(Method))
def test_every_step_of_new_york_has_its_clause(game: Game, method: Method) -> None:
    """Only the stub of the bonus game, on which the text is silent, has none."""
    without = [type(step).__name__ for step in game.scripts[method] if step.cites is None]
    assert without == (["TakeStub"] if game is THB and method is Method.AUTOMATED_SHOE else [])
    burns = sum(step.cards for step in game.scripts[method] if isinstance(step, Burn))
    assert burns == (2 if game is UTH else 3)


def test_every_clause_that_a_game_cites_exists() -> None:
    """An id in a game file is an id of the list."""
    list_ = Path(__file__).parents[2] / "src" / "cardshoe"
    found = next(iter(list_.rglob("clauses.tsv")))
    with found.open() as file:
        known = {row["id"] for row in csv.DictReader(file, delimiter="\t")}
    pattern = re.compile(r"N[YJ]-\d+[A-Z]?[.\-]\S*")
    for game in games().values():
        cited = [text for text in _strings(game) if pattern.fullmatch(text)]
        assert set(cited) <= known, game.name
        if game in NEW_YORK:
            assert len(set(cited)) > 30


def test_a_game_is_frozen() -> None:
    """A game cannot be changed at a table."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        UTH.cards_each = 3  # type: ignore[misc]


@pytest.mark.parametrize("game", games().values(), ids=lambda game: game.name)
def test_every_case_has_a_verdict_and_every_table_a_name(game: Game) -> None:
    """What goes wrong is ruled or for the floor, never forgotten; every table that is named exists."""
    assert set(game.verdicts) == set(Case)
    house = parse_house(game, {})
    for spot in game.spots:
        settles: Any = spot.settles
        for name in filter(None, (settles.table, getattr(settles, "extra", ""))):
            assert house.tables[name].rows
        floor = getattr(settles, "floor_option", "")
        assert not floor or house.words[floor] in FIVE_CARD_CATEGORIES
        assert spot.placed is not Placed.DECISION or spot.most_antes > 0
        assert not spot.equals or game.spot(spot.equals)
    for method, script in game.scripts.items():
        spots = {choice.spot for step in script if isinstance(step, Ask) for choice in step.choices if choice.spot}
        assert spots == {spot.name for spot in game.spots if spot.placed is Placed.DECISION}, method


def test_new_york_texts_carry_their_date() -> None:
    """Ruling 30: every rule set and every table carries its effective date."""
    assert (THB.effective, UTH.effective, TCP.effective) == ("2021-09-15", "2016-11-16", "2024-10-07")
    for tables in (paytables.BLIND, paytables.TRIPS, paytables.SIX_CARD, paytables.PAIR_PLUS, paytables.ANTE_BONUS):
        for name, table in tables.items():
            assert table.name == name
            assert re.fullmatch(r"\d{4}-\d\d-\d\d", table.effective)


def test_the_irregularities_of_ultimate() -> None:
    """NY-5324.36(h)(1), NY-5324.36(h)(2)(i), NY-5324.36(h)(2)(ii), NY-5324.36(h)(3)."""
    verdicts = UTH.verdicts
    assert verdicts[Case.DEALER_CARD_SEEN_EARLY].outcome is Outcome.VOID_ALL
    assert verdicts[Case.DEALER_CARD_SEEN_EARLY].saves == ("trips",)
    assert verdicts[Case.DEALER_CARD_SEEN_EARLY].cites == "NY-5324.36(h)(1)"
    assert verdicts[Case.DEALER_CARD_SEEN_EARLY].saves_cites == "NY-5324.36(h)(2)(i)"
    assert verdicts[Case.CARD_FACE_UP_AFTER_DEAL].cites == "NY-5324.36(h)(2)(ii)"
    assert verdicts[Case.PLAYER_WRONG_COUNT].outcome is Outcome.VOID_HAND
    assert verdicts[Case.DEALER_WRONG_COUNT].saves == ()
    assert verdicts[Case.DEALER_SHORT_REPAIRABLE].outcome is Outcome.REPAIR
    for game in (THB, TCP):
        silent = {case for case in Case if game.verdicts[case].outcome is Outcome.ASK_FLOOR}
        assert silent == set(Case) - {Case.DEVICE_FAULT, Case.DEVICE_FAULT_HARMLESS}


# --- pay tables ------------------------------------------------------------------------------------------------------


def _to_one(table: paytables.PayTable) -> dict[str, str | None]:
    return {row: None if odds is None else str(odds) for row, odds in table.rows.items()}


def test_blind_tables() -> None:
    """NY-5324.36(f)(2), NY-5324.36(a)(2)(v)(a)."""
    rest = {
        "flush": "3:2",
        "full house": "3:1",
        "four of a kind": "10:1",
        "straight flush": "50:1",
        "royal flush": "500:1",
    }
    assert _to_one(paytables.BLIND["A"]) == {"straight": "1:1", **rest}
    assert _to_one(paytables.BLIND["B"]) == {"straight": None, **rest}
    assert set(paytables.BLIND) == {"A", "B"}
    assert all(table.others_push for table in paytables.BLIND.values())


def test_trips_tables() -> None:
    """NY-5324.36(f)(3), NY-5324.36(a)(2)(v)(a): trips, straight, flush, full house, four, straight flush, royal."""
    rows = [
        "three of a kind",
        "straight",
        "flush",
        "full house",
        "four of a kind",
        "straight flush",
        "royal flush",
    ]
    expected = {
        "A": [3, 4, 7, 9, 30, 40, 50],
        "B": [3, 5, 6, 8, 30, 40, 50],
        "C": [3, 4, 7, 8, 30, 40, 50],
        "D": [3, 5, 6, 7, 20, 40, 50],
    }
    assert {name: [table.rows[row] for row in rows] for name, table in paytables.TRIPS.items()} == {
        name: [Odds(each) for each in odds] for name, odds in expected.items()
    }


def test_bonus_tables() -> None:
    """NY-5324.35(f)(2): seven rows, and the optional one; ruling 1 on the suited king."""
    plain = {
        "ten-ten to two-two": "3:1",
        "ace-queen or ace-jack offsuit": "5:1",
        "king-king, queen-queen or jack-jack": "10:1",
        "ace-king offsuit": "15:1",
        "ace-queen or ace-jack suited": "20:1",
        "ace-king suited": "25:1",
        "ace-ace": "30:1",
    }
    assert _to_one(paytables.BONUS_BOTH_ACES) == {"player and dealer ace-ace": "1000:1", **plain}
    assert _to_one(paytables.BONUS_PLAIN) == {"player and dealer ace-ace": "30:1", **plain}


def test_main_wagers_pay_at_least_even_money() -> None:
    """NY-5324.35(f)(1), NY-5324.36(f)(1)."""
    for game in NEW_YORK:
        for spot in game.spots:
            if not isinstance(spot.settles, OnCards) and not spot.settles.table:
                assert spot.settles.pays == Odds(1)


def test_six_card_tables() -> None:
    """NJ-69F-20.12A(a): the seven winning hands, best first; the odds are the house's (handbook 8.4)."""
    assert list(paytables.SIX_CARD) == [
        "1000-200-50-25-20-10-5",
        "1000-200-100-20-15-10-7",
        "1000-200-50-25-15-10-5",
    ]
    for table in paytables.SIX_CARD.values():
        assert tuple(table.rows) == FIVE_CARD_CATEGORIES[:7]


@pytest.mark.parametrize("tables", [paytables.TRIPS, paytables.BLIND], ids=["trips", "blind"])
def test_a_table_never_falls_short_of_itself(tables: dict[str, paytables.PayTable]) -> None:
    """The comparison behind "no less than": reflexive, and strict in every row."""
    for table in tables.values():
        assert short_rows(table, table) == []
        for row, odds in table.rows.items():
            if odds is None:
                continue
            less = dataclasses.replace(
                table, rows={**table.rows, row: Odds(odds.numerator * 10 - 1, odds.denominator * 10)}
            )
            assert short_rows(less, table) == [(row, odds)]
            gone = dataclasses.replace(table, rows={name: each for name, each in table.rows.items() if name != row})
            assert short_rows(gone, table) == [(row, odds)]


@pytest.mark.parametrize("row", list(paytables.TRIPS["D"].rows))
def test_a_trips_table_of_the_house_pays_no_less_than_the_text(row: str) -> None:
    """NY-5324.36(f)(3): "no less than"; the row that falls short is named."""
    own = {name: odds.numerator for name, odds in paytables.TRIPS["D"].rows.items() if odds is not None}
    assert parse_house(UTH, {"trips_table": own}).tables["trips_table"].rows == paytables.TRIPS["D"].rows
    better = {**own, row: own[row] + 1}
    assert parse_house(UTH, {"trips_table": better}).tables["trips_table"].rows[row] == Odds(own[row] + 1)
    for worse in ({**own, row: own[row] - 1}, {name: odds for name, odds in own.items() if name != row}):
        with pytest.raises(InputError) as caught:
            parse_house(UTH, {"trips_table": worse})
        assert caught.value.code == "house-table"
        assert repr(row) in caught.value.text
        assert caught.value.cites == "NY-5324.36(f)(3)"


def test_a_trips_table_may_not_mix_the_weak_rows_of_two() -> None:
    """Each option is a whole table: straight 4 of A and full house 7 of D together are no option."""
    mixed = {
        "three of a kind": 3,
        "straight": 4,
        "flush": 6,
        "full house": 7,
        "four of a kind": 20,
        "straight flush": 40,
        "royal flush": 50,
    }
    with pytest.raises(InputError):
        parse_house(UTH, {"trips_table": mixed})


def test_tables_that_the_house_may_choose() -> None:
    """The defaults, and that every named table can be chosen."""
    for game in games().values():
        for option in game.options:
            if isinstance(option, TableOption):
                assert parse_house(game, {}).tables[option.name].name == option.default
                for name in option.tables:
                    assert parse_house(game, {option.name: name}).tables[option.name].name == name


def test_maximum_wagers_are_the_tables_own() -> None:
    """A table's maximum is no key of the public form."""
    house = parse_house(UTH, {}, maximum={"ante": 50_000})
    assert house.maximum_cents == {"ante": 50_000}
    with pytest.raises(InputError):
        parse_house(UTH, {"maximum_wager": {"ante": 50_000}})
    with pytest.raises(InputError):
        parse_house(UTH, {}, maximum={"colour": 50_000})
