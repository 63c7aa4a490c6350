"""A dice station from a Raspberry Pi Pico (or any MicroPython board with a UART).

Needs: MicroPython 1.20 or later, nothing else. Copy this file to the board as `main.py` for the
button below, or as `dice_station.py` and import DiceStation from it.

Wiring (both are 3.3 V: no resistors, no level shifter):

    Pico GP0 (TX, pin 1)  ->  GPIO 15 (RX, pin 10) of the station's Raspberry Pi
    Pico GP1 (RX, pin 2)  <-  GPIO 14 (TX, pin 8)
    Pico GND (pin 3)      --  GND (pin 6)
    button between GP15 (pin 20) and GND; the LED is the one on the board

A press rolls. Rolls made at the table are told too: lit on a success, three blinks on a failure.
"""

import json
import os
import time

from machine import UART, Pin

REQUEST = {"system": "seven-kingdoms", "kind": "basic", "rank": 3, "bonus": 2, "difficulty": 9}
"""What a press rolls: the `systems` method tells what there is."""

LONGEST_LINE = 16384


def crc(data: bytes) -> int:
    """Return the CRC-16/XMODEM of bytes."""
    total = 0
    for byte in data:
        total ^= byte << 8
        for _ in range(8):
            total = ((total << 1) ^ 0x1021 if total & 0x8000 else total << 1) & 0xFFFF
    return total


def signed(line: bytes) -> bytes:
    """Return a line with its check."""
    return line + f"*{crc(line):04X}".encode()


def unsigned(line: bytes) -> "bytes | None":
    """Return a line without its check, or None if that is wrong or not there."""
    body = line[:-5]
    return body if line == signed(body) else None


def fresh_key() -> str:
    """Return a key that no other roll has."""
    return "".join(f"{byte:02x}" for byte in os.urandom(12))


class NoAnswerError(Exception):
    """Nobody answered; whether it was done is not known. Ask again with the same key."""


class RefusedError(Exception):
    """The station refused, and did nothing: `args` are the code and the sentence."""


class DiceStation:
    """The station at the other end of a UART.

    Args:
        uart: the UART, made with `timeout=0`; give it `rxbuf=1024` or more.
        on_event: called with the name and the params of each event.
        patience: milliseconds until a request is sent again.
        tries: how often it is sent before NoAnswerError.
    """

    def __init__(
        self, uart: UART, on_event: object = None, patience: int = 1000, tries: int = 20
    ) -> None:
        self._uart = uart
        self._on_event = on_event
        self._patience = patience
        self._tries = tries
        self._half = b""
        self._mark = fresh_key()[:8]
        self._count = 0
        self._waiting = None
        self._answer = None

    def call(self, method: str, params: "dict | None" = None) -> dict:
        """Return what a method gives; give what changes something a key."""
        self._count += 1
        self._waiting = f"{self._mark}-{self._count}"
        line = {"jsonrpc": "2.0", "id": self._waiting, "method": method, "params": params or {}}
        out = b"\r\n" + signed(json.dumps(line).encode()) + b"\r\n"
        refused = False
        for _ in range(self._tries):
            answer = self._asked(out)
            if answer is None or answer["id"] is None:
                continue
            if "error" in answer and not refused:
                # One damaged request in 65,536 looked right to the station: it must refuse twice.
                refused = True
                continue
            self._waiting = None
            if "error" in answer:
                raise RefusedError(answer["error"]["code"], answer["error"]["message"])
            return answer["result"]
        raise NoAnswerError(f"no answer to {method}")

    def hello(self) -> dict:
        """Begin a session in which every line has a check, events too, and be told of rolls.

        Do it again now and then: a station that was restarted has forgotten us.
        """
        told = self.call("hello", {"client": "pico", "check": True})
        self.call("subscribe", {"events": ["rolled"], "brief": True})
        return told

    def roll(self, request: dict, key: "str | None" = None) -> dict:
        """Return how a request was rolled; with the same key it is never rolled twice."""
        params = {"request": request, "key": key or fresh_key(), "brief": True}
        return self.call("roll", params)

    def poll(self) -> None:
        """Take what has come in; call it often. Events go to `on_event`."""
        data = self._uart.read()
        if not data:
            return
        lines = (self._half + data).replace(b"\r", b"\n").split(b"\n")
        self._half = lines.pop()[-LONGEST_LINE:]
        for line in lines:
            body = unsigned(line)
            if body:
                self._heard(body)

    def _asked(self, out: bytes) -> "dict | None":
        """Send a request once; return the answer, or None if none came in time."""
        self._answer = None
        self._uart.write(out)
        sent = time.ticks_ms()
        while self._answer is None:
            if time.ticks_diff(time.ticks_ms(), sent) > self._patience:
                return None
            self.poll()
            time.sleep_ms(1)
        return self._answer

    def _heard(self, body: bytes) -> None:
        try:
            line = json.loads(body)
        except ValueError:
            # Typed: the answer to a request that came to harm. Or one damaged line in 65,536.
            line = {"id": None}
        if "method" in line:
            if self._on_event:
                self._on_event(line["method"], line["params"])
        elif line["id"] == self._waiting or line["id"] is None:
            # Without an id it answers a line that came to harm on its way: perhaps ours.
            self._answer = line


class Lamp:
    """Shows how a roll went, without keeping anyone waiting."""

    SUCCESS = (3000,)
    FAILURE = (150, 150, 150, 150, 150)
    TROUBLE = (40,) * 15

    def __init__(self, pin: Pin) -> None:
        self._pin = pin
        self._left = []
        self._due = time.ticks_ms()

    def show(self, pattern: tuple) -> None:
        """Begin a pattern: milliseconds lit, dark, lit and so on."""
        self._pin.value(0)
        self._left = list(pattern)
        self._due = time.ticks_ms()

    def tick(self) -> None:
        """Do what has come due."""
        if time.ticks_diff(time.ticks_ms(), self._due) < 0:
            return
        if self._left:
            self._due = time.ticks_add(time.ticks_ms(), self._left.pop(0))
            self._pin.value(not self._pin.value())
        else:
            self._pin.value(0)


HELLO_EVERY = 15000
"""Milliseconds."""


def main() -> None:
    """Roll when the button is pressed; show rolls made here and at the table."""
    lamp = Lamp(Pin("LED", Pin.OUT))
    button = Pin(15, Pin.IN, Pin.PULL_UP)

    def show(roll: dict) -> None:
        print(roll)
        lamp.show(Lamp.FAILURE if roll.get("success") is False else Lamp.SUCCESS)

    def told(_: str, roll: dict) -> None:
        show(roll)

    uart = UART(0, baudrate=115200, tx=Pin(0), rx=Pin(1), timeout=0, rxbuf=2048)
    station = DiceStation(uart, told)
    greeted = None
    key = None
    was_down = False
    while True:
        try:
            if greeted is None or time.ticks_diff(time.ticks_ms(), greeted) > HELLO_EVERY:
                greeted = time.ticks_ms()
                station.hello()
            down = button.value() == 0
            if down and not was_down:
                # The key is kept until an answer came: the next press then asks for this roll.
                key = key or fresh_key()
                show(station.roll(REQUEST, key))
                key = None
            was_down = down
            station.poll()
        except (NoAnswerError, RefusedError) as error:
            print(error)
            lamp.show(Lamp.TROUBLE)
            if isinstance(error, RefusedError):
                key = None
        lamp.tick()
        time.sleep_ms(5)


if __name__ == "__main__":
    main()
