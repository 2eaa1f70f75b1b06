"""Who acts at the device: a simulated world's control socket, programs that switch relays, a person, or nobody.

Owns the interface `Hands` and its four kinds. An act is a request of `cardshoe sim`'s control socket (`take_stack`,
`open_door`, `fault`, `power` …), whoever carries it out; its answer has `ok`. `known` beside `turn` names the cards of
a test deck that come next. Must not know frames or dialogues.
"""

from __future__ import annotations

import json
import re
import socket
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Protocol

from cardshoe.errors import DeviceError

Request = dict[str, Any]
ANSWER_S: Final = 30.0


class CannotAct(Exception):
    """Nobody here can do this act; the text names it."""


class Hands(Protocol):
    """Acts at the device. `can` is asked before a dialogue is begun, so that none breaks off half way.

    `slow`: an act takes seconds or minutes, so that somebody must take what the device sends meanwhile.
    """

    slow: bool

    def can(self, request: Request) -> bool:
        """Tell whether this act can be done here at all."""

    def act(self, request: Request) -> dict[str, Any]:
        """Do it; the answer has `ok`, and what was seen. Raises CannotAct, DeviceError `hands-lost`."""


class NoHands:
    """Nobody stands at the device."""

    slow = False

    def can(self, request: Request) -> bool:
        """Nothing can be done."""
        del request
        return False

    def act(self, request: Request) -> dict[str, Any]:
        """Raises CannotAct."""
        raise CannotAct(named(request))


class ControlHands:
    """The control socket of a simulated world or of a bench that speaks the same."""

    slow = False

    def __init__(self, path: Path) -> None:
        self.path = path

    def can(self, request: Request) -> bool:
        """The world answers for itself what it cannot do."""
        del request
        return True

    def act(self, request: Request) -> dict[str, Any]:
        """Ask over a connection of its own. Raises DeviceError `hands-lost`."""
        try:
            with socket.socket(socket.AF_UNIX) as asked:
                asked.settimeout(ANSWER_S)
                asked.connect(str(self.path))
                told = {key: value for key, value in request.items() if key != "known"}
                asked.sendall(json.dumps(told).encode() + b"\n")
                with asked.makefile("rb") as answers:
                    answer: dict[str, Any] = json.loads(answers.readline())
        except (OSError, ValueError) as error:
            raise DeviceError(
                "hands-lost",
                f"The control socket {self.path} did not answer to {named(request)} ({error}). Start the world or the "
                "bench again, then this.",
            ) from error
        return answer


class ProgramHands:
    """Acts by programs: relays, gate blockers, lamps over a card. What no program does is left to `then`.

    `programs` maps an act as `named` spells it ("power shoe off", "fault jam", "open_door"), or only its first words,
    to a command line. Status 0: done; what it prints, if it is a JSON object, is the answer.
    """

    slow = True

    def __init__(self, programs: Mapping[str, Sequence[str]], then: Hands) -> None:
        self._programs = dict(programs)
        self._then = then

    def can(self, request: Request) -> bool:
        """A program is named for it, or the others can."""
        return self._command(request) is not None or self._then.can(request)

    def act(self, request: Request) -> dict[str, Any]:
        """Run the program."""
        command = self._command(request)
        if command is None:
            return self._then.act(request)
        try:
            done = subprocess.run(  # noqa: S603 (the bench file of whoever owns this bench says what to run)
                list(command), capture_output=True, text=True, timeout=ANSWER_S, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise DeviceError(
                "hands-lost", f"The bench's program {command[0]} for {named(request)} did not run: {error}."
            ) from error
        if done.returncode != 0:
            return {"ok": False, "text": (done.stderr or done.stdout).strip()[-300:] or f"status {done.returncode}"}
        return {"ok": True} | _object(done.stdout)

    def _command(self, request: Request) -> Sequence[str] | None:
        words = named(request).split()
        for size in range(len(words), 0, -1):
            if (command := self._programs.get(" ".join(words[:size]))) is not None:
                return command
        return None


def _object(text: str) -> dict[str, Any]:
    try:
        told = json.loads(text)
    except ValueError:
        return {}
    return told if isinstance(told, dict) else {}


_HOW: Final[dict[str, str]] = {
    "take_stack": "Take the whole stack out of the gate and lay it at {to}. How many cards were it?",
    "insert_cover_card": "Put a cover card into the slot.",
    "open_door": "Open the door of the shoe.",
    "close_door": "Close the door of the shoe.",
    "remove_stub": "Open the door, take all cards out of the magazine into your hand, close the door. How many?",
    "load_deck": "Put the deck into the magazine and close the door. How many cards are it?",
    "new_deck": "Lay every card aside and take a fresh, complete deck of 52 into your hand.",
    "collect": "Take every card off {what}.",
    "deal_card": "Deal one card face down from your hand to {to}.",
    "burn": "Burn {cards} card(s), face down.",
    "turn": "Turn up at {what} (the board: deal from your hand) {cards} card(s). Which, in order (such as As Td)?",
    "turn_down": "Turn {cards} card(s) at {what} face down again.",
    "switch_mode": "Turn the mode switch to {mode}.",
    "press": "Press {button} at the device.",
    "power": "Switch the {device} {state}.",
    "reset": "Press the reset of the {device}.",
    "fault": "Bring about the fault {kind} ({keys}).",
}
_CARDS: Final = re.compile(r"[AKQJT98765432][shdc]")
_CANNOT: Final = {"cannot", "no", "skip"}


class AskedHands:
    """A person at the device, who is asked for each act and says what was seen.

    `ask` shows a text and returns the line that was typed: Enter for "done", a number or cards where they are asked
    for, "cannot" where it cannot be done.
    """

    slow = True

    def __init__(self, ask: Callable[[str], str]) -> None:
        self._ask = ask
        self._stacks = self._cards = 0

    def can(self, request: Request) -> bool:
        """What a person can be told to do."""
        return request.get("do") in {*_HOW, "counters"}

    def act(self, request: Request) -> dict[str, Any]:
        """Ask; repeats the question until the answer can be read. Raises CannotAct when the person says so."""
        do = str(request.get("do"))
        if do == "counters":
            return self._counters()
        if do not in _HOW:
            raise CannotAct(named(request))
        answer: dict[str, Any] = {"ok": True}
        if do in ("take_stack", "remove_stub", "load_deck"):
            return answer | {"cards": self._number(request)}
        if do == "turn":
            return answer | {"cards": self._faces(request)}
        self._said(request, _told(request))
        return answer

    def _counters(self) -> dict[str, Any]:
        """What the machine did as a person saw it, kept apart from what it reports."""
        asked = {"do": "counters"}
        text = (
            "How many whole stacks, and how many cards, has the shoe put out since this was last asked (such as 1 2)?"
        )
        while len(numbers := re.findall(r"\d+", self._said(asked, text))) != 2:
            text = "Two numbers are wanted, stacks and cards, such as 1 2."
        self._stacks += int(numbers[0])
        self._cards += int(numbers[1])
        return {"ok": True, "stacks_dispensed": self._stacks, "cards_out": self._cards}

    def _number(self, request: Request) -> int:
        text = _told(request)
        while not (said := self._said(request, text)).isdecimal():
            text = "A number of cards is wanted."
        return int(said)

    def _faces(self, request: Request) -> list[str]:
        text, wanted = _told(request), request.get("cards")
        if known := request.get("known"):
            self._said(request, f"Turn up at {request['what']}, in this order: {' '.join(known)}.")
            return list(known)
        while not (faces := _CARDS.findall(said := self._said(request, text))) or (wanted and len(faces) != wanted):
            text = f"{said!r} cannot be read; cards are wanted such as As Td."
        return faces

    def _said(self, request: Request, text: str) -> str:
        said = self._ask(text).strip()
        if said.lower() in _CANNOT:
            raise CannotAct(named(request))
        return said


def _told(request: Request) -> str:
    keys = {key: value for key, value in request.items() if key not in ("do", "kind")}
    spelled = ", ".join(f"{key} {value}" for key, value in keys.items()) or "by itself"
    places = {"to": "the dealer", "what": "the table", "cards": "all", "keys": spelled, "cause": "reset"}
    return _HOW[str(request["do"])].format_map(places | {key: str(value) for key, value in request.items()})


def named(request: Request) -> str:
    """Return a short name of an act: its word and what it is about, such as `power shoe off` or `fault jam`."""
    words = [str(request.get("do"))]
    words += [
        str(request[key]) for key in ("device", "state", "kind", "mode", "button", "to", "what") if key in request
    ]
    return " ".join(words)
