"""What `cardshoe install --systemd` puts on a computer: each file with its place, its mode and its text.

Owns the unit (which lets the table reach its devices, its journal and the network, and nothing else), the user, the
directories with their modes, and what the first configuration says that another one would not. Writes nothing. The
rules for devices are those of `cardshoe devices --udev-rules`, the configuration is that of `cardshoe config init`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from cardshoe.cli.config_text import fresh_text
from cardshoe.cli.devices import rules
from cardshoe.games.script import Game

UNIT: Final = PurePosixPath("/etc/systemd/system/cardshoe.service")
RULES: Final = PurePosixPath("/etc/udev/rules.d/60-cardshoe.rules")
USERS: Final = PurePosixPath("/etc/sysusers.d/cardshoe.conf")
DIRECTORIES: Final = PurePosixPath("/etc/tmpfiles.d/cardshoe.conf")
CONFIG: Final = PurePosixPath("/etc/cardshoe/table.toml")
LIST: Final = PurePosixPath("/etc/cardshoe/installed.json")
STATE: Final = PurePosixPath("/var/lib/cardshoe")
"""Where journal, keys and people lie."""
OURS: Final = (UNIT, RULES, USERS, DIRECTORIES)
"""What is ours to renew and to remove; the configuration belongs to the house as soon as it is there."""

PUBLIC: Final = 0o644
_HEAD: Final = "# Written by `cardshoe install --systemd`, and renewed by it as long as nobody edits it."
_LISTEN: Final = "127.0.0.1:8350"
_REACHED: Final = """\
# Serial ports and USB devices, and no other device.
DevicePolicy=closed
DeviceAllow=char-ttyACM rw
DeviceAllow=char-ttyUSB rw
DeviceAllow=char-ttyS rw
DeviceAllow=char-usb_device rw
# The console and devices at tcp:// are reached over the network, and libusb hears of new devices over netlink. A table
# whose console and devices are all on this computer may add: IPAddressDeny=any and IPAddressAllow=localhost
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK"""
"""What a table has to reach."""
_HARDENED: Final = """\
CapabilityBoundingSet=
AmbientCapabilities=
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateMounts=yes
ProtectProc=invisible
ProtectClock=yes
ProtectHostname=yes
ProtectControlGroups=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
MemoryDenyWriteExecute=yes
KeyringMode=private
RemoveIPC=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
SystemCallErrorNumber=EPERM"""
"""What no table needs; each line was tried on a real system with a table that dealt."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A file that is wanted at `path`, seen from the root that is installed into."""

    path: PurePosixPath
    mode: int
    text: str


@dataclass(frozen=True, slots=True)
class Service:
    """A table as a service: it runs as `user`, by the Python at `program`. Both stand in the unit as they are."""

    user: str
    program: PurePosixPath


def wanted_files(service: Service) -> tuple[Wanted, ...]:
    """Return what is ours: unit, rules for devices, user, directories."""
    return (
        Wanted(USERS, PUBLIC, _users(service)),
        Wanted(DIRECTORIES, PUBLIC, _directories(service)),
        Wanted(RULES, PUBLIC, rules()),
        Wanted(UNIT, PUBLIC, unit(service)),
    )


def first_config(game: Game) -> Wanted:
    """Return the configuration that is written where there is none: a table that waits for its devices, its journal
    where the service may write, its console on this computer.
    """
    given: dict[str, object] = {
        "table.journal": str(STATE / "journal.sqlite"),
        "security.keys": str(STATE / "keys"),
        "console.listen": _LISTEN,
        "service.wait_for_devices": True,
    }
    return Wanted(CONFIG, 0o640, fresh_text(game, given=given))


def in_root(root: Path, path: PurePosixPath) -> Path:
    """Return where `path` lies in `root`."""
    return root / path.relative_to("/")


def _users(service: Service) -> str:
    return f"""{_HEAD}
# The table's user: no password, no shell. Group dialout has the serial ports and the devices (60-cardshoe.rules).
u {service.user} - "Controller of a card table" {STATE}
m {service.user} dialout
"""


def _directories(service: Service) -> str:
    user = service.user
    return f"""{_HEAD}
d {CONFIG.parent} 0750 root {user} -
z {CONFIG} 0640 root {user} -
d {STATE} 0700 {user} {user} -
d {STATE / "keys"} 0700 {user} {user} -
d {STATE / "people"} 0700 {user} {user} -
"""


def unit(service: Service) -> str:
    """Return the unit."""
    return f"""{_HEAD}
# Changes of your own go into a file beside it, which stays: systemctl edit cardshoe
[Unit]
Description=Controller of a card table (cardshoe)
RequiresMountsFor={STATE}
After=network.target
# It is tried again for ever: who plugs the shoe in an hour later finds the table waiting.
StartLimitIntervalSec=0

[Service]
Type=notify
NotifyAccess=main
ExecStart={service.program} -I -X utf8 -m cardshoe run --config {CONFIG}
User={service.user}
SupplementaryGroups=dialout
WorkingDirectory={STATE}
StateDirectory={STATE.name}
StateDirectoryMode=0700
UMask=0077
# People work at the console. What is due is shown as the status; losses and faults go to the system's journal.
StandardInput=null
StandardOutput=null
StandardError=journal

Restart=always
RestartSec=2
# A configuration that cannot be used (2) and a journal that cannot be trusted (4) wait for a person.
RestartPreventExitStatus=2 4
WatchdogSec=20
# A long journal is verified before the table opens; the end takes less than 5 seconds.
TimeoutStartSec=300
TimeoutStopSec=15
LimitCORE=0

{_REACHED}

{_HARDENED}

[Install]
WantedBy=multi-user.target
"""
