"""The configuration explains itself: each key with purpose, unit and default, a wrong one with the nearest right."""

from __future__ import annotations

import json
import socket
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from cardshoe.cli import run
from cardshoe.cli.config_text import fresh_text, shown_text, told_of, toml_value, unit_of
from cardshoe.errors import ConfigError
from cardshoe.round.machine import find_game, games
from cardshoe.table.config import TableConfig, parse_config, part_of


def _keys(model: type[BaseModel], path: str = "") -> Iterator[tuple[str, str, FieldInfo]]:
    for name, field in model.model_fields.items():
        inner = part_of(field.annotation)
        if inner is None:
            yield f"{path}{name}", name, field
        else:
            yield from _keys(inner, f"{path}{name}.")


KEYS = list(_keys(TableConfig))


@pytest.mark.parametrize(("path", "name", "field"), KEYS, ids=[path for path, *_ in KEYS])
def test_every_key_tells_what_it_is_for(path: str, name: str, field: FieldInfo) -> None:
    """A key without a text, and a quantity without its unit, would be guessed at."""
    assert field.description, path
    assert len(field.description) > 15
    if "int" in str(field.annotation):
        assert unit_of(field), f"{path} is counted in something"
    if name != "house":
        assert ("Required." in told_of(name, field)) is field.is_required()


@pytest.mark.parametrize("game", sorted(games()))
def test_a_fresh_configuration_can_be_used_and_shows_every_key(game: str) -> None:
    text = fresh_text(find_game(game))
    config = parse_config(text, "fresh")
    assert config.table.game == game
    for _path, name, _field in KEYS:
        assert f"\n{name} = " in text or f"\n# {name} = " in text or f"\n[{name}]" in text
    for option in find_game(game).options:
        assert f"# {option.name} = " in text


@pytest.mark.parametrize("game", sorted(games()))
def test_the_values_shown_behind_a_comment_are_the_defaults(game: str) -> None:
    """What the comments promise is what applies: uncommented one by one they change nothing."""
    text = fresh_text(find_game(game))
    fresh = parse_config(text, "fresh")
    for line in text.splitlines():
        name, equals, value = line.removeprefix("# ").partition(" = ")
        if not line.startswith("# ") or not equals or "…" in value or not name.isidentifier():
            continue
        config = parse_config(text.replace(line, line.removeprefix("# "), 1), name)
        if name not in {"minimum_wager", "payout_limit", "life_rounds"} and not name.endswith("_multiple"):
            assert config.model_dump(exclude={"house"}) == fresh.model_dump(exclude={"house"}), name


def test_what_is_shown_is_the_same_configuration(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The printed form, read again, has the same values, so that its hash is the same up to what the game defaults."""
    file = tmp_path / "table.toml"
    house = '[house]\ntrips_table = { "royal flush" = 60, "straight flush" = 50, "four of a kind" = 30, '
    house += '"full house" = 9, flush = 7, straight = 4, "three of a kind" = 3 }\nblind_table = "B"\n'
    text = fresh_text(find_game("ultimate-texas-holdem")).replace("[house]\n", house)
    file.write_text(text.replace('"Table 1"', '"Tisch \\"3\\" \\u007f"'))
    config = parse_config(file.read_text(), "it")
    assert run(["config", "show", str(file)]) == 0
    shown = capsys.readouterr().out
    assert shown == shown_text(config)
    assert config.digest() in shown
    again = parse_config(shown, "shown")
    assert again.digest() == config.digest()
    assert run(["config", "show", str(file), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told == {"hash": config.digest(), "applies": config.model_dump(mode="json")}


@pytest.mark.parametrize(
    ("line", "section", "expected"),
    [
        ("jornal = 'x'", "[table]", "Did you mean 'journal'?"),
        ("lisen = 'x'", "[console]", "Did you mean 'listen'?"),
        ("cover_card = 'allowed'", "[timing]", "It belongs into [deck]."),
        ("zzzz = 1", "[timing]", "Known here: dispense_ms_per_card"),
        ("trips_tabel = 'A'", "[house]", "did you mean 'trips_table'?"),
    ],
)
def test_a_wrong_key_is_refused_with_the_right_one(line: str, section: str, expected: str) -> None:
    text = fresh_text(find_game("ultimate-texas-holdem")).replace(f"\n{section}\n", f"\n{section}\n{line}\n", 1)
    if "jornal" in line:
        text = text.replace('\njournal = "journal.sqlite"', "")  # misspelt, not beside the right one
    with pytest.raises(ConfigError) as refused:
        parse_config(text, "table.toml")
    assert expected in refused.value.text


def test_check_opens_no_port_and_names_what_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "table.toml"
    assert run(["config", "init", str(file)]) == 0

    def refused(*_given: object, **_named: object) -> None:
        raise AssertionError("a port was opened")

    monkeypatch.setattr(socket, "socket", refused)
    monkeypatch.setattr("serial.Serial.open", refused)
    text = file.read_text()
    file.write_text(text.replace('# listen = "…"', 'listen = "127.0.0.1:8350"'))
    assert run(["config", "check", str(file)]) == 0
    text = text.replace('# log_file = "…"', 'log_file = "logs/run.log"')
    file.write_text(text.replace('# keys = "…"', 'keys = "keys"').replace('"journal.sqlite"', '"away/journal.sqlite"'))
    capsys.readouterr()
    assert run(["config", "check", str(file), "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert [each.split(",")[0] for each in told["missing"]] == [
        "the folder of table.journal",
        "the folder of service.log_file",
        "security.keys",
    ]
    file.write_text(text.replace('# listen = "…"', 'listen = "0.0.0.0:8350"'))
    assert run(["config", "check", str(file)]) == 2


def test_no_secret_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The key's path stands in the configuration; what is in the file never leaves it (P7)."""
    (tmp_path / "key.pem").write_text("SECRET-OF-THE-KEY")
    (tmp_path / "cert.pem").write_text("CERT")
    file = tmp_path / "table.toml"
    text = fresh_text(find_game("three-card-poker")).replace('# key = "…"', 'key = "key.pem"')
    file.write_text(text.replace('# certificate = "…"', 'certificate = "cert.pem"'))
    assert run(["config", "show", str(file)]) == 0
    assert run(["config", "show", str(file), "--json"]) == 0
    assert run(["config", "check", str(file)]) == 0
    assert "SECRET-OF-THE-KEY" not in "".join(capsys.readouterr())


def test_init_leaves_a_file_that_is_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "table.toml"
    file.write_text("mine")
    assert run(["config", "init", str(file)]) == 2
    assert file.read_text() == "mine"
    assert run(["config", "init", str(tmp_path / "away" / "table.toml")]) == 2
    assert run(["config", "init", str(tmp_path / "other.toml"), "--game", "whist"]) == 1
    assert not (tmp_path / "other.toml").exists()
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("value", ["", 'a"b\\c', "tab\tline\n", "\x7f\x00\x1f", "♠ 𝄞", [1, "x"], True, {"a b": 1}])
def test_a_value_survives_toml(value: object) -> None:
    assert tomllib.loads(f"x = {toml_value(value)}")["x"] == value
