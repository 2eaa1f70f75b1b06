"""What each stable error code means: severity, who may clear it, what the dealer is told.

Owns the table; a test compares it with every code that the source raises. Codes are never reused for another meaning.
Texts for the dealer are short enough for an 800 × 480 screen and say what to do.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final


class Severity(Enum):
    """How far an error reaches: from a note to a machine that must not deal again."""

    NOTE = "note"
    ADVISE = "advise"
    HOLD = "hold"
    VOID = "void"
    LOCKOUT = "lockout"


class Clears(Enum):
    """Who may clear it."""

    NOBODY_NEEDED = "nobody needed"
    DEALER = "dealer"
    FLOOR = "floor"
    TWO_PEOPLE = "floor and a second person"
    TECHNICIAN = "technician"


@dataclass(frozen=True, slots=True)
class Meaning:
    """One row of the table."""

    severity: Severity
    clears: Clears
    dealer_text: str


_NOTE = (Severity.NOTE, Clears.NOBODY_NEEDED)
_SETUP = (Severity.HOLD, Clears.TECHNICIAN)  # a port that cannot be had: nothing is dealt until it is set right
_LINE = (Severity.HOLD, Clears.FLOOR)  # a device that was lost: what it was doing may have to be ruled on

ERROR_TABLE: Final[dict[str, Meaning]] = {
    # leaves: cards, money
    "card-spelling": Meaning(*_NOTE, "That is not a card. Enter rank and suit again."),
    "amount": Meaning(*_NOTE, "That is not an amount. Enter whole cents again."),
    # wire, link, devices: protocol files, sessions with a device
    "protocol-unknown": Meaning(*_SETUP, "Unknown device protocol. Call the technician."),
    "protocol-broken": Meaning(*_SETUP, "Installation is damaged. Call the technician."),
    "device-silent": Meaning(*_LINE, "Device does not answer. Check that it is on."),
    "device-noise": Meaning(*_SETUP, "Not a device of ours, or a bad line. Call the technician."),
    "device-starting": Meaning(*_LINE, "Device is still starting. Wait, then connect again."),
    "device-other-kind": Meaning(*_SETUP, "Shoe and reader are swapped. Call the technician."),
    "device-other-version": Meaning(*_SETUP, "Device has other software. Call the technician."),
    "device-other-model": Meaning(*_SETUP, "Another model is connected. Call the technician."),
    "device-other-serial": Meaning(*_SETUP, "Another device is connected. Call the technician."),
    "device-wants-sealed": Meaning(*_SETUP, "Device refuses a bench session. Call the technician."),
    "device-refuses-purpose": Meaning(*_SETUP, "Device is not free for this. Call the technician."),
    "device-absurd": Meaning(*_SETUP, "Device breaks the protocol. Call the technician."),
    "device-lost-silence": Meaning(*_LINE, "Device fell silent. Deal nothing. Check cable and power."),
    "device-lost-session": Meaning(*_LINE, "Device forgot the session. Deal nothing. Connect again."),
    "device-lost-restart": Meaning(*_LINE, "Device restarted. Deal nothing. Call the floor."),
    "device-lost-unanswered": Meaning(*_LINE, "Device gave no answer. Deal nothing. Call the floor."),
    "device-lost-out-of-step": Meaning(*_LINE, "Device is out of step. Deal nothing. Call the floor."),
    "device-lost-port": Meaning(*_LINE, "Device is gone. Deal nothing. Check cable and power."),
    "device-closed": Meaning(*_NOTE, "Device was disconnected."),
    # transport: ports, device URLs, wire trace
    "device-url": Meaning(*_SETUP, "Device URL is wrong. Call the technician."),
    "simulated-device-refused": Meaning(*_SETUP, "Simulated device refused. Call the technician."),
    "trace-file": Meaning(*_SETUP, "Wire trace cannot be written. Call the technician."),
    "transport-started": Meaning(*_SETUP, "Connection used twice. Call the technician."),
    "transport-closed": Meaning(*_SETUP, "Connection was closed. Connect again."),
    "transport-overflow": Meaning(*_LINE, "Device takes no commands. Deal nothing. Call the floor."),
    "port-missing": Meaning(*_LINE, "Device is not plugged in. Check cable and power."),
    "port-busy": Meaning(*_SETUP, "Device is used by another program. Call the technician."),
    "port-denied": Meaning(*_SETUP, "No access to the device. Call the technician."),
    "port-not-a-tty": Meaning(*_SETUP, "Wrong device path. Call the technician."),
    "port-vanished": Meaning(*_SETUP, "Device comes and goes. Check the cable. Call the technician."),
    "port-no-descriptor": Meaning(*_SETUP, "Too many files are open. Call the technician."),
    "port-unusable": Meaning(*_SETUP, "Device cannot be opened. Plug it in again."),
    "port-lost": Meaning(*_LINE, "Device is gone. Deal nothing. Check cable and power."),
    "tcp-refused": Meaning(*_LINE, "Device does not answer. Check that it is on."),
    "tcp-timeout": Meaning(*_LINE, "Device does not answer. Check that it is on."),
    "tcp-unknown-host": Meaning(*_SETUP, "Device address is unknown. Call the technician."),
    "tcp-unreachable": Meaning(*_LINE, "Device cannot be reached. Check the network cable."),
    "tcp-lost": Meaning(*_LINE, "Device is gone. Deal nothing. Check the network cable."),
    "memory-lost": Meaning(*_LINE, "Device is gone. Deal nothing."),
    "usb-no-backend": Meaning(*_SETUP, "USB does not work here. Call the technician."),
    "usb-missing": Meaning(*_LINE, "Device is not plugged in. Check cable and power."),
    "usb-ambiguous": Meaning(*_SETUP, "Two devices look the same. Unplug one."),
    "usb-no-bulk-interface": Meaning(*_SETUP, "Not a shoe or reader of ours. Call the technician."),
    "usb-denied": Meaning(*_SETUP, "No access to the device. Call the technician."),
    "usb-busy": Meaning(*_SETUP, "Device is used by another program. Call the technician."),
    "usb-lost": Meaning(*_LINE, "Device is gone. Deal nothing. Check cable and power."),
    "usb-stalled": Meaning(*_LINE, "Device refuses to talk. Switch it off and on."),
    "usb-overflow": Meaning(*_LINE, "Device sent too much. Connect again."),
    "usb-bus-fault": Meaning(*_LINE, "USB line is bad. Check the cable."),
    "usb-stuck": Meaning(*_LINE, "Device takes no commands. Switch it off and on."),
    "usb-failed": Meaning(*_LINE, "USB failed. Plug the device in again."),
    # games: hands
    "card-count": Meaning(*_NOTE, "Wrong number of cards for a hand. Count and enter them again."),
    "duplicate-card": Meaning(*_NOTE, "That card is entered already. Look again and enter the right one."),
    # games: odds
    "pay-table-row": Meaning(*_NOTE, "A pay table names a hand that cannot be dealt. Call the supervisor."),
    "no-exact-odds": Meaning(*_NOTE, "These odds cannot be computed exactly."),
    # games: what the house chose
    "house-key": Meaning(*_NOTE, "The house's settings name an option that does not exist. Call the supervisor."),
    "house-value": Meaning(*_NOTE, "The house's settings hold a value that is not offered. Call the supervisor."),
    "house-table": Meaning(*_NOTE, "The pay table pays less than the regulation. Call the supervisor."),
    "house-limit": Meaning(*_NOTE, "The payout limit is below the regulation's. Call the supervisor."),
    # games: clauses
    "clause-list": Meaning(*_NOTE, "The product's list of clauses is damaged. Install it again."),
    # round: seats and wagers
    "position": Meaning(*_NOTE, "Positions are 1 to 6. Enter it again."),
    "player": Meaning(*_NOTE, "That is no player's name. Enter it again."),
    "already-seated": Meaning(*_NOTE, "That player sits there already."),
    "seat-taken": Meaning(*_NOTE, "That seat is taken. Choose a free position."),
    "not-seated": Meaning(*_NOTE, "Only a seated player may do that."),
    "stay-seated": Meaning(*_NOTE, "The player has cards and stays until the round is complete."),
    "one-position": Meaning(*_NOTE, "A player may play one position only."),
    "no-wager": Meaning(*_NOTE, "No such wager lies there."),
    "wager-spot": Meaning(*_NOTE, "No wager is taken on that spot now. Give it back."),
    "wager-amount": Meaning(*_NOTE, "That is not an amount. Enter whole cents again."),
    "wager-alone": Meaning(*_NOTE, "That wager needs another beside it. Give it back."),
    "wager-required": Meaning(*_NOTE, "A required wager is missing. Ask the player."),
    "wager-unequal": Meaning(*_NOTE, "These two wagers must be equal. Ask the player."),
    "wager-minimum": Meaning(*_NOTE, "The wager is below the minimum. Give it back."),
    "wager-maximum": Meaning(*_NOTE, "The wager is above the maximum. Give the rest back."),
    "wager-inexact": Meaning(*_NOTE, "That amount cannot be paid exactly. Ask for another."),
    "wager-kind": Meaning(*_NOTE, "Wagers are chips, plaques or coupons."),
    "wager-lowered": Meaning(*_NOTE, "A wager is not lowered. Withdraw it before no more bets."),
    "bets-closed": Meaning(*_NOTE, "No more bets was said. Nothing is added or taken back."),
    "bets-open": Meaning(*_NOTE, "Say no more bets before the first card."),
    "unknown-game": Meaning(*_NOTE, "There is no such game. Choose one of the list."),
    "unknown-method": Meaning(*_NOTE, "There is no such way of dealing. Choose one of the list."),
    # round: dealing
    "out-of-order": Meaning(*_NOTE, "That step is not due. Do what the screen shows next."),
    "wrong-destination": Meaning(*_NOTE, "The next card goes elsewhere. Follow the screen."),
    "wrong-count": Meaning(*_NOTE, "Wrong number of cards for this step. Follow the screen."),
    "wrong-method": Meaning(*_NOTE, "This table deals stacks from the shoe."),
    "cover-card-rule": Meaning(*_NOTE, "Check the cover card: it is needed, or not wanted, here."),
    "stub-in-shoe": Meaning(*_NOTE, "Remove the stub from the shoe first."),
    "stack-pending": Meaning(*_NOTE, "A stack is on its way. Wait for it."),
    "command-used": Meaning(Severity.HOLD, Clears.FLOOR, "A stack was asked for twice. Deal nothing. Call the floor."),
    # round: decisions, settlement
    "not-asked": Meaning(*_NOTE, "That position is not asked now."),
    "out-of-turn": Meaning(*_NOTE, "Ask the positions in order, from your far left."),
    "action": Meaning(*_NOTE, "That is not allowed here. Ask the player again."),
    "settle-order": Meaning(*_NOTE, "Settle from your far right. Follow the screen."),
    "collect-first": Meaning(*_NOTE, "Put the settled hand into the rack first."),
    "collected": Meaning(*_NOTE, "That hand is in the rack already."),
    "not-settled": Meaning(*_NOTE, "That hand stays on the table until it is settled."),
    "no-cards": Meaning(*_NOTE, "There are no cards there."),
    "faces-missing": Meaning(*_NOTE, "A card is not known yet. Turn it up or enter it."),
    "face-place": Meaning(*_NOTE, "There is no such place for a card."),
    "face-source": Meaning(*_NOTE, "A card is read or entered, nothing else."),
    "nothing-declared": Meaning(*_NOTE, "No entered card waits for confirmation."),
    "nothing-to-correct": Meaning(*_NOTE, "That entry can no longer be corrected. Call the floor."),
    "not-over": Meaning(*_NOTE, "The round is not over. Do what the screen shows next."),
    "round-closed": Meaning(*_NOTE, "That round is complete. Open the next one."),
    "sealed": Meaning(Severity.HOLD, Clears.FLOOR, "A hidden card was asked for. Call the floor."),
    "event-record": Meaning(
        Severity.LOCKOUT, Clears.TECHNICIAN, "The record of a round cannot be read. Call the technician."
    ),
    "action-missing": Meaning(*_NOTE, "An answer of a position is missing. Enter it."),
    # round: irregularities and holds
    "held": Meaning(*_NOTE, "The round is held. Answer the open question first."),
    "irregularity": Meaning(*_NOTE, "That cannot have happened now. Say what happened."),
    "ruling": Meaning(*_NOTE, "That ruling does not fit. The text decides, or another question is open."),
    "no-hold": Meaning(*_NOTE, "That question is not open."),
    "hold-choice": Meaning(*_NOTE, "That is not one of the lawful answers."),
    "role": Meaning(*_NOTE, "You may not do that. Call the one who may."),
    "reason": Meaning(*_NOTE, "Say why."),
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
    "ruling-missing": Meaning(*_NOTE, "The rules are silent. Enter the floor's ruling."),
    # journal
    "journal-missing": Meaning(*_NOTE, "There is no journal there. Check the path."),
    "journal-directory": Meaning(*_NOTE, "The journal's directory is missing. Make it first."),
    "journal-in-use": Meaning(
        Severity.LOCKOUT, Clears.TECHNICIAN, "The journal is open elsewhere. Stop the other program."
    ),
    "journal-damaged": Meaning(
        Severity.LOCKOUT, Clears.TECHNICIAN, "The journal is damaged. Deal nothing; call the floor."
    ),
    "journal-altered": Meaning(
        Severity.LOCKOUT, Clears.TWO_PEOPLE, "The journal was altered. Deal nothing; call the floor."
    ),
    "journal-untrusted": Meaning(
        Severity.LOCKOUT, Clears.TWO_PEOPLE, "The journal cannot be trusted. Deal nothing; call the floor."
    ),
    "journal-moved": Meaning(Severity.LOCKOUT, Clears.TWO_PEOPLE, "The journal was taken away. Deal nothing."),
    "journal-no-descriptor": Meaning(Severity.LOCKOUT, Clears.TECHNICIAN, "Too many files are open. Deal nothing."),
    "journal-gone": Meaning(Severity.LOCKOUT, Clears.TWO_PEOPLE, "The journal is gone. Deal nothing; call the floor."),
    "journal-anchor": Meaning(
        Severity.LOCKOUT, Clears.TWO_PEOPLE, "The journal's anchor is bad. Deal nothing; call the floor."
    ),
    "journal-key": Meaning(
        Severity.LOCKOUT, Clears.TECHNICIAN, "The journal's key cannot be used. Call the technician."
    ),
    "journal-newer": Meaning(
        Severity.LOCKOUT, Clears.TECHNICIAN, "The journal is of a newer program. Call the technician."
    ),
    "journal-unopenable": Meaning(
        Severity.LOCKOUT, Clears.TECHNICIAN, "The journal cannot be opened. Call the technician."
    ),
    "journal-read-only": Meaning(
        Severity.LOCKOUT, Clears.TECHNICIAN, "The disk takes no more records. Stop; call the floor."
    ),
    "journal-full": Meaning(Severity.LOCKOUT, Clears.TECHNICIAN, "The disk is full. Stop dealing; call the floor."),
    "journal-space": Meaning(Severity.LOCKOUT, Clears.TECHNICIAN, "Too little room on the disk. Call the technician."),
    "journal-disk": Meaning(Severity.LOCKOUT, Clears.TECHNICIAN, "The disk failed. Stop dealing; call the floor."),
    "journal-stopped": Meaning(
        Severity.LOCKOUT, Clears.TECHNICIAN, "Nothing is recorded any more. Stop; call the floor."
    ),
    "journal-close-timeout": Meaning(
        Severity.LOCKOUT, Clears.TECHNICIAN, "The disk did not answer. Call the technician."
    ),
    "journal-entry": Meaning(Severity.LOCKOUT, Clears.TECHNICIAN, "A record could not be made. Stop; call the floor."),
    "journal-record": Meaning(
        Severity.LOCKOUT, Clears.TWO_PEOPLE, "A record cannot be read. Deal nothing; call the floor."
    ),
    # table: configuration, acts, alarms
    "config-syntax": Meaning(*_NOTE, "The table's configuration cannot be read. Call the technician."),
    "config-key": Meaning(*_NOTE, "The table's configuration has a wrong key. Call the technician."),
    "config-value": Meaning(*_NOTE, "The table's configuration has a wrong value. Call the technician."),
    "config-game": Meaning(*_NOTE, "The table's game or house rules are wrong. Call the technician."),
    "config-shoe-missing": Meaning(*_NOTE, "The table's configuration names no shoe. Call the technician."),
    "config-port-twice": Meaning(*_NOTE, "Two devices share one port. Call the technician."),
    "config-live-unavailable": Meaning(*_NOTE, "These devices cannot open a live table. Call the technician."),
    "config-other-game": Meaning(*_NOTE, "Another game's round is open here. Finish it first."),
    "disk-space": Meaning(Severity.HOLD, Clears.TECHNICIAN, "The disk is nearly full. No round begins. Call service."),
    "journal-past-untrusted": Meaning(
        Severity.LOCKOUT, Clears.TWO_PEOPLE, "An old record was changed. Deal nothing; call the floor."
    ),
    "journal-anchor-missing": Meaning(Severity.HOLD, Clears.FLOOR, "The journal's head file is gone. Call the floor."),
    "table-failed": Meaning(Severity.LOCKOUT, Clears.TECHNICIAN, "The table stopped. Do not deal. Call the floor."),
    "journal-unplayable": Meaning(
        Severity.LOCKOUT, Clears.TECHNICIAN, "The journal does not fit. Do not deal. Call the floor."
    ),
    "round-open": Meaning(*_NOTE, "Finish the open round first."),
    "no-round": Meaning(*_NOTE, "Open a round first."),
    "act": Meaning(*_NOTE, "A device tells this; it cannot be entered."),
    "events-lost": Meaning(Severity.HOLD, Clears.FLOOR, "Reports were lost. Touch nothing. Call the floor."),
    "report-not-understood": Meaning(
        Severity.HOLD, Clears.TECHNICIAN, "A device says something unknown. Call the floor."
    ),
    "report-misfit": Meaning(Severity.HOLD, Clears.FLOOR, "A device's report does not fit the round. Call the floor."),
    "device-changed": Meaning(
        Severity.HOLD, Clears.TWO_PEOPLE, "Another device stands in this one's place. Call the floor."
    ),
    "shoe-door-opened": Meaning(
        Severity.VOID, Clears.FLOOR, "The shoe's door was opened. Touch nothing. Call the floor."
    ),
    "shoe-restarted": Meaning(
        Severity.HOLD, Clears.FLOOR, "The shoe restarted in mid-deal. Touch nothing. Call the floor."
    ),
    "shoe-mode": Meaning(Severity.HOLD, Clears.FLOOR, "The shoe is not in deal mode. Call the floor."),
    "cover-card-unexpected": Meaning(Severity.HOLD, Clears.FLOOR, "A cover card came out unasked. Call the floor."),
    "shoe-fault-dealer": Meaning(
        Severity.HOLD, Clears.DEALER, "The shoe needs your hand. Read the text, then clear it."
    ),
    "shoe-fault-floor": Meaning(Severity.HOLD, Clears.FLOOR, "The shoe has a fault. Touch nothing. Call the floor."),
    "shoe-fault-two-people": Meaning(
        Severity.HOLD, Clears.TWO_PEOPLE, "A wrong card was seen. Touch nothing. Call the floor."
    ),
    "shoe-fault-technician": Meaning(Severity.LOCKOUT, Clears.TECHNICIAN, "The shoe needs service. Call the floor."),
    "reader-fault": Meaning(Severity.HOLD, Clears.FLOOR, "The card reader has a fault. Call the floor."),
    "stack-overdue": Meaning(Severity.HOLD, Clears.FLOOR, "The stack does not come. Touch nothing. Call the floor."),
    "stack-refused": Meaning(Severity.HOLD, Clears.FLOOR, "The shoe refuses to deal. Call the floor."),
    "stack-incomplete": Meaning(Severity.HOLD, Clears.FLOOR, "The stack is not complete. Leave it. Call the floor."),
    "slot-used-twice": Meaning(
        Severity.HOLD, Clears.TWO_PEOPLE, "The shoe counts a card twice. Touch nothing. Call the floor."
    ),
    "deck-changed": Meaning(Severity.HOLD, Clears.FLOOR, "The deck is not the one of this round. Call the floor."),
    "deck-rejected": Meaning(Severity.VOID, Clears.FLOOR, "The deck is wrong. Take it out. Call the floor."),
    "deck-rejected-identity": Meaning(
        Severity.VOID, Clears.TWO_PEOPLE, "The deck has a wrong card. Take it out. Call the floor."
    ),
    "shoe-door-open": Meaning(Severity.ADVISE, Clears.DEALER, "Close the shoe's door."),
    "gate-occupied": Meaning(Severity.ADVISE, Clears.DEALER, "Take the cards out of the shoe's gate."),
    "shoe-faulted": Meaning(Severity.ADVISE, Clears.DEALER, "The shoe's fault is being cleared."),
    "shoe-inhibited": Meaning(Severity.ADVISE, Clears.DEALER, "The shoe is being released."),
    "deck-not-ready": Meaning(Severity.ADVISE, Clears.DEALER, "Load the deck and wait until it is verified."),
    # table: decks, counts, machines
    "config-backs": Meaning(*_NOTE, "The table's configuration names a back twice. Call the technician."),
    "deck-back": Meaning(*_NOTE, "That is not the deck that goes in now. Look at the backs again."),
    "deck-in-play": Meaning(*_NOTE, "The deck is being dealt from. Finish the deal first."),
    "declared-unconfirmed": Meaning(*_NOTE, "The floor confirms the entered cards first."),
    "stub-count-when": Meaning(*_NOTE, "The stub is counted at the end of a round. Follow the screen."),
    "stub-count-due": Meaning(*_NOTE, "Spread and count the stub first."),
    "sign-off-count": Meaning(*_NOTE, "Cards are missing or too many. Look for them and count again."),
    "signed-off": Meaning(*_NOTE, "The cards were counted out. Open the table anew."),
    "calibration": Meaning(*_NOTE, "That cannot be entered as a calibration. Read the text."),
    "deck-back-unknown": Meaning(Severity.ADVISE, Clears.DEALER, "Say which deck lies in the shoe."),
    "deck-set-aside": Meaning(Severity.ADVISE, Clears.FLOOR, "This deck is set aside. Call the floor."),
    "deck-worn-out": Meaning(Severity.ADVISE, Clears.FLOOR, "This deck has been dealt often enough. Call the floor."),
    "deck-recount": Meaning(Severity.ADVISE, Clears.DEALER, "The shoe's cards are being counted. Wait."),
    "cover-card-due": Meaning(Severity.ADVISE, Clears.DEALER, "Put the cover card into the shoe."),
    "deck-not-proved": Meaning(
        Severity.VOID, Clears.FLOOR, "The deck cannot be counted. Deal nothing. Call the floor."
    ),
    "cards-unaccounted": Meaning(
        Severity.VOID, Clears.FLOOR, "The cards do not add up. Touch nothing. Call the floor."
    ),
    "deck-design-unknown": Meaning(
        Severity.VOID, Clears.FLOOR, "The shoe does not know this card design. Change the deck. Call the floor."
    ),
    "deck-doubted": Meaning(Severity.HOLD, Clears.FLOOR, "The deck is in doubt. Count it. Call the floor."),
    "stop-asked": Meaning(Severity.HOLD, Clears.FLOOR, "The shoe was stopped. Call the floor."),
    "stub-count-wrong": Meaning(
        Severity.HOLD, Clears.TWO_PEOPLE, "The stub's count is wrong. Touch nothing. Call the floor."
    ),
    "cards-inside": Meaning(Severity.HOLD, Clears.FLOOR, "Cards were left in the shoe. Take them out. Call the floor."),
    "deck-overdue": Meaning(Severity.HOLD, Clears.FLOOR, "The deck is not ready in time. Call the floor."),
    "shoe-does-not-answer": Meaning(
        Severity.HOLD, Clears.FLOOR, "The shoe is connected and does not answer. Call the floor."
    ),
    "device-firmware-changed": Meaning(
        Severity.LOCKOUT, Clears.TWO_PEOPLE, "A device has other firmware than before. Pull it out. Call the floor."
    ),
    # table: recordable
    "entry-unrecordable": Meaning(*_NOTE, "That cannot be written down. Enter it again."),
    # lab: robots, simulated worlds as processes, demo
    "hands-refused": Meaning(*_NOTE, "That cannot be done at the table now. Look again."),
    "hands-missing": Meaning(*_SETUP, "The simulated table does not answer. Start it first."),
    "hands-lost": Meaning(*_LINE, "The simulated table is gone. Start it again."),
    "world-setup": Meaning(*_SETUP, "The simulated devices cannot be set up so. Correct the options."),
    "world-not-ready": Meaning(*_SETUP, "The simulated devices did not start. Call the technician."),
    "world-ended": Meaning(*_LINE, "The simulated devices have ended. Start again on the same journal."),
    "journal-other-table": Meaning(
        Severity.LOCKOUT, Clears.TECHNICIAN, "This is another table's journal. Deal nothing; call the technician."
    ),
    "table-stuck": Meaning(*_LINE, "Nothing moves any more. Deal nothing. Call the floor."),
    "no-strategy": Meaning(*_NOTE, "This game cannot be simulated."),
    # lab: bench
    "bench-peer": Meaning(*_NOTE, "A process of the measurement did not start. Run it by itself."),
    "bench-round": Meaning(*_NOTE, "A round of the measurement went wrong. Nothing was measured."),
    "bench-table": Meaning(*_NOTE, "The table of the measurement stands still. Nothing was measured."),
    # lab: simulation
    "table-restarted": Meaning(*_NOTE, "The table was restarted. Look at what it shows now."),
    # cli: settle, plan, rehearse: lines and their fields
    "no-lines": Meaning(*_NOTE, "There is nothing to read. Give one line or more."),
    "no-output": Meaning(*_NOTE, "The answers cannot be written. Make room and ask again."),
    "no-file": Meaning(*_NOTE, "That file cannot be read. Name another."),
    "line-too-long": Meaning(*_NOTE, "A line is too long to be read."),
    "line-not-utf8": Meaning(*_NOTE, "A line is not text in UTF-8."),
    "line-not-json": Meaning(*_NOTE, "A line is not JSON."),
    "line-not-object": Meaning(*_NOTE, "A line is not an object."),
    "line-duplicate-key": Meaning(*_NOTE, "A line has a key twice."),
    "line-nested": Meaning(*_NOTE, "A line is nested too deeply."),
    "line-id": Meaning(*_NOTE, "A line's id cannot be repeated in an answer."),
    "unknown-key": Meaning(*_NOTE, "A line has a key that is not known."),
    "missing-key": Meaning(*_NOTE, "A line lacks a key."),
    "field-type": Meaning(*_NOTE, "A field holds another kind of value."),
    "unknown-op": Meaning(*_NOTE, "There is no such operation."),
    "irregularity-kind": Meaning(*_NOTE, "There is no such kind of irregularity."),
    # cli: sim
    "sim-setup": Meaning(*_NOTE, "The simulated table cannot be set up. Read the text and start it again."),
    # cli: clauses
    "clauses-file": Meaning(*_NOTE, "A file that should name clauses cannot be read."),
    "clauses-tests": Meaning(*_NOTE, "There are no tests there. Check the folder."),
    "clauses-page": Meaning(*_NOTE, "The page cannot be written there. Name another file."),
    # cli: bench
    "bench-group": Meaning(*_NOTE, "There is no such group of measurements. Check the name."),
    "bench-directory": Meaning(*_NOTE, "Nothing can be written there. Name another folder."),
    # cli: odds
    "too-few-rounds": Meaning(*_NOTE, "Simulate more rounds."),
    "house-json": Meaning(*_NOTE, "The house's choices cannot be read. Write them as JSON."),
    # cli: journal
    "journal-public-key": Meaning(*_NOTE, "That is not a public key. Give 64 hex digits."),
    "journal-export": Meaning(*_NOTE, "The journal cannot be exported there. Name another file."),
    "journal-round": Meaning(*_NOTE, "The journal has no such round. Check its number."),
    "journal-reason": Meaning(*_NOTE, "That is no reason for a head. Use letters and dashes."),
    "journal-archive": Meaning(*_NOTE, "The journal cannot be continued there. Check the choice."),
    # cli: run
    "config-file": Meaning(*_NOTE, "The configuration cannot be read. Call the technician."),
    # cli: simulate
    "simulate-option": Meaning(*_NOTE, "The simulation cannot run with these options. Correct them."),
    # cli: demo
    "demo-option": Meaning(*_SETUP, "The demo cannot run with these options. Correct them."),
}
