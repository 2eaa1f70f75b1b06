"""Each security clause that a simulated device can break on purpose is broken where somebody can see it.

The other way round: a device that keeps the clause does not do it. A conformance suite is to find each (lab, hil).
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from sealed_host import SealedBench, opened, salt_of
from sim_host import Bench, cobs, uncobs, wire_frame
from test_sim_rounds import committed, dealt, kept, match, restart, reveal, serial_of

from cardshoe.sim.mutations import MUTATIONS, NEEDS_KEYS
from cardshoe.sim.world import World

AUDITOR = X25519PrivateKey.from_private_bytes(bytes(range(32)))


def device(clause: str | None, seed: int = 1) -> World:
    return World(seed=seed, mutations=frozenset({clause} if clause else ()))


def stranger(world: World) -> SealedBench:
    return SealedBench(world, auditor=AUDITOR.public_key().public_bytes_raw())


def partner(world: World) -> SealedBench:
    bench = stranger(world)
    assert bench.pair() == 0
    assert bench.sealed() == 0
    bench.run(0.3)  # what was sent while keys were made comes again
    return bench


def at_the_table(world: World) -> Bench:
    bench = Bench(world)
    bench.hello()
    bench.beat()
    assert bench.command("BEGIN_ROUND", round_id=10, deck_id=1).result == 0
    return bench


def serves_clear(world: World) -> bool:
    bench = stranger(world)
    bench.pair()
    return bool(bench.opening(0)[0].result == 0)


def takes_a_wrong_host_proof(world: World) -> bool:
    bench = stranger(world)
    bench.pair()
    return bench.sealed(proof=bytes(16)) == 0


def counts_nothing(world: World) -> bool:
    bench = partner(world)
    assert bench.key is not None
    before = bench.key.sealed_count
    bench.sealed(check_count=False)
    return bench.key.sealed_count == before


def has_one_ephemeral_key(world: World) -> bool:
    bench = stranger(world)
    bench.pair()
    keys = set()
    for _ in range(2):
        bench.sealed()
        keys |= {one.device_public for one in bench.ear_log if one.name == "SEAL_REPLY"}
    return len(keys) == 1


def takes_a_wrong_tag(world: World) -> bool:
    bench = partner(world)
    frame = bench.frame("SET_INHIBIT", bench.sequence, inhibited=1)
    content = bytearray(uncobs(frame[:-1]))
    content[-1] ^= 1
    bench.put(cobs(bytes(content)) + b"\x00")
    return any(one.name == "SET_INHIBIT_REPLY" for one in bench.seen)


def uses_a_counter_twice(world: World) -> bool:
    try:
        bench = partner(world)
        for _ in range(3):
            bench.beat()
    except AssertionError as found:
        return "counter" in str(found)
    return False


def takes_a_replay(world: World) -> bool:
    bench = partner(world)
    frame = bench.frame("HEARTBEAT", 7, lease_ms=500)
    bench.put(frame)
    return bool(bench.put(frame))


def obeys_clear_frames(world: World) -> bool:
    bench = partner(world)
    bench.world.receive("shoe", wire_frame(bench.session, 0x12, bench.sequence, b"\x01"), bench.now)
    bench.look()
    return bool(bench.beat().flags & 4)


def never_closes_the_window(world: World) -> bool:
    bench = stranger(world)
    bench.do("pairing", device="shoe")
    bench.run(130.0)
    return bench.pair(press=False) == 0


def pairs_without_the_button(world: World) -> bool:
    return stranger(world).pair(press=False) == 0


def takes_a_wrong_label(world: World) -> bool:
    try:
        return stranger(world).pair(label=bytes(16)) != 1
    except AssertionError:  # paired with a secret that is not the label's: its own proof does not fit ours
        return True


def keeps_the_key(world: World) -> bool:
    bench = partner(world)
    bench.command("UNPAIR")
    return bool(bench.do("security", device="shoe")["keys"])


def attests_with_an_old_nonce(world: World) -> bool:
    bench = partner(world)
    return bench.attest(b"\x01" * 32) and not bench.attest(b"\x02" * 32)


def attests_in_clear(world: World) -> bool:
    bench = Bench(world)
    bench.hello()
    return bench.command("ATTEST", nonce=bytes(32)).name == "ATTEST_REPLY"


def repeats_salts(world: World) -> bool:
    bench = at_the_table(world)
    salts = []
    for number in (11, 12):
        bench.command("BEGIN_ROUND", round_id=number, deck_id=1)
        faces = dealt(bench, number, 1)
        bench.command("CLOSE_DEAL", round_id=number)
        shown = reveal(bench, number, number)
        assert shown.faces[0] == faces[0]
        salts.append((committed(bench)[-1].slot, shown.salts[:16]))
    known = [salt_of(bytes(range(32)), slot) for slot, _ in salts]
    return [salt for _, salt in salts] == known


def does_not_bind_the_slot(world: World) -> bool:
    bench = partner(world)
    bench.command("BEGIN_ROUND", round_id=10, deck_id=1)
    faces = dealt(bench, 1, 2)
    bench.command("END_ROUND", round_id=10)
    found = opened(bench.events[-1], serial_of(bench), AUDITOR)
    assert found is not None
    return not kept(bench, committed(bench)[1], found[0], faces[1])


def leaves_out_a_commitment(world: World) -> bool:
    bench = at_the_table(world)
    dealt(bench, 1, 4)
    return len(committed(bench)) < 4


def allows_more_tries(world: World) -> bool:
    bench = at_the_table(world)
    faces = dealt(bench, 1, 1)
    return match(bench, 1, (faces[0] + 1) % 52) == 1 and match(bench, 1, faces[0]) == 0


def deals_after_the_deal(world: World) -> bool:
    bench = at_the_table(world)
    bench.command("CLOSE_DEAL", round_id=10)
    return bench.dispense(1) == 0


def reveals_before_the_deal_is_closed(world: World) -> bool:
    bench = at_the_table(world)
    dealt(bench, 1)
    return bool(reveal(bench, 1).result == 0)


def writes_no_log(world: World) -> bool:
    bench = at_the_table(world)
    match(bench, 1, dealt(bench, 1)[0])
    return bool(bench.command("READ_ASKED", back=0).total == 0)


def ends_without_an_envelope(world: World) -> bool:
    bench = at_the_table(world)
    bench.command("END_ROUND", round_id=10)
    bench.run(0.5)
    return "ROUND_SEALED" not in bench.names


def seals_to_another_key(world: World) -> bool:
    bench = partner(world)
    bench.command("BEGIN_ROUND", round_id=10, deck_id=1)
    bench.command("END_ROUND", round_id=10)
    return opened(bench.events[-1], serial_of(bench), AUDITOR) is None


def forgets_tries(world: World) -> bool:
    bench = at_the_table(world)
    faces = dealt(bench, 1, 1)
    match(bench, 1, (faces[0] + 1) % 52)
    restart(bench)
    return match(bench, 1, faces[0]) == 0


FOUND_BY: dict[str, Callable[[World], bool]] = {
    "LINK-5.9": serves_clear,
    "LINK-9.3": takes_a_wrong_host_proof,
    "LINK-9.4": counts_nothing,
    "LINK-9.5": has_one_ephemeral_key,
    "LINK-9.8": takes_a_wrong_tag,
    "LINK-9.9": uses_a_counter_twice,
    "LINK-9.10": takes_a_replay,
    "LINK-9.11": obeys_clear_frames,
    "LINK-11.2": never_closes_the_window,
    "LINK-11.3": pairs_without_the_button,
    "LINK-11.4": takes_a_wrong_label,
    "LINK-11.7": keeps_the_key,
    "LINK-12.1": attests_with_an_old_nonce,
    "LINK-12.5": attests_in_clear,
    "SHOE-9.1": repeats_salts,
    "SHOE-9.2": does_not_bind_the_slot,
    "SHOE-9.3": leaves_out_a_commitment,
    "SHOE-9.4": allows_more_tries,
    "SHOE-9.6": deals_after_the_deal,
    "SHOE-9.7": reveals_before_the_deal_is_closed,
    "SHOE-9.8": writes_no_log,
    "SHOE-9.9": ends_without_an_envelope,
    "SHOE-9.10": seals_to_another_key,
    "SHOE-9.12": forgets_tries,
}


@pytest.mark.parametrize("clause", FOUND_BY)
def test_a_broken_clause_shows_and_a_kept_one_does_not(clause: str) -> None:
    """The clause in the parameter."""
    assert FOUND_BY[clause](device(clause))
    assert not FOUND_BY[clause](device(None))


def test_every_security_clause_that_can_be_broken_is_here() -> None:
    """So that a new one gets its finder."""
    chapters = ("LINK-5.9", "LINK-9.", "LINK-11.", "LINK-12.", "SHOE-9.")
    assert {clause for clause in MUTATIONS if clause.startswith(chapters)} == set(FOUND_BY)
    assert set(FOUND_BY) >= NEEDS_KEYS, "what no dialogue can show is shown here"
