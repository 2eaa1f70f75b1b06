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
from dataclasses import dataclass
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from cardshoe.errors import ConfigError, InputError
from cardshoe.games.house import parse_house
from cardshoe.round.machine import find_game, find_method

CONFIG_MOST: Final = 1 << 20
"""So many bytes a configuration has at most."""

NO_PEOPLE: Final = "none"
"""`people` of a bench at which nobody signs in."""


@dataclass(frozen=True, slots=True)
class Unit:
    """In what a value is counted; stands beside the bounds of a key."""

    word: str


Milliseconds = Annotated[int, Field(strict=True, ge=1, le=600_000), Unit("milliseconds")]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class TablePart(_Part):
    """What is played at this table, and where its journal lies."""

    name: str = Field(
        min_length=1, max_length=40, description="The table's name, as it stands on screens and in the journal."
    )
    mode: Literal["bench", "live"] = Field(
        description="bench: for work without real play; clear sessions and nobody who signs in are allowed. live: real"
        " play; paired and attested devices, and people who sign in.",
    )
    game: str = Field(description="The game that is dealt.")
    method: str = Field(default="automated-shoe", description="How cards leave the deck.")
    journal: str = Field(
        min_length=1,
        description="The journal's file. Its folder must be there; a relative path counts from this file's folder.",
    )
    min_free_mb: Annotated[int, Unit("mebibytes")] = Field(
        default=64,
        strict=True,
        ge=1,
        le=1_000_000,
        description="No round begins while the journal's disk has less room than this.",
    )
    people: str = Field(
        default=NO_PEOPLE,
        min_length=1,
        description='The file of those who sign in here, or "none" on a bench at which nobody does.',
    )


class DevicePart(_Part):
    """Where a device answers, and which one it must be."""

    url: str = Field(
        min_length=1,
        description="Where the device answers: serial:///dev/…, tcp://HOST:PORT or usb://VID:PID/SERIAL.",
    )
    serial: str | None = Field(
        default=None, min_length=1, max_length=16, description="The only serial number that is accepted there."
    )
    security: Literal["clear", "sealed"] = Field(
        default="clear",
        description="sealed: a device paired by `cardshoe pair` answers under its key. clear: a bench device.",
    )


class DevicesPart(_Part):
    """The devices; the shoe may be missing only where cards are dealt by hand or from a manual shoe."""

    shoe: DevicePart | None = Field(default=None, description="The automated shoe.")
    reader: DevicePart | None = Field(
        default=None, description="The table reader. Without one the dealer enters the cards that lie face up."
    )


class SecurityPart(_Part):
    """Keys and approvals. Paths count from this file's folder; no key itself stands here."""

    keys: str | None = Field(default=None, min_length=1, description="The folder of the keys of paired devices.")
    manifest: str | None = Field(
        default=None, min_length=1, description="The signed list of approved devices and firmware."
    )
    manifest_key: str | None = Field(
        default=None,
        pattern=r"^[0-9a-f]{64}$",
        description="The public Ed25519 key of who signs that list, 64 hexadecimal digits.",
    )


class DeckPart(_Part):
    """The table's decks."""

    backs: tuple[Annotated[str, Field(min_length=1, max_length=20)], ...] = Field(
        default=(), description="The colours of the backs of decks that alternate; each once."
    )
    life_rounds: Annotated[int | None, Unit("rounds")] = Field(
        default=None, strict=True, ge=1, description="After so many rounds the floor changes a deck."
    )
    cover_card: Literal["allowed", "required"] = Field(
        default="allowed", description="Whether the cover card must lie in the shoe before the dealer's stack."
    )
    stub_count_rounds: Annotated[int | None, Unit("rounds")] = Field(
        default=5,
        strict=True,
        ge=1,
        description="The stub is counted at the latest after so many rounds where the shoe does not count to 52.",
    )
    unreadable_per_1000: Annotated[int, Unit("cards of 1,000 read")] = Field(
        default=20, strict=True, ge=0, le=1000, description="Above this rate of failed readings service is advised."
    )


class TimingPart(_Part):
    """How long to wait."""

    dispense_ms_per_card: Milliseconds = Field(default=3_000, description="How long one card may take out of the shoe.")
    prepare_ms: Milliseconds = Field(default=90_000, description="How long shuffling and verifying a deck may take.")
    reply_ms: Milliseconds = Field(default=1_500, description="How long a device may take to answer.")
    reconnect_first_ms: Milliseconds = Field(default=250, description="The first wait before a lost device is tried.")
    reconnect_longest_ms: Milliseconds = Field(default=1_000, description="The longest wait between two tries.")
    stable_ms: Milliseconds = Field(
        default=10_000, description="After so long without a loss a connection counts as stable: waits begin anew."
    )

    def dispense_s(self, cards: int) -> float:
        """Return after how many seconds a stack of `cards` is overdue."""
        return (self.dispense_ms_per_card * cards + self.reply_ms) / 1000


class ConsolePart(_Part):
    """The page at the table."""

    listen: str | None = Field(
        default=None,
        min_length=1,
        max_length=60,
        description="Where the console listens, IP-ADDRESS:PORT; without it there is no console.",
    )
    certificate: str | None = Field(
        default=None,
        min_length=1,
        description="The certificate (PEM, beside this file) that an address for other machines needs.",
    )
    key: str | None = Field(
        default=None, min_length=1, description="The file of that certificate's private key (PEM, beside this file)."
    )
    names: tuple[Annotated[str, Field(pattern=r"^[A-Za-z0-9.-]{1,253}$")], ...] = Field(
        default=(), description="Further host names by which browsers may ask for the console."
    )


class ServicePart(_Part):
    """How the table runs as a service of its computer."""

    wait_for_devices: bool = Field(
        default=False,
        strict=True,
        description="true: a device that cannot be had at the start is waited for, the table is open and says so."
        " false: the start ends with exit status 3.",
    )
    log_file: str | None = Field(
        default=None,
        min_length=1,
        description="The file of the log, beside this file or an absolute path; without it the log goes to standard"
        " error, which is the system's journal for a service.",
    )
    log_mb: Annotated[int, Unit("mebibytes")] = Field(
        default=8, strict=True, ge=1, le=1_000, description="A log file of this size is put aside and a new one begun."
    )
    log_kept: Annotated[int, Unit("files")] = Field(
        default=4, strict=True, ge=1, le=100, description="How many log files that were put aside are kept."
    )


class TableConfig(_Part):
    """All of one table's configuration; `digest` identifies what applies and goes into every round's header."""

    table: TablePart
    house: dict[str, object] = Field(
        default_factory=dict, description="What the house has chosen within the game; every key may be left out."
    )
    devices: DevicesPart = DevicesPart()
    security: SecurityPart = SecurityPart()
    deck: DeckPart = DeckPart()
    timing: TimingPart = TimingPart()
    console: ConsolePart = ConsolePart()
    service: ServicePart = ServicePart()

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
    """Turn one finding into one sentence a technician can act on; a misspelt key before the one that it leaves out."""
    found = error.errors()
    first = next((each for each in found if each["type"] == "extra_forbidden"), found[0])
    path = [str(part) for part in first["loc"]]
    key = ".".join(path)
    match first["type"]:
        case "extra_forbidden":
            hint = _hint(path[:-1], path[-1])
            return ConfigError("config-key", f"{where}: unknown key {key!r}.{hint} Nothing was started.")
        case "missing":
            return ConfigError("config-key", f"{where}: {key!r} is missing. Nothing was started.")
        case _:
            unit = " (a whole number of milliseconds)" if "_ms" in path[-1] else ""
            return ConfigError(
                "config-value",
                f"{where}: {key} = {first.get('input')!r} cannot be used{unit}: {first['msg']}. Nothing was started.",
            )


def _hint(section: list[str], key: str) -> str:
    """Return which key was probably meant: one of this section, or the same word in another."""
    known = _known_keys(section)
    if near := difflib.get_close_matches(key, known, n=1, cutoff=0.5):
        return f" Did you mean {near[0]!r}?"
    for other in ([], *([name] for name in TableConfig.model_fields), ["devices", "shoe"]):
        if key in _known_keys(other):
            return f" It belongs into [{'.'.join(other)}]." if other else f" [{key}] is a section of its own."
    return f" Known here: {', '.join(known)}."


def _known_keys(path: list[str]) -> list[str]:
    """Return the keys of the section at `path`; none where a section has no fixed ones."""
    model: type[BaseModel] = TableConfig
    for part in path:
        field = model.model_fields.get(part)
        inner = part_of(field.annotation) if field is not None else None
        if inner is None:
            return []
        model = inner
    return list(model.model_fields)


def part_of(annotation: object) -> type[BaseModel] | None:
    """Return the section that a field of this type holds, None for a plain value."""
    candidates = (annotation, *getattr(annotation, "__args__", ()))
    return next((one for one in candidates if isinstance(one, type) and issubclass(one, BaseModel)), None)
