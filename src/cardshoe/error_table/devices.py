"""The rows of leaves, protocols, devices and ports. Knows nothing but rows; `meaning` says what a row holds."""

from __future__ import annotations

from typing import Final

from cardshoe.error_table.meaning import LINE, NOTE, SETUP, Clears, Meaning, Severity

ROWS: Final[dict[str, Meaning]] = {
    # leaves: cards, money
    "card-spelling": Meaning(*NOTE, "That is not a card. Enter rank and suit again."),
    "amount": Meaning(*NOTE, "That is not an amount. Enter whole cents again."),
    # wire, link, devices: protocol files, sessions with a device
    "protocol-unknown": Meaning(*SETUP, "Unknown device protocol. Call the technician."),
    "protocol-broken": Meaning(*SETUP, "Installation is damaged. Call the technician."),
    "device-silent": Meaning(*LINE, "Device does not answer. Check that it is on."),
    "device-noise": Meaning(*SETUP, "Not a device of ours, or a bad line. Call the technician."),
    "device-starting": Meaning(*LINE, "Device is still starting. Wait, then connect again."),
    "device-other-kind": Meaning(*SETUP, "Shoe and reader are swapped. Call the technician."),
    "device-other-version": Meaning(*SETUP, "Device has other software. Call the technician."),
    "device-other-model": Meaning(*SETUP, "Another model is connected. Call the technician."),
    "device-other-serial": Meaning(*SETUP, "Another device is connected. Call the technician."),
    "device-not-paired": Meaning(*SETUP, "Device is not paired. Call the technician."),
    "device-unknown-key": Meaning(*SETUP, "Device does not know our key. Call the technician."),
    "device-wrong-proof": Meaning(*SETUP, "Device refuses our key. Call the technician."),
    "device-wrong-role": Meaning(*SETUP, "Device was paired for something else. Call the technician."),
    "device-not-proved": Meaning(
        Severity.LOCKOUT, Clears.TWO_PEOPLE, "That is not our device. Deal nothing. Call the floor."
    ),
    "device-seal-unanswered": Meaning(*LINE, "Device does not answer. Check cable and power."),
    "device-copied": Meaning(
        Severity.LOCKOUT, Clears.TWO_PEOPLE, "This device may be a copy. Deal nothing. Call the floor."
    ),
    "device-count-not-kept": Meaning(*SETUP, "The key store cannot be written. Call the technician."),
    "device-cannot-pair": Meaning(*SETUP, "Device cannot be paired. Call the technician."),
    "device-wrong-label": Meaning(*NOTE, "Wrong label secret. Read it again inside the door."),
    "device-no-room": Meaning(*NOTE, "Device holds too many keys. Remove one."),
    "device-pairing-refused": Meaning(*NOTE, "Device refuses the pairing. Call the technician."),
    "device-not-pairing": Meaning(*NOTE, "Press the button inside the device's door first."),
    "device-session-spent": Meaning(*LINE, "Device needs a new connection. Connect again."),
    "label-secret": Meaning(*NOTE, "That is not a label secret. Read it again inside the door."),
    "manifest-unreadable": Meaning(*SETUP, "The list of approved devices is damaged. Call the technician."),
    "manifest-signature": Meaning(*SETUP, "The list of approved devices is not signed. Call the technician."),
    "manifest-older": Meaning(*SETUP, "The list of approved devices is an old one. Call the technician."),
    "device-wants-sealed": Meaning(*SETUP, "Device refuses a bench session. Call the technician."),
    "device-refuses-purpose": Meaning(*SETUP, "Device is not free for this. Call the technician."),
    "device-absurd": Meaning(*SETUP, "Device breaks the protocol. Call the technician."),
    "device-lost-silence": Meaning(*LINE, "Device fell silent. Deal nothing. Check cable and power."),
    "device-lost-session": Meaning(*LINE, "Device forgot the session. Deal nothing. Connect again."),
    "device-lost-restart": Meaning(*LINE, "Device restarted. Deal nothing. Call the floor."),
    "device-lost-unanswered": Meaning(*LINE, "Device gave no answer. Deal nothing. Call the floor."),
    "device-lost-out-of-step": Meaning(*LINE, "Device is out of step. Deal nothing. Call the floor."),
    "device-lost-port": Meaning(*LINE, "Device is gone. Deal nothing. Check cable and power."),
    "device-closed": Meaning(*NOTE, "Device was disconnected."),
    # transport: ports, device URLs, wire trace
    "device-url": Meaning(*SETUP, "Device URL is wrong. Call the technician."),
    "simulated-device-refused": Meaning(*SETUP, "Simulated device refused. Call the technician."),
    "trace-file": Meaning(*SETUP, "Wire trace cannot be written. Call the technician."),
    "transport-started": Meaning(*SETUP, "Connection used twice. Call the technician."),
    "transport-closed": Meaning(*SETUP, "Connection was closed. Connect again."),
    "transport-overflow": Meaning(*LINE, "Device takes no commands. Deal nothing. Call the floor."),
    "port-missing": Meaning(*LINE, "Device is not plugged in. Check cable and power."),
    "port-busy": Meaning(*SETUP, "Device is used by another program. Call the technician."),
    "port-denied": Meaning(*SETUP, "No access to the device. Call the technician."),
    "port-not-a-tty": Meaning(*SETUP, "Wrong device path. Call the technician."),
    "port-vanished": Meaning(*SETUP, "Device comes and goes. Check the cable. Call the technician."),
    "port-no-descriptor": Meaning(*SETUP, "Too many files are open. Call the technician."),
    "port-unusable": Meaning(*SETUP, "Device cannot be opened. Plug it in again."),
    "port-lost": Meaning(*LINE, "Device is gone. Deal nothing. Check cable and power."),
    "tcp-refused": Meaning(*LINE, "Device does not answer. Check that it is on."),
    "tcp-timeout": Meaning(*LINE, "Device does not answer. Check that it is on."),
    "tcp-unknown-host": Meaning(*SETUP, "Device address is unknown. Call the technician."),
    "tcp-unreachable": Meaning(*LINE, "Device cannot be reached. Check the network cable."),
    "tcp-lost": Meaning(*LINE, "Device is gone. Deal nothing. Check the network cable."),
    "memory-lost": Meaning(*LINE, "Device is gone. Deal nothing."),
    "usb-library": Meaning(*SETUP, "The setting for USB is wrong. Call the technician."),
    "usb-no-backend": Meaning(*SETUP, "USB does not work here. Call the technician."),
    "usb-missing": Meaning(*LINE, "Device is not plugged in. Check cable and power."),
    "usb-ambiguous": Meaning(*SETUP, "Two devices look the same. Unplug one."),
    "usb-no-bulk-interface": Meaning(*SETUP, "Not a shoe or reader of ours. Call the technician."),
    "usb-denied": Meaning(*SETUP, "No access to the device. Call the technician."),
    "usb-busy": Meaning(*SETUP, "Device is used by another program. Call the technician."),
    "usb-lost": Meaning(*LINE, "Device is gone. Deal nothing. Check cable and power."),
    "usb-stalled": Meaning(*LINE, "Device refuses to talk. Switch it off and on."),
    "usb-overflow": Meaning(*LINE, "Device sent too much. Connect again."),
    "usb-bus-fault": Meaning(*LINE, "USB line is bad. Check the cable."),
    "usb-stuck": Meaning(*LINE, "Device takes no commands. Switch it off and on."),
    "usb-failed": Meaning(*LINE, "USB failed. Plug the device in again."),
}
