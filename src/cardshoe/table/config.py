"""The configuration of one table, read from TOML text.

Owns the keys, their units and bounds, and the errors for wrong ones: an unknown key is refused with the nearest right
one, a value in another unit is refused with the unit that the key's name carries. Does no I/O: the text is handed in.
Game, method and house rules are checked by the game that they belong to (`games.house`).
"""

from __future__ import annotations

import difflib
import hashlib
import json
import tomllib
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from cardshoe.errors import ConfigError, InputError
from cardshoe.games.house import parse_house
from cardshoe.round.machine import find_game, find_method

CONFIG_MOST: Final = 1 << 20
"""So many bytes a configuration has at most."""

NO_PEOPLE: Final = "none"
"""`people` of a bench at which nobody signs in."""

Milliseconds = Annotated[int, Field(strict=True, ge=1, le=600_000)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class TablePart(_Part):
    """`[table]`: what is played, and where the journal lies.

    `min_free_mb`: no round begins while its disk has fewer mebibytes free. `people`: the file of those who work here,
    or "none" on a bench at which nobody signs in.
    """

    name: str = Field(min_length=1, max_length=40)
    mode: Literal["bench", "live"]
    game: str
    method: str = "automated-shoe"
    journal: str = Field(min_length=1)
    min_free_mb: int = Field(default=64, strict=True, ge=1, le=1_000_000)
    people: str = Field(default=NO_PEOPLE, min_length=1)


class DevicePart(_Part):
    """`[devices.shoe]`, `[devices.reader]`: where a device answers, and which one it must be.

    `security`: "sealed" speaks to a paired device under its key, "clear" to a bench device.
    """

    url: str = Field(min_length=1)
    serial: str | None = Field(default=None, min_length=1, max_length=16)
    security: Literal["clear", "sealed"] = "clear"


class DevicesPart(_Part):
    """`[devices]`: the shoe may be missing only where cards are dealt by hand or from a manual shoe."""

    shoe: DevicePart | None = None
    reader: DevicePart | None = None


class SecurityPart(_Part):
    """`[security]`: the directory of the `keys`; the `manifest` of approved devices and firmware and the Ed25519 public
    key of who signs it (`manifest_key`, hexadecimal). Paths count from the configuration's own directory.
    """

    keys: str | None = Field(default=None, min_length=1)
    manifest: str | None = Field(default=None, min_length=1)
    manifest_key: str | None = Field(default=None, pattern=r"^[0-9a-f]{64}$")


class DeckPart(_Part):
    """`[deck]`: the table's decks. `backs`: colours of decks that alternate; `life_rounds`: rounds after which a deck
    is changed (None: no limit); `cover_card`: "required" before the dealer's stack, or "allowed"; `stub_count_rounds`:
    the stub is counted at the latest after so many rounds where the shoe does not count to 52 (None: never);
    `unreadable_per_1000`: of 1000 cards read so many may fail before service is advised.
    """

    backs: tuple[Annotated[str, Field(min_length=1, max_length=20)], ...] = ()
    life_rounds: int | None = Field(default=None, strict=True, ge=1)
    cover_card: Literal["allowed", "required"] = "allowed"
    stub_count_rounds: int | None = Field(default=5, strict=True, ge=1)
    unreadable_per_1000: int = Field(default=20, strict=True, ge=0, le=1000)


class TimingPart(_Part):
    """`[timing]`: how long to wait. Every value is milliseconds."""

    dispense_ms_per_card: Milliseconds = 3_000
    prepare_ms: Milliseconds = 90_000
    reply_ms: Milliseconds = 1_500
    reconnect_first_ms: Milliseconds = 250
    reconnect_longest_ms: Milliseconds = 1_000
    stable_ms: Milliseconds = 10_000

    def dispense_s(self, cards: int) -> float:
        """Return after how many seconds a stack of `cards` is overdue."""
        return (self.dispense_ms_per_card * cards + self.reply_ms) / 1000


class ConsolePart(_Part):
    """`[console]`: the page at the table. `listen`: IP-ADDRESS:PORT (None: no console); an address that other machines
    reach needs `certificate` and `key`, PEM files beside the configuration; `names`: further host names of it.
    """

    listen: str | None = Field(default=None, min_length=1, max_length=60)
    certificate: str | None = Field(default=None, min_length=1)
    key: str | None = Field(default=None, min_length=1)
    names: tuple[Annotated[str, Field(pattern=r"^[A-Za-z0-9.-]{1,253}$")], ...] = ()


class TableConfig(_Part):
    """All of one table's configuration; `digest` identifies what applies and goes into every round's header."""

    table: TablePart
    house: dict[str, object] = Field(default_factory=dict)
    devices: DevicesPart = DevicesPart()
    security: SecurityPart = SecurityPart()
    deck: DeckPart = DeckPart()
    timing: TimingPart = TimingPart()
    console: ConsolePart = ConsolePart()

    def digest(self) -> str:
        """Return the SHA-256 of the canonical JSON of every value that applies, defaults included."""
        canonical = json.dumps(self.model_dump(mode="json"), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()


def parse_config(text: str, where: str) -> TableConfig:
    """Return the configuration in the TOML `text` of the file named `where`.

    Raises `ConfigError` (`config-syntax`, `config-key`, `config-value`, `config-game`, `config-shoe-missing`,
    `config-port-twice`, `config-backs`, `config-people`, `config-manifest`, `config-live-clear`,
    `config-live-manifest`, `config-live-simulated`), naming key, value and what to write instead.
    """
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError("config-syntax", f"{where}: this is not TOML: {error}. Nothing was started.") from error
    try:
        config = TableConfig.model_validate(raw)
    except ValidationError as error:
        raise _explained(error, where) from error
    _check_game(config, where)
    _check_devices(config, where)
    _check_people(config, where)
    _check_security(config, where)
    return config


def _check_security(config: TableConfig, where: str) -> None:
    security = config.security
    if (security.manifest is None) != (security.manifest_key is None):
        raise ConfigError(
            "config-manifest",
            f"{where}: security.manifest and security.manifest_key belong together; write both or neither."
            " Nothing was started.",
        )
    if config.table.mode != "live":
        return
    for name, part in (("shoe", config.devices.shoe), ("reader", config.devices.reader)):
        if part is not None:
            _check_live_device(name, part, where)
    if security.manifest is None:
        raise ConfigError(
            "config-live-manifest",
            f"{where}: table.mode = 'live' deals from attested devices only. Write the signed list of them as"
            " security.manifest, and security.manifest_key. Nothing was started.",
        )


def _check_live_device(name: str, part: DevicePart, where: str) -> None:
    if part.security != "sealed":
        raise ConfigError(
            "config-live-clear",
            f"{where}: table.mode = 'live' needs devices that are paired by key. Pair the {name} with `cardshoe pair`"
            f" and write security = 'sealed' in [devices.{name}], or mode = 'bench' for a table without real play."
            " Nothing was started.",
        )
    if part.url.startswith("sim:"):
        raise ConfigError(
            "config-live-simulated",
            f"{where}: table.mode = 'live' and devices.{name}.url = {part.url!r}, which is a simulated device. Write"
            " the address of a real one. Nothing was started.",
        )


def _check_people(config: TableConfig, where: str) -> None:
    if config.table.mode == "live" and config.table.people == NO_PEOPLE:
        raise ConfigError(
            "config-people",
            f"{where}: table.mode = 'live' needs people who sign in. Write people = 'people/people.json' in [table] and"
            " enrol them with `cardshoe people add`. Nothing was started.",
        )


def _check_game(config: TableConfig, where: str) -> None:
    """Refuse a game, a method or house rules that do not exist, before anything is started."""
    try:
        game = find_game(config.table.game)
        find_method(game, config.table.method)
        parse_house(game, config.house)
    except InputError as error:
        raise ConfigError("config-game", f"{where}: {error.text}. Nothing was started.", cites=error.cites) from error


def _check_devices(config: TableConfig, where: str) -> None:
    shoe, reader = config.devices.shoe, config.devices.reader
    if config.table.method == "automated-shoe" and shoe is None:
        raise ConfigError(
            "config-shoe-missing",
            f"{where}: table.method = 'automated-shoe' needs [devices.shoe] with its url. Nothing was started.",
        )
    if shoe and reader and shoe.url == reader.url:
        raise ConfigError(
            "config-port-twice",
            f"{where}: devices.shoe and devices.reader both name {shoe.url!r}; each device needs a port of its own."
            " Nothing was started.",
        )
    backs = config.deck.backs
    if len(set(backs)) != len(backs):
        raise ConfigError(
            "config-backs",
            f"{where}: deck.backs = {list(backs)!r} names a colour twice; each deck needs a back of its own."
            " Nothing was started.",
        )


def _explained(error: ValidationError, where: str) -> ConfigError:
    """Turn the first finding into one sentence a technician can act on."""
    first = error.errors()[0]
    path = [str(part) for part in first["loc"]]
    key = ".".join(path)
    match first["type"]:
        case "extra_forbidden":
            near = difflib.get_close_matches(path[-1], _known_keys(path[:-1]), n=1, cutoff=0.5)
            hint = f" Did you mean {near[0]!r}?" if near else f" Known here: {', '.join(_known_keys(path[:-1]))}."
            return ConfigError("config-key", f"{where}: unknown key {key!r}.{hint} Nothing was started.")
        case "missing":
            return ConfigError("config-key", f"{where}: {key!r} is missing. Nothing was started.")
        case _:
            unit = " (a whole number of milliseconds)" if "_ms" in path[-1] else ""
            return ConfigError(
                "config-value",
                f"{where}: {key} = {first.get('input')!r} cannot be used{unit}: {first['msg']}. Nothing was started.",
            )


def _known_keys(path: list[str]) -> list[str]:
    model: type[BaseModel] = TableConfig
    for part in path:
        inner = model.model_fields[part].annotation if part in model.model_fields else None
        candidates = [inner, *getattr(inner, "__args__", ())]
        model = next((one for one in candidates if isinstance(one, type) and issubclass(one, BaseModel)), model)
    return list(model.model_fields)
