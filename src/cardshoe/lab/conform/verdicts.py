"""Which clauses a device keeps, which it breaks, and which were not shown.

Owns the judgement. A dialogue cites several clauses, and a fault shows in many dialogues, so a failure is laid at a
clause in this order: what the line itself shows (a frame that is none, a reply that came late, an event out of order,
a command with two outcomes); else the clause of the event that did not come or came wrong, if most of what shows that
clause fails; else the clause that the dialogue was written for (it is cited first), and the one of the cited clauses
that passes least. A clause that a failed dialogue only touched is not called broken.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from cardshoe.lab.conform import makers
from cardshoe.lab.conform.asking import Answer, Result
from cardshoe.lab.conform.items import Begins, items
from cardshoe.lab.conform.watching import Times

LIKELY: Final = 0.5
_LINE_SAYS: Final[tuple[tuple[str, str], ...]] = (
    ("came with event_id", "LINK-7.1"),
    ("came in session", "LINK-5.4"),
    ("is no message of a device", "LINK-2.8"),
    ("STATUS says", "LINK-6.2"),
)
_HOME: Final = re.compile(r"^- \*\*([A-Z]+-\d+\.\d+)\*\* ([A-Z]+_[A-Z_]+)(?: and ([A-Z_]+))?\b", re.M)
_OUTCOMES: Final = ("STACK_READY", "DISPENSE_FAILED", "DISPENSE_INTERRUPTED")
_CAME: Final = re.compile(r'^\{"message": "(\w+)"')


class Verdict(Enum):
    """What is said of a clause."""

    PASSED = "passed"
    BROKEN = "broken"
    NOT_SHOWN = "not shown"


@dataclass(frozen=True, slots=True)
class Told:
    """The verdict on one clause: how many of its dialogues passed, and of the first that showed it broken what was
    expected and what came; or why it was not shown."""

    clause: str
    title: str
    verdict: Verdict
    passed: int
    reason: str = ""
    shown_by: str = ""
    expected: str = ""
    came: str = ""
    excerpt: tuple[str, ...] = ()

    def plain(self) -> dict[str, object]:
        """Return it for JSON."""
        told: dict[str, object] = {"clause": self.clause, "verdict": self.verdict.value, "title": self.title}
        told |= {"passed_dialogues": self.passed}
        if self.verdict is Verdict.BROKEN:
            told |= {"shown_by": self.shown_by, "expected": self.expected, "came": self.came}
            told |= {"excerpt": list(self.excerpt)}
        if self.reason:
            told |= {"reason": self.reason}
        return told


@dataclass(frozen=True, slots=True)
class Limit:
    """A measured time beside its limit: milliseconds; `least` and `most` None where there is none."""

    clause: str
    name: str
    values_ms: tuple[float, ...]
    least_ms: float | None
    most_ms: float | None

    @property
    def ok(self) -> bool:
        """Tell whether all values keep the limits; none measured is no breach."""
        least = self.least_ms is None or all(value >= self.least_ms for value in self.values_ms)
        return least and (self.most_ms is None or all(value <= self.most_ms for value in self.values_ms))


def limits(times: Times, *, slack_ms: int) -> tuple[Limit, ...]:
    """Return the measured times with the limits of the link, the line's own delay added."""
    return (
        Limit("LINK-4.2", "reply to a command", tuple(times.reply_ms), None, 100.0 + slack_ms),
        Limit("LINK-6.1", "STATUS to a heartbeat", tuple(times.status_ms), None, 100.0 + slack_ms),
        Limit("LINK-5.3", "reply to HELLO", tuple(times.hello_ms), None, None),
        Limit("LINK-7.3", "event sent again", tuple(times.repeat_ms), None, None),
    )


def homes(kind: str) -> Mapping[str, str]:
    """Return the clause that defines each event, as the prose has it: the one whose text begins with its name."""
    found: dict[str, str] = {}
    for name in (f"{kind}-v1", "link-v1"):
        for clause, *events in _HOME.findall((makers.PROTOCOLS / f"{name}.md").read_text(encoding="utf-8")):
            for event in filter(None, events):
                found.setdefault(event, clause)
    return found


class Judgement:
    """Lays every failure at clauses. Where only some clauses were `asked` for there is nothing to compare them with:
    a dialogue that cites one of them and fails is laid at it."""

    def __init__(self, kind: str, answers: Sequence[Answer], asked: frozenset[str] = frozenset()) -> None:
        self._answers, self._asked = answers, asked
        self._homes = homes(kind)
        self._failed: Counter[str] = Counter()
        self._passed: Counter[str] = Counter()
        for answer in answers:
            if answer.result is Result.PASSED:
                self._passed.update(answer.item.clauses)
            elif answer.result is Result.FAILED and not self._line_says(answer):
                self._failed.update(answer.item.clauses)

    def blamed(self, answer: Answer) -> frozenset[str]:
        """Return the clauses that a failure is laid at; none where the item did not fail."""
        if clause := self._line_says(answer):
            return frozenset({clause})
        if answer.result is not Result.FAILED:
            return frozenset()
        cited = answer.item.clauses
        if self._asked:
            return self._asked.intersection(cited)
        home = self._home(answer)
        if home is not None and self._share(home) >= LIKELY:
            return frozenset({home, *(cited[:1] if self._share(cited[0]) == 1 else ())})
        return frozenset({cited[0], max(cited, key=lambda clause: (self._share(clause), -cited.index(clause)))})

    def first(self) -> tuple[str, ...]:
        """Return the broken clauses, those that explain most of the failures first."""
        weight: Counter[str] = Counter()
        for answer in self._answers:
            for clause in self.blamed(answer):
                weight[clause] += 1
        return tuple(sorted(weight, key=lambda clause: (-weight[clause] * (self._share(clause) or 1), clause)))

    def _share(self, clause: str) -> float:
        every = self._failed[clause] + self._passed[clause]
        return self._failed[clause] / every if every else 0.0

    def _line_says(self, answer: Answer) -> str | None:
        """Return the clause that the line itself shows broken, None when it shows none."""
        if answer.garbled is not None:
            return answer.garbled
        if answer.result is not Result.FAILED:
            return None
        if answer.late_ms is not None:
            return "LINK-4.2"
        if _acted_on(answer):
            return "LINK-5.6"
        for text, clause in _LINE_SAYS:
            if text in answer.came:
                return clause
        return "SHOE-4.6" if self._resumed(answer) else None

    def _resumed(self, answer: Answer) -> bool:
        """Tell whether an outcome came for a command that had been interrupted, by the frames before the failure."""
        came = _CAME.match(answer.came)
        if came is None or came[1] not in _OUTCOMES or (answer.step or {}).get("again"):
            return False
        command = re.search(r'"command_id": (\d+)', answer.came)
        before = [line for line in answer.excerpt[:-1] if "DISPENSE_INTERRUPTED" in line and command is not None]
        return any(re.search(rf"command_id {command[1]}\b", line) for line in before) if command else False

    def _home(self, answer: Answer) -> str | None:
        """Return the clause of the event that was expected and did not come, or came with other fields."""
        step = answer.step or {}
        wanted, came = step.get("expect", {}).get("message"), _CAME.match(answer.came)
        if wanted is None or step.get("again") or (came is not None and came[1] != wanted):
            return None
        return self._homes.get(wanted)


def _acted_on(answer: Answer) -> bool:
    """Tell whether a frame of another session was received whole, as a vector of frames wants, and then acted on."""
    wanted = (answer.step or {}).get("expect", {}).get("message")
    return answer.item.begins is Begins.ANYWHERE and wanted == "REJECT" and "nothing came" not in answer.came


def judge(kind: str, answers: Sequence[Answer], *, only: Iterable[str] = ()) -> tuple[Told, ...]:
    """Return the verdict on each clause of the link and of the device's document, or on those of `only` and what the
    line itself shows broken."""
    asked = frozenset(only)
    judgement = Judgement(kind, answers, asked)
    blamed = {answer.item.id: judgement.blamed(answer) for answer in answers}
    accused = frozenset().union(*blamed.values())
    titles = dict(makers.clauses(kind)) | dict.fromkeys(sorted(accused - set(makers.clauses(kind))), "")
    told = []
    for clause, title in titles.items():
        if asked and clause not in asked | accused:
            continue
        citing = [answer for answer in answers if clause in answer.item.clauses]
        broken = [answer for answer in answers if clause in blamed[answer.item.id]]
        told.append(_told(kind, clause, title, citing, broken, blamed))
    return tuple(told)


def _told(
    kind: str,
    clause: str,
    title: str,
    citing: Sequence[Answer],
    broken: Sequence[Answer],
    blamed: Mapping[str, frozenset[str]],
) -> Told:
    passed = sum(answer.result is Result.PASSED for answer in citing)
    if broken:
        first = broken[0]
        return Told(
            clause, title, Verdict.BROKEN, passed, f"{len(broken)} dialogues show it", first.item.id,
            first.expected or first.item.note, first.came, first.excerpt,
        )  # fmt: skip
    stopped = [answer for answer in citing if answer.result is Result.FAILED]
    if passed:
        late = [answer for answer in citing if answer.result is Result.PASSED and answer.came]
        reason = f"{len(stopped)} of its dialogues broke off over another clause" if stopped else ""
        reason = reason or (f"{late[0].item.id}: {late[0].came}" if late else "")
        return Told(clause, title, Verdict.PASSED, passed, reason)
    if stopped:
        over = ", ".join(sorted(blamed[stopped[0].item.id]))
        return Told(clause, title, Verdict.NOT_SHOWN, 0, f"{stopped[0].item.id} broke off over {over}")
    if citing:
        return Told(clause, title, Verdict.NOT_SHOWN, 0, citing[0].came)
    if any(clause in item.clauses for item in items(kind)):
        return Told(clause, title, Verdict.NOT_SHOWN, 0, "it was not asked for in this run")
    why = f"no vector asks a {kind} for it: it binds the host, is shown by another kind, or needs a person"
    return Told(clause, title, Verdict.NOT_SHOWN, 0, why)


def other_version(kind: str, theirs: str) -> tuple[Told, ...]:
    """Return the verdicts on a device that speaks another version: nothing else can be asked of it."""
    ours = makers.spec_hash(kind)
    why = "the device speaks another version of the protocol"
    return tuple(
        Told(
            clause,
            title,
            Verdict.BROKEN,
            0,
            "HELLO_REPLY tells it",
            "HELLO",
            f"spec hash {ours}",
            f"spec hash {theirs}",
        )
        if clause == "LINK-5.2"
        else Told(clause, title, Verdict.NOT_SHOWN, 0, why)
        for clause, title in makers.clauses(kind).items()
    )
