"""A sealed card shows its face nowhere (promise P4)."""

from __future__ import annotations

import copy
import json
import pickle

import pytest

from cardshoe.cards import DECK, Card
from cardshoe.errors import Refused
from cardshoe.sealed_card import SealedCard


def test_a_sealed_card_prints_as_nothing() -> None:
    """Every face prints, formats and compares alike."""
    sealed = [SealedCard(card) for card in DECK]
    assert {repr(each) for each in sealed} == {str(each) for each in sealed} == {"SealedCard(**)"}
    assert {f"{each}" for each in sealed} | {f"{each:>9}" for each in sealed} == {"**"}
    assert SealedCard(Card("As")) != SealedCard(Card("As"))
    assert not hasattr(sealed[0], "__dict__")


def test_a_sealed_card_is_never_stored_or_copied() -> None:
    """No pickle, no copy, no JSON."""
    sealed = SealedCard(Card("As"))
    for store in (pickle.dumps, copy.copy, copy.deepcopy, json.dumps):
        with pytest.raises(TypeError) as caught:
            store(sealed)  # type: ignore[operator]
        assert "As" not in str(caught.value)


def test_the_face_comes_out_where_the_rules_turn_it_up() -> None:
    """Once the card lies face up, and not before."""
    sealed = SealedCard(Card("As"))
    with pytest.raises(Refused) as caught:
        sealed.reveal(lies_face_up=False)
    assert caught.value.code == "sealed"
    assert "As" not in caught.value.text
    assert sealed.reveal(lies_face_up=True) is Card("As")
