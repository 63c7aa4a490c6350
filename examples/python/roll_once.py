"""Roll once over a serial port, whatever the line does.

Needs: Python 3.9 or later and pyserial (`pip install pyserial`); nothing of the station's own.
Wiring: a USB serial adapter with 3.3 V levels: its TX to GPIO 15 (RX, pin 10) of the station's
Raspberry Pi, its RX to GPIO 14 (TX, pin 8), GND to GND (pin 6). Or the Pi's USB gadget port.

    python roll_once.py /dev/ttyUSB0
    python roll_once.py /dev/ttyUSB0 '{"system": "wrath-and-glory", "kind": "test", "pool": 6}'

It prints the arithmetic, and ends with status 0 if the roll is a success, 1 if it is none, and 2
if it was not rolled, or nobody knows.
"""

from __future__ import annotations

import binascii
import json
import sys
import time
import uuid
from typing import Any

import serial

BASIC = '{"system": "seven-kingdoms", "kind": "basic", "rank": 3, "bonus": 2, "difficulty": 9}'

PATIENCE = 1.0
"""Seconds until the request is sent again."""

GIVE_UP = 30.0
"""Seconds until nobody seems to be there."""

LONGEST_LINE = 16384


def signed(line: bytes) -> bytes:
    """Return a line with its check."""
    return b"%s*%04X" % (line, binascii.crc_hqx(line, 0))


def unsigned(line: bytes) -> bytes | None:
    """Return a line without its check, or None if that is wrong or not there."""
    body = line[:-5]
    return body if line == signed(body) else None


def message(body: bytes) -> dict[str, Any] | None:
    """Return what a line says, or None if it is no JSON: one damaged line in 65,536 looks right."""
    try:
        told: dict[str, Any] = json.loads(body)
    except ValueError:
        return None
    return told


def answer(port: serial.Serial, number: str) -> dict[str, Any] | None:
    """Return the answer to a request, or None if it is best asked again."""
    deadline = time.monotonic() + PATIENCE
    half = b""
    while time.monotonic() < deadline:
        # Without this bound a line that never ends would fill the memory.
        half = (half + port.read(port.in_waiting or 1))[-LONGEST_LINE:]
        *lines, half = half.split(b"\r\n")
        for line in filter(None, lines):
            body = unsigned(line)
            told = None if body is None else message(body)
            if told is None:
                return None  # it came to harm on its way, or what we sent did
            if "method" in told:
                continue  # an event that another program on this line asked for
            if told["id"] is None:
                return None  # what we sent came to harm: nobody could tell whose it was
            if told["id"] == number:
                return told
    return None


def roll(port: serial.Serial, request: dict[str, Any]) -> dict[str, Any]:
    """Return how a request was rolled: once, however often it has to be sent.

    Raises:
        RuntimeError: the station refused; nothing was rolled.
        TimeoutError: nobody answered. Only asking again with the same key would tell.
    """
    # The key makes the station answer a repeat with the first roll; the check after the `*` lets
    # neither side believe a damaged line.
    params = {"request": request, "key": str(uuid.uuid4())}
    refused = None
    give_up = time.monotonic() + GIVE_UP
    while time.monotonic() < give_up:
        number = str(uuid.uuid4())
        line = {"jsonrpc": "2.0", "id": number, "method": "roll", "params": params}
        port.write(b"\r\n" + signed(json.dumps(line).encode()) + b"\r\n")
        told = answer(port, number)
        if told is None:
            continue
        if "error" in told:
            # A damaged request may have looked right to the station: it must refuse twice.
            if told["error"] == refused:
                raise RuntimeError(refused["message"])
            refused = told["error"]
            continue
        result: dict[str, Any] = told["result"]
        return result
    raise TimeoutError(f"no answer within {GIVE_UP} s")


def main(arguments: list[str]) -> int:
    """Roll what the arguments ask for."""
    if not arguments:
        print("usage: roll_once.py PORT [REQUEST]", file=sys.stderr)
        return 2
    path, request = (*arguments, BASIC)[:2]
    try:
        with serial.Serial(path, 115200, timeout=0.1, write_timeout=2, exclusive=True) as port:
            outcome = roll(port, json.loads(request))["outcome"]
    except (OSError, RuntimeError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    print(outcome["explanation"])
    return 0 if outcome.get("success") is not False else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
