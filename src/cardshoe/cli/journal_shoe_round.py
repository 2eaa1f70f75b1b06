"""The round that the shoe keeps, told from its records: what it committed to, what was compared, told and sealed.

Owns the sentences for those records, for `journal show`. A face stands in them only where it lay up on the table
(promise P4); commitments and envelopes are named by their first digits. It must not judge.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from typing import Any, Final

from cardshoe.counted import counted
from cardshoe.journal.canonical import Record
from cardshoe.round.places import in_words

Body = Mapping[str, Any]
_DIGITS: Final = 16
_MATCHES: Final = {
    "match": "the shoe dealt it there",
    "mismatch": "the shoe did not deal it there",
    "unread": "the shoe had not read a card of that hand",
    "ruled": "the shoe could not compare it; a person looks",
    "not_carried_out": "the shoe was not reached, and is asked again",
}


def sentence(record: Record) -> str | None:
    """Return what a record says of the shoe's round, None for any other record or one that is not whole."""
    kind = record.kind
    if kind == "shoe_reported":
        kind = str(record.body.get("event"))
    tell = _SENTENCES.get(kind)
    try:
        return None if tell is None else tell(record.body)
    except (KeyError, TypeError):
        return None  # of another version: it is told like any record


def begun(record: Record) -> set[object]:
    """Return the number of the round that the shoe is asked to begin, nothing for any other record."""
    return {record.body.get("shoe_round")} if record.kind == _BEGUN else set()


def seals(record: Record, rounds: Set[object]) -> bool:
    """Tell whether a record between two rounds is the end of one of the shoe's `rounds`."""
    number = record.body.get("round_id", record.body.get("shoe_round"))
    ends = record.body.get("event") == "RoundSealed" or record.kind == "shoe_round_given_up"
    return record.round is None and ends and number in rounds


_BEGUN: Final = "shoe_round_requested"


def _committed(body: Body) -> str:
    told = str(body["commitment"])[:_DIGITS]
    return f"the shoe commits to the card of slot {body['slot']}, command {body['command_id']}: {told}…"


def _sealed(body: Body) -> str:
    what = f"the shoe seals the {counted(body['cards'], 'card')} of its round {body['round_id']}"
    if body["auditor"] is None:
        return f"{what}; it holds no auditor's key, so nobody can open them"
    return f"{what} for the auditor's key {body['auditor']}"


def _answered(body: Body) -> str:
    return f"{body['card']} at {in_words(body['place'])}: {_MATCHES.get(body['result'], body['result'])}"


def _revealed(body: Body) -> str:
    result = str(body["result"]).replace("_", " ")
    where = in_words(body["place"]) if "place" in body else f"command {body['command_id']}"
    return f"cards of {where}: {'told by the shoe' if result == 'revealed' else result}"


_SENTENCES: Final[Mapping[str, Callable[[Body], str]]] = {
    _BEGUN: lambda body: f"the shoe is asked to commit to deck {body['deck_id']}, its round {body['shoe_round']}",
    "shoe_round_opened": lambda body: f"the shoe commits to each card from here on, its round {body['shoe_round']}",
    "shoe_deal_closed": lambda body: f"no more cards leave the shoe in its round {body['shoe_round']}",
    "shoe_log_read": lambda body: f"the shoe has answered {body['total']} tries so far",
    "shoe_round_given_up": lambda body: f"round {body['shoe_round']} of the shoe has no envelope: {body['why']}",
    "card_match_requested": lambda body: (
        f"{body['card']} at {in_words(body['place'])} is held against what the shoe dealt"
    ),
    "card_match_answered": _answered,
    "stack_reveal_requested": lambda body: (
        f"the shoe is asked for the cards of {in_words(body['place'])}, which lie up now"
    ),
    "stack_reveal_answered": _revealed,
    "CardCommitted": _committed,
    "RoundSealed": _sealed,
}
