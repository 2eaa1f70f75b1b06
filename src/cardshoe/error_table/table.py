"""The rows of the table. Knows nothing but rows; `meaning` says what a row holds."""

from __future__ import annotations

from typing import Final

from cardshoe.error_table.meaning import NOTE, Clears, Meaning, Severity

ROWS: Final[dict[str, Meaning]] = {
    # table: configuration, acts, alarms
    "config-syntax": Meaning(*NOTE, "The table's configuration cannot be read. Call the technician."),
    "config-key": Meaning(*NOTE, "The table's configuration has a wrong key. Call the technician."),
    "config-value": Meaning(*NOTE, "The table's configuration has a wrong value. Call the technician."),
    "config-game": Meaning(*NOTE, "The table's game or house rules are wrong. Call the technician."),
    "config-shoe-missing": Meaning(*NOTE, "The table's configuration names no shoe. Call the technician."),
    "config-port-twice": Meaning(*NOTE, "Two devices share one port. Call the technician."),
    "config-manifest": Meaning(*NOTE, "The list of approved devices is half configured. Call the technician."),
    "config-live-clear": Meaning(*NOTE, "These devices cannot open a live table. Call the technician."),
    "config-live-manifest": Meaning(*NOTE, "A live table needs its list of approved devices. Call the technician."),
    "config-live-simulated": Meaning(*NOTE, "A simulated device cannot open a live table. Call the technician."),
    "auditor-key": Meaning(*NOTE, "That is not an auditor's key. Read the text."),
    "audit-log": Meaning(*NOTE, "The log of openings cannot be written. Nothing was opened."),
    "envelope-file": Meaning(*NOTE, "That file is no envelope. Read the text."),
    "envelope-missing": Meaning(*NOTE, "There is no envelope of that round."),
    "manifest-missing": Meaning(*NOTE, "The list of approved devices is missing. Call the technician."),
    "keystore-missing": Meaning(*NOTE, "This computer has no device keys. Call the technician."),
    "keystore-open": Meaning(*NOTE, "The device keys are not private. Call the technician."),
    "keystore-damaged": Meaning(*NOTE, "A device key is damaged. Call the technician."),
    "keystore-write": Meaning(*NOTE, "The device keys cannot be written. Call the technician."),
    "keystore-busy": Meaning(*NOTE, "The device keys are being changed. Try again."),
    "key-in-use": Meaning(*NOTE, "A table deals with that device now. End it first."),
    "key-missing": Meaning(*NOTE, "That device is not paired here. Call the technician."),
    "key-ambiguous": Meaning(*NOTE, "Several devices are paired here; say which. Call the technician."),
    "device-unattested": Meaning(
        Severity.LOCKOUT, Clears.TECHNICIAN, "A device is not on the approved list. Deal nothing. Call the floor."
    ),
    "device-attestation-failed": Meaning(
        Severity.LOCKOUT, Clears.TWO_PEOPLE, "A device runs unapproved firmware. Deal nothing. Call the floor."
    ),
    "device-not-for-live": Meaning(
        Severity.LOCKOUT, Clears.TECHNICIAN, "This device is for a bench only. Deal nothing. Call the floor."
    ),
    "link-tampered": Meaning(
        Severity.HOLD, Clears.TWO_PEOPLE, "Somebody is at a device's cable. Touch nothing. Call the floor."
    ),
    "config-other-game": Meaning(*NOTE, "Another game's round is open here. Finish it first."),
    "disk-space": Meaning(Severity.HOLD, Clears.TECHNICIAN, "The disk is nearly full. No round begins. Call service."),
    "journal-past-untrusted": Meaning(
        Severity.LOCKOUT, Clears.TWO_PEOPLE, "An old record was changed. Deal nothing; call the floor."
    ),
    "journal-anchor-missing": Meaning(Severity.HOLD, Clears.FLOOR, "The journal's head file is gone. Call the floor."),
    "table-failed": Meaning(Severity.LOCKOUT, Clears.TECHNICIAN, "The table stopped. Do not deal. Call the floor."),
    "journal-unplayable": Meaning(
        Severity.LOCKOUT, Clears.TECHNICIAN, "The journal does not fit. Do not deal. Call the floor."
    ),
    "round-open": Meaning(*NOTE, "Finish the open round first."),
    "command-open": Meaning(*NOTE, "The shoe has not answered for its last stack. Wait."),
    "no-round": Meaning(*NOTE, "Open a round first."),
    "act": Meaning(*NOTE, "A device tells this; it cannot be entered."),
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
    "config-backs": Meaning(*NOTE, "The table's configuration names a back twice. Call the technician."),
    "deck-back": Meaning(*NOTE, "That is not the deck that goes in now. Look at the backs again."),
    "deck-in-play": Meaning(*NOTE, "The deck is being dealt from. Finish the deal first."),
    "declared-unconfirmed": Meaning(*NOTE, "The floor confirms the entered cards first."),
    "stub-count-when": Meaning(*NOTE, "The stub is counted at the end of a round. Follow the screen."),
    "stub-count-due": Meaning(*NOTE, "Spread and count the stub first."),
    "sign-off-count": Meaning(*NOTE, "Cards are missing or too many. Look for them and count again."),
    "signed-off": Meaning(*NOTE, "The cards were counted out. The floor opens the table anew."),
    "shoe-answers": Meaning(*NOTE, "The shoe is connected. Ask it, or pull its cable first."),
    "shoe-owes-nothing": Meaning(*NOTE, "The shoe owes no answer. Void the round, or take another shoe."),
    "table-open": Meaning(*NOTE, "The table is open already."),
    "training-already": Meaning(*NOTE, "Training is as you want it already."),
    "wager-limits": Meaning(*NOTE, "These limits cannot be set. Read the text."),
    "calibration": Meaning(*NOTE, "That cannot be entered as a calibration. Read the text."),
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
    # table: the round that the shoe keeps
    "round-not-sealed": Meaning(
        Severity.HOLD, Clears.FLOOR, "The sealed record of a round is missing. Call the floor."
    ),
    "card-not-compared": Meaning(Severity.HOLD, Clears.FLOOR, "A card could not be compared. Call the floor."),
    "card-unread": Meaning(Severity.HOLD, Clears.FLOOR, "The shoe had not read this card. Call the floor."),
    "commitment-misfit": Meaning(
        Severity.HOLD, Clears.FLOOR, "The shoe tells of a card that fits no stack. Call the floor."
    ),
    "stack-not-committed": Meaning(
        Severity.HOLD, Clears.FLOOR, "The shoe does not vouch for this stack. Call the floor."
    ),
    "envelope-wrong": Meaning(
        Severity.HOLD, Clears.TWO_PEOPLE, "The sealed record does not fit the deal. Call the floor."
    ),
    "reveal-refused": Meaning(Severity.HOLD, Clears.FLOOR, "The shoe does not tell these cards. Call the floor."),
    "reveal-not-committed": Meaning(
        Severity.HOLD, Clears.TWO_PEOPLE, "The shoe changed its word. Touch nothing. Call the floor."
    ),
    "reveal-lost": Meaning(Severity.HOLD, Clears.FLOOR, "Enter the cards by hand. Call the floor."),
    "shoe-log-wrong": Meaning(Severity.HOLD, Clears.TWO_PEOPLE, "Somebody asked the shoe for cards. Call the floor."),
    "card-compared": Meaning(*NOTE, "The shoe has compared this card. It cannot be entered otherwise."),
    "not-compared-yet": Meaning(*NOTE, "The shoe still compares the cards. Wait a moment."),
    # table: telemetry
    "telemetry-value": Meaning(*NOTE, "That may not leave the table. Nothing was sent."),
    "telemetry-archive": Meaning(*NOTE, "The archive of what is sent cannot be used. Read the text."),
    "telemetry-altered": Meaning(*NOTE, "The archive of what was sent was changed. Call the maker."),
    # table: backups and restoring
    "backup-source": Meaning(*NOTE, "A file of the table cannot be kept. Read the text."),
    "backup-to": Meaning(*NOTE, "The backup cannot be written there. Name another file."),
    "backup-file": Meaning(*NOTE, "That is no backup. Name another file."),
    "backup-truncated": Meaning(*NOTE, "The backup is not whole. Copy it again."),
    "backup-changed": Meaning(*NOTE, "The backup was changed. Take another."),
    "backup-path": Meaning(*NOTE, "That file would write elsewhere. Do not use it."),
    "backup-passphrase": Meaning(*NOTE, "That is not the passphrase of this backup."),
    "backup-unusable": Meaning(*NOTE, "No table can start on that backup. Read the text."),
    "restore-to": Meaning(*NOTE, "Nothing can be restored there. Name a new folder."),
    "passphrase": Meaning(*NOTE, "That cannot be a passphrase. Choose a longer one."),
    # table: recordable
    "entry-unrecordable": Meaning(*NOTE, "That cannot be written down. Enter it again."),
    # table: service
    "notify-socket": Meaning(*NOTE, "The table was not started as a service is. Call the technician."),
    # table: people and roles
    "config-people": Meaning(*NOTE, "The table's configuration names no people. Call the technician."),
    "people-missing": Meaning(*NOTE, "There is no list of people yet. Call the technician."),
    "people-file": Meaning(*NOTE, "The list of people cannot be read or written. Call the technician."),
    "people-mode": Meaning(*NOTE, "Others can get at the list of people. Call the technician."),
    "people-damaged": Meaning(*NOTE, "The list of people is damaged. Nobody signs in. Call the technician."),
    "people-busy": Meaning(*NOTE, "The list of people is being changed. Try again."),
    "people-full": Meaning(*NOTE, "The list of people is full. Remove who left."),
    "person-exists": Meaning(*NOTE, "Somebody has that name already. Choose another."),
    "person-unknown": Meaning(*NOTE, "Nobody has that name. Look at the list."),
    "person-name": Meaning(*NOTE, "That cannot be a name. Use letters and digits."),
    "person-key": Meaning(*NOTE, "That is no key. Read the text."),
    "pin": Meaning(*NOTE, "A PIN has 6 to 16 digits. Type it again."),
    "pin-trivial": Meaning(*NOTE, "That PIN is too easy. Choose another."),
    "sign-in-needed": Meaning(*NOTE, "Sign in first."),
    "sign-in-wrong": Meaning(*NOTE, "Name or PIN is wrong. Try again."),
    "sign-in-locked": Meaning(*NOTE, "Too many wrong tries. Wait, or call the floor."),
    "sign-in-busy": Meaning(*NOTE, "Too many people sign in at once. Try again."),
    "second-person-due": Meaning(*NOTE, "A second person has to confirm this."),
    "second-person-same": Meaning(*NOTE, "Another person has to confirm this."),
    "second-person-role": Meaning(*NOTE, "That person may not confirm this. Read the text."),
    "second-person-late": Meaning(*NOTE, "Nothing waits any more. Give the order again."),
    "people-replaced": Meaning(
        Severity.HOLD, Clears.TWO_PEOPLE, "The list of people is another one. Touch nothing. Call the floor."
    ),
}
