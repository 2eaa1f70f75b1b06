"""What the service manager of this computer is told of a table: ready, what is due, still turning, stopping.

Owns the datagrams to `NOTIFY_SOCKET` (the protocol of sd_notify, on the standard library) and the beat of the watchdog.
A beat is sent only after the table itself has taken a turn, so that neither a loop that stands nor a table that waits
for ever behind a loop that turns is taken for alive. Telling never waits and never ends a table: what the socket does
not take now is kept, the newest of each kind, and told again. Without `NOTIFY_SOCKET` nothing happens. Must not know
rounds; the words it is given are those that everybody at the table sees (promise P4).
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Final

from cardshoe.errors import ConfigError

_log = logging.getLogger(__name__)

TELL_AGAIN_S: Final = 0.2
"""After so long a socket that was full is tried again."""
ABSTRACT: Final = "@"
_USEC: Final = 1_000_000
_VARIABLES: Final = ("NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID")


@dataclass(frozen=True, slots=True)
class NotifyTerms:
    """Where the service manager listens (a path, or `@` and an abstract name), and within how many seconds it wants to
    hear that the table turns (None: it does not ask).
    """

    address: str
    watchdog_s: float | None = None


def notify_terms(environment: Mapping[str, str], pid: int) -> NotifyTerms | None:
    """Return the terms in the `environment` of process `pid`, None where no service manager listens.

    Raises `ConfigError` (`notify-socket`) for an address or an interval that cannot be used.
    """
    address = environment.get("NOTIFY_SOCKET", "")
    if not address:
        return None
    if len(address) < len("/x") or address[0] not in (os.sep, ABSTRACT):
        raise _unusable("NOTIFY_SOCKET", address, "an absolute path, or @ and a name")
    given = environment.get("WATCHDOG_USEC", "")
    if not given or environment.get("WATCHDOG_PID", str(pid)) != str(pid):  # asked of another process
        return NotifyTerms(address)
    if not given.isascii() or not given.isdigit() or not int(given):
        raise _unusable("WATCHDOG_USEC", given, "a whole number of microseconds above 0")
    return NotifyTerms(address, int(given) / _USEC)


def _unusable(name: str, value: str, wanted: str) -> ConfigError:
    return ConfigError(
        "notify-socket",
        f"The environment says {name} = {value!r}, which is not {wanted}. Start the table by its service, or without"
        f" {', '.join(_VARIABLES)}. Nothing was started.",
    )


class NotifySocket:
    """One table's line to the service manager; every method is called on the table's loop and returns at once."""

    def __init__(self, terms: NotifyTerms | None) -> None:
        self._terms = terms
        self._socket: socket.socket | None = None
        self._untold: dict[str, str] = {}
        self._again: asyncio.TimerHandle | None = None
        self._complained = False
        if terms is not None:
            self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
            self._socket.setblocking(False)

    @property
    def listened_to(self) -> bool:
        """Whether there is a service manager that is told."""
        return self._socket is not None

    def status(self, words: str) -> None:
        """Tell how the table stands, in one line for people."""
        self._tell(STATUS=words)

    def ready(self, words: str) -> None:
        """Tell that the table is open, and what is due first."""
        self._tell(READY="1", STATUS=words)

    def stopping(self, words: str) -> None:
        """Tell that the table is being closed, and why."""
        self._tell(STOPPING="1", STATUS=words)

    async def watch(self, turn: Callable[[], Awaitable[None]]) -> None:
        """Tell twice in each interval that the table turns, each time after one `turn` of it, until cancelled.

        Returns at once where nobody asks. Raises what `turn` raises.
        """
        interval_s = self._terms.watchdog_s if self._terms is not None else None
        while interval_s is not None:
            await turn()
            self._tell(WATCHDOG="1")
            await asyncio.sleep(interval_s / 2)

    def close(self) -> None:
        """Give the socket back."""
        if self._again is not None:
            self._again.cancel()
            self._again = None
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _tell(self, **news: str) -> None:
        if self._socket is not None:
            self._untold |= {name: " ".join(value.split()) for name, value in news.items()}
            self._send()

    def _send(self) -> None:
        if self._socket is None or self._terms is None or not self._untold:
            return
        told = "\n".join(f"{name}={value}" for name, value in self._untold.items())
        address = self._terms.address
        try:
            self._socket.sendto(told.encode(), f"\0{address[1:]}" if address.startswith(ABSTRACT) else address)
        except BlockingIOError:
            if self._again is None:
                self._again = asyncio.get_running_loop().call_later(TELL_AGAIN_S, self._try_again)
        except OSError as error:
            self._complain(error)
        else:
            self._untold = {}

    def _try_again(self) -> None:
        self._again = None
        self._send()

    def _complain(self, error: OSError) -> None:
        """Say once that nobody can be told; the table goes on, and the next news carry what was not told."""
        if not self._complained and self._terms is not None:
            self._complained = True
            where = self._terms.address
            _log.warning("the service manager cannot be told how the table stands: %s: %s", where, error.strerror)
