"""Conformance under a virtual clock: a right device passes everything, each wrong one is told by the clause it breaks.

One world is asked from the first item to the last, as a used device is: command ids go on, decks are exchanged.
"""

from __future__ import annotations

import pytest
from virtual_port import asked

from cardshoe.lab.conform import makers
from cardshoe.lab.conform.asking import Answer, Result, choose
from cardshoe.lab.conform.items import Begins, Item, items
from cardshoe.lab.conform.needing import capabilities
from cardshoe.lab.conform.verdicts import Judgement, Verdict, homes, judge, other_version
from cardshoe.lab.conform.watching import masked, masked_text
from cardshoe.sim.mutations import MUTATIONS


def kind_of(clause: str) -> str:
    """The device whose document has the clause; the link's are asked of the shoe."""
    return "reader" if clause.startswith("READER") else "shoe"


NOT_ON_A_CLEAR_LINE = {
    "LINK-5.9": "shows on a paired device, which no dialogue pairs",
    "SHOE-9.1": "seeds are compared by who opens the envelopes",
    "SHOE-9.10": "only the auditor's key opens an envelope",
}
ASKED = sorted(
    clause for clause in MUTATIONS if choose(kind_of(clause), [clause]) and clause not in NOT_ON_A_CLEAR_LINE
)
"""Those of the simulator's mutations that the vectors have a dialogue for."""


@pytest.mark.parametrize("kind", ["reader", "shoe"])
def test_a_right_device_passes_everything(kind: str) -> None:
    """LINK-1 to LINK-9, SHOE-1 to SHOE-8, READER-1 to READER-4: all items on one world, each passes."""
    answers = asked(kind)
    assert [(one.item.id, one.expected, one.came) for one in answers if one.result is not Result.PASSED] == []
    told = judge(kind, answers)
    assert [one.clause for one in told if one.verdict is Verdict.BROKEN] == []
    asked_for = {clause for item in items(kind) for clause in item.clauses}
    assert {one.clause for one in told if one.verdict is Verdict.PASSED} == asked_for & set(makers.clauses(kind))


@pytest.mark.parametrize("clause", ASKED)
def test_a_broken_clause_is_told(clause: str) -> None:
    """P8: each mutation of the simulator, by what shows its clause. The clause is the parameter."""
    kind = kind_of(clause)
    told = {one.clause: one for one in judge(kind, asked(kind, [clause], clauses=[clause]), only=[clause])}
    assert told[clause].verdict is Verdict.BROKEN
    assert told[clause].shown_by
    assert told[clause].expected
    assert told[clause].came


def test_there_are_mutations_to_be_told() -> None:
    """P8: the list above does not shrink unseen."""
    assert len(ASKED) >= 32


@pytest.mark.nightly
@pytest.mark.parametrize("clause", ASKED)
def test_a_broken_clause_is_told_among_all(clause: str) -> None:
    """P8: the same when everything is asked: the clause is broken, and few others are called so."""
    kind = kind_of(clause)
    broken = [one.clause for one in judge(kind, asked(kind, [clause])) if one.verdict is Verdict.BROKEN]
    assert clause in broken
    assert len(broken) <= 20


def failure(clauses: tuple[str, ...], came: str, step: dict[str, object] | None = None, **more: object) -> Answer:
    """An answer that failed."""
    item = Item("case", clauses, "", (), Begins.READY)
    return Answer(item, Result.FAILED, 0.0, step, "", came, **more)  # type: ignore[arg-type]


LINE_SAYS = {
    "LINK-2.4": failure(("LINK-4.1",), "the device sent 0102", garbled="LINK-2.4"),
    "LINK-4.2": failure(("SHOE-4.1",), "it came, but after 400 ms", late_ms=400.0),
    "LINK-5.4": failure(("SHOE-4.1",), "STATUS came in session 3, the session is 4"),
    "LINK-7.1": failure(("SHOE-4.1",), "STACK_READY came with event_id 9, boot_counter 1; the last event is 7"),
}


@pytest.mark.parametrize("clause", LINE_SAYS)
def test_what_the_line_says_goes_before_what_the_dialogue_is_for(clause: str) -> None:
    """The clause is the parameter; the dialogue was written for another."""
    answer = LINE_SAYS[clause]
    assert Judgement("shoe", [answer]).blamed(answer) == {clause}


def test_an_event_is_its_own_clauses_fault() -> None:
    """SHOE-4.8: STACK_TAKEN never comes, in dialogues that are for something else."""
    step = {"expect": {"message": "STACK_TAKEN", "fields": {}}, "within_ms": 1000}
    lost = [failure((cited, "SHOE-4.8"), "nothing came", step) for cited in ("SHOE-3.3", "SHOE-3.5", "LINK-4.3")]
    fine = [
        Answer(Item(c, (c,), "", (), Begins.READY), Result.PASSED, 0.0) for c in ("SHOE-3.3", "SHOE-3.5", "LINK-4.3")
    ]
    judgement = Judgement("shoe", [*lost, *fine])
    assert [judgement.blamed(one) for one in lost] == [{"SHOE-4.8"}] * 3


def test_every_event_has_a_home() -> None:
    """The prose defines each event of the vectors' dialogues in a clause that begins with its name."""
    found = homes("shoe")
    assert found["STACK_READY"] == "SHOE-4.4"
    assert found["STACK_TAKEN"] == "SHOE-4.8"
    assert homes("reader")["CARD_READ"] == "READER-2.1"


def test_nobody_at_the_device() -> None:
    """What needs hands is not shown, with the reason; nothing is called broken for it."""
    acts = ("open_door", "close_door", "take_stack", "new_deck", "load_deck", "reset", "power", "fault", "counters")
    answers = asked("shoe", clauses=["LINK-4.3", "LINK-7.4"], deaf_to=acts)
    left_out = [one for one in answers if one.result is Result.NOT_SHOWN]
    assert left_out
    assert all("needs hands at the device" in one.came for one in left_out)
    assert not [one for one in judge("shoe", answers, only=["LINK-4.3", "LINK-7.4"]) if one.verdict is Verdict.BROKEN]
    assert any(one.result is Result.PASSED for one in answers)


@pytest.mark.parametrize(("clause", "lacking"), [("SHOE-7.3", "cover_card_sensor"), ("SHOE-6.4", "identity_reader")])
def test_what_a_device_does_not_have_is_not_asked(clause: str, lacking: str) -> None:
    """SHOE-1.1: a capability that is not stated makes its dialogues not shown, and no clause broken."""
    bit = capabilities("shoe")[lacking]
    answers = asked("shoe", clauses=[clause], able=0xFFFFFFFF ^ bit)
    left_out = [one for one in answers if one.result is Result.NOT_SHOWN]
    assert left_out
    assert all(lacking in one.came for one in left_out)
    assert [one.item.id for one in answers if one.result is Result.FAILED] == []


def test_what_is_shown_of_the_line_keeps_secrets() -> None:
    """P4: nonces, proofs and salts are masked, and so is every face that a shoe tells; a reader's cards lie face up."""
    told = {"host_nonce": "00" * 16, "device_proof": "11" * 16, "salts": "22" * 112, "face": 12, "cards": 2}
    assert masked(told, hidden=True) == (
        "host_nonce <16 bytes>, device_proof <16 bytes>, salts <112 bytes>, face <hidden>, cards 2"
    )
    assert masked({"face": 12}) == "face 12"
    came = '{"message": "CARD_FACE", "fields": {"host_nonce": "' + "0f" * 16 + '", "face": 12, "cards": 2}}'
    assert masked_text(came, hidden=True) == (
        '{"message": "CARD_FACE", "fields": {"host_nonce": "<16 bytes>", "face": "<hidden>", "cards": 2}}'
    )
    assert masked_text("sent " + "0a" * 40) == "sent " + "0a" * 12 + "…"


def test_another_version_is_one_broken_clause() -> None:
    """LINK-5.2: with another spec hash nothing else can be asked."""
    told = other_version("shoe", 64 * "0")
    assert [one.clause for one in told if one.verdict is Verdict.BROKEN] == ["LINK-5.2"]
    assert {one.verdict for one in told} == {Verdict.BROKEN, Verdict.NOT_SHOWN}


def test_the_frames_and_streams_of_the_vectors_are_asked() -> None:
    """LINK-2, LINK-3: every bad frame, the good ones that a host sends, and the streams in pieces."""
    asked_for = {item.id for item in items("shoe")}
    bad = {vector["id"] for vector in makers.vectors("frames") if not vector["accept"]}
    assert bad <= asked_for
    assert sum(name.startswith("resync/") for name in asked_for) > 20
    assert "frame/shoe/dispense-1" in asked_for
    assert "frame/shoe/dispense_reply-1" not in asked_for
