"""The rows of games and the round. Knows nothing but rows; `meaning` says what a row holds."""

from __future__ import annotations

from typing import Final

from cardshoe.error_table.meaning import NOTE, Clears, Meaning, Severity

ROWS: Final[dict[str, Meaning]] = {
    # games: hands
    "card-count": Meaning(*NOTE, "Wrong number of cards for a hand. Count and enter them again."),
    "duplicate-card": Meaning(*NOTE, "That card is entered already. Look again and enter the right one."),
    # games: odds
    "pay-table-row": Meaning(*NOTE, "A pay table names a hand that cannot be dealt. Call the supervisor."),
    "no-exact-odds": Meaning(*NOTE, "These odds cannot be computed exactly."),
    # games: what the house chose
    "house-key": Meaning(*NOTE, "The house's settings name an option that does not exist. Call the supervisor."),
    "house-value": Meaning(*NOTE, "The house's settings hold a value that is not offered. Call the supervisor."),
    "house-table": Meaning(*NOTE, "The pay table pays less than the regulation. Call the supervisor."),
    "house-limit": Meaning(*NOTE, "The payout limit is below the regulation's. Call the supervisor."),
    # games: clauses
    "clause-list": Meaning(*NOTE, "The product's list of clauses is damaged. Install it again."),
    # round: seats and wagers
    "position": Meaning(*NOTE, "Positions are 1 to 6. Enter it again."),
    "player": Meaning(*NOTE, "That is no player's name. Enter it again."),
    "already-seated": Meaning(*NOTE, "That player sits there already."),
    "seat-taken": Meaning(*NOTE, "That seat is taken. Choose a free position."),
    "not-seated": Meaning(*NOTE, "Only a seated player may do that."),
    "stay-seated": Meaning(*NOTE, "The player has cards and stays until the round is complete."),
    "one-position": Meaning(*NOTE, "A player may play one position only."),
    "no-wager": Meaning(*NOTE, "No such wager lies there."),
    "wager-spot": Meaning(*NOTE, "No wager is taken on that spot now. Give it back."),
    "wager-amount": Meaning(*NOTE, "That is not an amount. Enter whole cents again."),
    "wager-alone": Meaning(*NOTE, "That wager needs another beside it. Give it back."),
    "wager-required": Meaning(*NOTE, "A required wager is missing. Ask the player."),
    "wager-unequal": Meaning(*NOTE, "These two wagers must be equal. Ask the player."),
    "wager-minimum": Meaning(*NOTE, "The wager is below the minimum. Give it back."),
    "wager-maximum": Meaning(*NOTE, "The wager is above the maximum. Give the rest back."),
    "wager-inexact": Meaning(*NOTE, "That amount cannot be paid exactly. Ask for another."),
    "wager-kind": Meaning(*NOTE, "Wagers are chips, plaques or coupons."),
    "wager-lowered": Meaning(*NOTE, "A wager is not lowered. Withdraw it before no more bets."),
    "bets-closed": Meaning(*NOTE, "No more bets was said. Nothing is added or taken back."),
    "bets-open": Meaning(*NOTE, "Say no more bets before the first card."),
    "unknown-game": Meaning(*NOTE, "There is no such game. Choose one of the list."),
    "unknown-method": Meaning(*NOTE, "There is no such way of dealing. Choose one of the list."),
    # round: dealing
    "out-of-order": Meaning(*NOTE, "That step is not due. Do what the screen shows next."),
    "wrong-destination": Meaning(*NOTE, "The next card goes elsewhere. Follow the screen."),
    "wrong-count": Meaning(*NOTE, "Wrong number of cards for this step. Follow the screen."),
    "wrong-method": Meaning(*NOTE, "This table deals stacks from the shoe."),
    "cover-card-rule": Meaning(*NOTE, "Check the cover card: it is needed, or not wanted, here."),
    "stub-in-shoe": Meaning(*NOTE, "Remove the stub from the shoe first."),
    "stack-pending": Meaning(*NOTE, "A stack is on its way. Wait for it."),
    "command-used": Meaning(Severity.HOLD, Clears.FLOOR, "A stack was asked for twice. Deal nothing. Call the floor."),
    # round: decisions, settlement
    "not-asked": Meaning(*NOTE, "That position is not asked now."),
    "out-of-turn": Meaning(*NOTE, "Ask the positions in order, from your far left."),
    "action": Meaning(*NOTE, "That is not allowed here. Ask the player again."),
    "settle-order": Meaning(*NOTE, "Settle from your far right. Follow the screen."),
    "collect-first": Meaning(*NOTE, "Put the settled hand into the rack first."),
    "collected": Meaning(*NOTE, "That hand is in the rack already."),
    "not-settled": Meaning(*NOTE, "That hand stays on the table until it is settled."),
    "no-cards": Meaning(*NOTE, "There are no cards there."),
    "faces-missing": Meaning(*NOTE, "A card is not known yet. Turn it up or enter it."),
    "face-place": Meaning(*NOTE, "There is no such place for a card."),
    "face-source": Meaning(*NOTE, "A card is read or entered, nothing else."),
    "nothing-declared": Meaning(*NOTE, "No entered card waits for confirmation."),
    "nothing-to-correct": Meaning(*NOTE, "That entry can no longer be corrected. Call the floor."),
    "not-over": Meaning(*NOTE, "The round is not over. Do what the screen shows next."),
    "round-closed": Meaning(*NOTE, "That round is complete. Open the next one."),
    "event-record": Meaning(
        Severity.LOCKOUT, Clears.TECHNICIAN, "The record of a round cannot be read. Call the technician."
    ),
    "action-missing": Meaning(*NOTE, "An answer of a position is missing. Enter it."),
    # round: irregularities and holds
    "held": Meaning(*NOTE, "The round is held. Answer the open question first."),
    "irregularity": Meaning(*NOTE, "That cannot have happened now. Say what happened."),
    "ruling": Meaning(*NOTE, "That ruling does not fit. The text decides, or another question is open."),
    "no-hold": Meaning(*NOTE, "That question is not open."),
    "hold-choice": Meaning(*NOTE, "That is not one of the lawful answers."),
    "role": Meaning(*NOTE, "You may not do that. Call the one who may."),
    "reason": Meaning(*NOTE, "Say why."),
    "floor-ruling": Meaning(Severity.HOLD, Clears.FLOOR, "The rules are silent. Call the floor."),
    "stack-not-asked": Meaning(Severity.HOLD, Clears.FLOOR, "A stack came out that nobody asked for. Call the floor."),
    "stack-wrong-place": Meaning(Severity.HOLD, Clears.FLOOR, "The stack lies at the wrong place. Call the floor."),
    "stack-wrong-count": Meaning(Severity.HOLD, Clears.FLOOR, "The stack has a wrong number of cards. Call the floor."),
    "stack-unknown": Meaning(Severity.HOLD, Clears.FLOOR, "Not known whether the stack came out. Call the floor."),
    "cover-card": Meaning(Severity.HOLD, Clears.FLOOR, "The cover card may not go in now. Call the floor."),
    "stub": Meaning(Severity.HOLD, Clears.FLOOR, "The stub may not leave the shoe now. Call the floor."),
    "card-seen-twice": Meaning(
        Severity.VOID, Clears.TWO_PEOPLE, "A card was seen twice. Touch nothing. Call the floor."
    ),
    "foreign-card": Meaning(
        Severity.VOID, Clears.TWO_PEOPLE, "A card is not of this deck. Touch nothing. Call the floor."
    ),
    "card-unexpected": Meaning(Severity.HOLD, Clears.FLOOR, "A card lies face up too early. Call the floor."),
    "dealer-card-seen": Meaning(Severity.VOID, Clears.FLOOR, "A dealer's card was seen early. Call the floor."),
    "ruling-missing": Meaning(*NOTE, "The rules are silent. Enter the floor's ruling."),
}
