"""Who a browser is: its session, its token against requests that other pages make, and how often it may ask.

Owns the sessions of browsers (not the people: `table` does that), held in memory alone: a restart signs everybody out.
A session's secret is a cookie that scripts cannot read; its token is read by our own page and sent back in a header.
Pure: `now` (monotonic seconds) and randomness come in.
"""

from __future__ import annotations

import hashlib
import hmac
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

IDLE_S: Final = 12 * 3600.0
"""A session that is not used for so long is gone; what a person may do expires by the person's own rule, sooner."""
MOST: Final = 512
SECRET_BYTES: Final = 32


@dataclass
class Session:
    """One browser. `identifier` is the hash of its secret; `person`: the token of who signed in there, None: nobody."""

    identifier: str
    token: str
    used: float
    person: bytes | None = field(default=None, repr=False)


class Sessions:
    """The sessions of one console. `random` returns so many random bytes."""

    def __init__(self, random: Callable[[int], bytes]) -> None:
        self._random = random
        self._key = random(SECRET_BYTES)
        self._known: OrderedDict[str, Session] = OrderedDict()

    def begin(self, now: float, person: bytes | None = None) -> tuple[str, Session]:
        """Return the secret for the cookie and a new session."""
        secret = self._random(SECRET_BYTES).hex()
        session = Session(self._hash(secret), self._random(SECRET_BYTES).hex(), now, person)
        self._known[session.identifier] = session
        while len(self._known) > MOST:
            self._known.popitem(last=False)
        return secret, session

    def find(self, secret: str | None, now: float) -> Session | None:
        """Return the session of `secret`, or None: unknown, or unused for too long."""
        if not secret:
            return None
        session = self._known.get(self._hash(secret))
        if session is None:
            return None
        if now - session.used > IDLE_S:
            del self._known[session.identifier]
            return None
        session.used = now
        self._known.move_to_end(session.identifier)
        return session

    def end(self, session: Session) -> None:
        """Forget `session`."""
        self._known.pop(session.identifier, None)

    def _hash(self, secret: str) -> str:
        return hmac.new(self._key, secret.encode("utf-8", "replace"), hashlib.sha256).hexdigest()


def same_token(session: Session, given: str) -> bool:
    """Tell whether `given` is the token of `session`, in a time that tells nothing."""
    return hmac.compare_digest(session.token.encode(), given.encode("utf-8", "replace"))


@dataclass
class _Bucket:
    level: float
    at: float


class Rate:
    """So many requests a second from one address, and `burst` at once."""

    def __init__(self, per_s: float, burst: int, *, most_addresses: int = 1024) -> None:
        self._per_s = per_s
        self._burst = burst
        self._most = most_addresses
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def allows(self, address: str, now: float) -> bool:
        """Take one request of `address`; tell whether it may be answered."""
        bucket = self._buckets.get(address)
        if bucket is None:
            bucket = self._buckets[address] = _Bucket(float(self._burst), now)
            while len(self._buckets) > self._most:
                self._buckets.popitem(last=False)
        self._buckets.move_to_end(address)
        bucket.level = min(float(self._burst), bucket.level + (now - bucket.at) * self._per_s)
        bucket.at = now
        if bucket.level < 1:
            return False
        bucket.level -= 1
        return True
