"""The rows of the console, the laboratory and the commands. Knows nothing but rows; `meaning` says what a row holds."""

from __future__ import annotations

from typing import Final

from cardshoe.error_table.meaning import LINE, NOTE, SETUP, Clears, Meaning, Severity

ROWS: Final[dict[str, Meaning]] = {
    # console: addresses, requests, sessions
    "console-address": Meaning(*SETUP, "The console cannot listen there. Call the technician."),
    "console-tls": Meaning(*SETUP, "The console's certificate cannot be used. Call the technician."),
    "console-host": Meaning(*NOTE, "This console has another address. Use the one that it told."),
    "console-origin": Meaning(*NOTE, "Another page wanted to act here. It was refused."),
    "console-rate": Meaning(*NOTE, "Too much at once. Wait a second and try again."),
    "console-body-size": Meaning(*NOTE, "That is too large to be sent."),
    "console-slow": Meaning(*NOTE, "The request did not come in time. Try again."),
    "console-body": Meaning(*NOTE, "What was sent cannot be read."),
    "console-query": Meaning(*NOTE, "The question cannot be read. Correct it."),
    "console-path": Meaning(*NOTE, "There is no such page. Go back."),
    "console-method": Meaning(*NOTE, "That page is used in another way. Go back."),
    "console-signed-out": Meaning(*NOTE, "You are not signed in any more. Load the page again."),
    "console-token": Meaning(*NOTE, "The page is out of date. Load it again."),
    "console-no-people": Meaning(*NOTE, "Nobody signs in at this bench."),
    "console-busy": Meaning(*NOTE, "The journal is being looked at already. Wait."),
    # lab: robots, simulated worlds as processes, demo
    "hands-refused": Meaning(*NOTE, "That cannot be done at the table now. Look again."),
    "hands-missing": Meaning(*SETUP, "The simulated table does not answer. Start it first."),
    "hands-lost": Meaning(*LINE, "The simulated table is gone. Start it again."),
    "world-setup": Meaning(*SETUP, "The simulated devices cannot be set up so. Correct the options."),
    "world-not-ready": Meaning(*SETUP, "The simulated devices did not start. Call the technician."),
    "world-ended": Meaning(*LINE, "The simulated devices have ended. Start again on the same journal."),
    "journal-other-table": Meaning(
        Severity.LOCKOUT, Clears.TECHNICIAN, "This is another table's journal. Deal nothing; call the technician."
    ),
    "table-stuck": Meaning(*LINE, "Nothing moves any more. Deal nothing. Call the floor."),
    "no-such-trial": Meaning(*NOTE, "There is no such fault to try."),
    "no-strategy": Meaning(*NOTE, "This game cannot be simulated."),
    # lab: bench
    "bench-peer": Meaning(*NOTE, "A process of the measurement did not start. Run it by itself."),
    "bench-round": Meaning(*NOTE, "A round of the measurement went wrong. Nothing was measured."),
    "bench-table": Meaning(*NOTE, "The table of the measurement stands still. Nothing was measured."),
    # lab: simulation
    "table-restarted": Meaning(*NOTE, "The table was restarted. Look at what it shows now."),
    # lab: conformance and the hardware bench
    "conform-vectors": Meaning(*NOTE, "The conformance vectors are missing. Install cardshoe again."),
    "evidence-key": Meaning(*NOTE, "The signing key cannot be used. Name another."),
    "evidence-folder": Meaning(*NOTE, "There is no evidence that can be read. Name its folder."),
    "bench-file": Meaning(*NOTE, "The bench file cannot be read. Correct the key that is named."),
    # cli: settle, plan, rehearse: lines and their fields
    "no-lines": Meaning(*NOTE, "There is nothing to read. Give one line or more."),
    "no-output": Meaning(*NOTE, "The answers cannot be written. Make room and ask again."),
    "no-file": Meaning(*NOTE, "That file cannot be read. Name another."),
    "line-too-long": Meaning(*NOTE, "A line is too long to be read."),
    "line-not-utf8": Meaning(*NOTE, "A line is not text in UTF-8."),
    "line-not-json": Meaning(*NOTE, "A line is not JSON."),
    "line-not-object": Meaning(*NOTE, "A line is not an object."),
    "line-duplicate-key": Meaning(*NOTE, "A line has a key twice."),
    "line-nested": Meaning(*NOTE, "A line is nested too deeply."),
    "line-id": Meaning(*NOTE, "A line's id cannot be repeated in an answer."),
    "unknown-key": Meaning(*NOTE, "A line has a key that is not known."),
    "missing-key": Meaning(*NOTE, "A line lacks a key."),
    "field-type": Meaning(*NOTE, "A field holds another kind of value."),
    "unknown-op": Meaning(*NOTE, "There is no such operation."),
    "irregularity-kind": Meaning(*NOTE, "There is no such kind of irregularity."),
    # cli: sim
    "sim-setup": Meaning(*NOTE, "The simulated table cannot be set up. Read the text and start it again."),
    # cli: conform
    "conform-kind": Meaning(*NOTE, "Say which kind of device it is."),
    "conform-clause": Meaning(*NOTE, "There is no such clause to be asked for. Check its id."),
    # cli: clauses
    "clauses-file": Meaning(*NOTE, "A file that should name clauses cannot be read."),
    "clauses-tests": Meaning(*NOTE, "There are no tests there. Check the folder."),
    "clauses-page": Meaning(*NOTE, "The page cannot be written there. Name another file."),
    # cli: bench
    "bench-group": Meaning(*NOTE, "There is no such group of measurements. Check the name."),
    "bench-directory": Meaning(*NOTE, "Nothing can be written there. Name another folder."),
    # cli: odds
    "too-few-rounds": Meaning(*NOTE, "Simulate more rounds."),
    "house-json": Meaning(*NOTE, "The house's choices cannot be read. Write them as JSON."),
    # cli: people, run --as
    "pin-entry": Meaning(*NOTE, "A PIN cannot be typed here. Read the text."),
    "key-file": Meaning(*NOTE, "The key file cannot be used. Read the text."),
    "people-as": Meaning(*NOTE, "Say who signs for this. Read the text."),
    # cli: pair, unpair
    "pair-role": Meaning(*NOTE, "That is no role or kind. Read the text."),
    "pair-name": Meaning(*NOTE, "That name does not fit. Read the text."),
    "label-entry": Meaning(*NOTE, "The label secret could not be entered. Read the text."),
    "unpair-where": Meaning(*NOTE, "Say where to unpair: --url or --only-here."),
    # cli: journal
    "journal-public-key": Meaning(*NOTE, "That is not a public key. Give 64 hex digits."),
    "journal-export": Meaning(*NOTE, "The journal cannot be exported there. Name another file."),
    "journal-round": Meaning(*NOTE, "The journal has no such round. Check its number."),
    "journal-reason": Meaning(*NOTE, "That is no reason for a head. Use letters and dashes."),
    "journal-accept": Meaning(*NOTE, "The journal is the right one. Just start."),
    "journal-archive": Meaning(*NOTE, "The journal cannot be continued there. Check the choice."),
    # cli: backup, restore
    "passphrase-entry": Meaning(*NOTE, "The passphrase cannot be had. Read the text."),
    # cli: report
    "report-period": Meaning(*NOTE, "The journal has no such shift or day. Read the text."),
    # cli: config, run
    "config-exists": Meaning(*NOTE, "That file is there already. Name another."),
    "config-file": Meaning(*NOTE, "The configuration cannot be read. Call the technician."),
    "log-file": Meaning(*SETUP, "The log cannot be written there. Call the technician."),
    # cli: install, uninstall
    "install-root": Meaning(*NOTE, "There is no system there to install into. Check --root."),
    "install-user": Meaning(*NOTE, "The table cannot run as that user. Name another."),
    "install-program": Meaning(*NOTE, "A service cannot start that Python. Read the text."),
    "install-file": Meaning(*NOTE, "A file of the installation cannot be used. Read the text."),
    "install-stop": Meaning(*NOTE, "The service does not end. Nothing was removed."),
    # cli: trace
    "trace-unreadable": Meaning(*NOTE, "That is no recording of a line. Name another file."),
    "trace-device": Meaning(*NOTE, "It is not known what the recording is of. Say the device."),
    "trace-sealed": Meaning(*NOTE, "A sealed session cannot be played again."),
    "trace-empty": Meaning(*NOTE, "There is nothing to play in that recording."),
    "trace-port": Meaning(*NOTE, "The port cannot be made there. Choose another."),
    "trace-side": Meaning(*NOTE, "Say which side to play: --to or --port."),
    # cli: simulate
    "simulate-option": Meaning(*NOTE, "The simulation cannot run with these options. Correct them."),
    # cli: telemetry
    "telemetry-message": Meaning(*NOTE, "The archive has no message of that number."),
    "telemetry-journal": Meaning(*NOTE, "The journal cannot be trusted, so nothing is told of it. Verify it."),
    # cli: version
    "version-files": Meaning(*NOTE, "An installed file cannot be read. Check its rights."),
    "version-list": Meaning(*NOTE, "That is no list of files. Name the release's."),
    "version-key": Meaning(*NOTE, "That is no public key. Give 64 hex digits."),
    "version-sign": Meaning(*NOTE, "The list cannot be signed. Read the text."),
    # cli: demo
    "demo-option": Meaning(*SETUP, "The demo cannot run with these options. Correct them."),
}
