"""One station, for a very long evening: hands, programs and faults at random, in one process.

    python soak.py FOLDER STEPS SEED [hwrng-only]    # STEPS: a multiple of 1000

Everything is the appliance's own but what it is fastened to: mock pins, a panel decoded from the
bytes on its bus, a pty, a generator that can be broken, a clock that is skipped forward. It prints
one JSON object: what was done, what it found wrong, and what the process held on the way.
"""

import json
import os
import random
import socket
import sys
import threading
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from box import PATIENCE, SOON, Box
from wishes import Wishes
from world import DISK, UNREAD, Footprint, Line

from hardware.clock import MILLISECOND, SECOND, Nanoseconds
from hardware.controls.events import Control
from hardware.entropy.dice import EntropyMode
from station.ledger.verify import verify
from station.protocol.errors import Code
from station.service import MOST_CLIENTS
from station.state import Choosing, Reading

CALM = 1000
"""Steps at most from one calm to the next, in which all is mended and looked at."""

FAULTS_EACH = 600
"""Steps from one fault to the next, on average, where there are many steps."""

FAULTS_LEAST = 60
"""Faults in a run at least, on average."""

RARE = 1 / 150
"""The largest chance of what takes long: a line that nobody reads, a crowd."""

MENDED_AFTER = 20
"""Steps that a fault lasts, on average."""

SWITCH = 0.0002
"""Seconds after which a thread lets another one work: often, as that is what may go wrong."""

QUIET = 0.1
"""Seconds of silence after which a line has said all."""

REFUSALS = {
    Code.NOT_POSSIBLE,
    Code.INVALID_PARAMS,
    Code.METHOD_NOT_FOUND,
    Code.INVALID_REQUEST,
    Code.PARSE_ERROR,
    Code.CHECK_FAILED,
    Code.KEY_REUSED,
}
"""What a program can deserve; anything else is the station's own trouble."""

GESTURES = (
    *[("push", 60)] * 6,
    *[("next", 60)] * 5,
    *[("up", 60)] * 3,
    *[("down", 60)] * 3,
    *[("roll", 60)] * 3,
    *[("push", 700)] * 2,
    ("next", 700),
    ("up", 700),
    ("down", 700),
    ("roll", 700),
    ("roll", 2500),
)
"""Presses and how long they last, in ms."""


class Evening:
    """What happens to a station.

    Args:
        box: the station.
        rate: the chance of a fault at each step.
    """

    def __init__(self, box: Box, rate: float) -> None:
        self.box = box
        self.chance: random.Random = box.chance
        self.done: Counter[str] = Counter()
        self._rate = rate
        self._rare = min(rate, RARE)
        self._floods = min(rate / 4, RARE)
        self._connected = 0
        self._wishes = Wishes(box.chance)
        self._last: tuple[int, tuple[int, ...]] | None = None

    def step(self) -> None:
        """Do one thing."""
        part = self.chance.random()
        if part < 0.66:
            self._touch()
        elif part < 0.96:
            self._program()
        else:
            self._clients()
        if self.chance.random() < self._rate:
            self._break_something()
        elif self.chance.random() * MENDED_AFTER < 1:
            self.box.mend()

    def _break_something(self) -> None:
        fault = self.chance.choice(self.box.faults)
        self.box.log.lately.add(fault.name)
        self._count(f"fault {fault.name}")
        fault.strike(self.chance)
        if isinstance(fault, Line):
            # Plugged in again before that is noticed, what is sent would go to the old port.
            self.box.until("the loss is noticed", lambda: not self.box.is_open())

    def _count(self, what: str) -> None:
        self.done[what] += 1

    def _expect(self, faults: set[str], told: str) -> None:
        if not faults & self.box.log.lately:
            self.box.log.offence(told)

    # Hands

    def _touch(self) -> None:
        part = self.chance.random()
        if part < 0.5:
            self._count("turn")
            self.box.hands.turn(self.chance.choice([1, 1, 1, -1, -1, 2, -2, 3, -3, 12, -12]))
            self.box.skip(self.chance.choice([0, 20, 70]))
        elif part < 0.93:
            control, span = self.chance.choice(GESTURES)
            self._count(f"press {control}")
            self.box.press(Control(control), span)
        elif part < 0.96:
            self._count("bounce")
            self._bounce()
        else:
            self._count("wait")
            spans = [300, 1000, 1000, 5000, 30_000, 90_000, 600_000]
            self.box.skip(self.chance.choice(spans))
        self._look()

    def _bounce(self) -> None:
        """Close and open a contact or two as fast as dirt does."""
        hands = self.box.hands
        controls = self.chance.sample(list(Control), 2)
        for _ in range(self.chance.randrange(1, 12)):
            move = self.chance.choice([hands.press, hands.release])
            move(self.chance.choice(controls))
            self.box.clock.advance(Nanoseconds(self.chance.randrange(3 * MILLISECOND)))
        for control in controls:
            hands.release(control)
        self.box.skip(40)

    def _look(self) -> None:
        """Note the roll that the panel shows."""
        screen = self.box.station.runner.state.screen
        if not isinstance(screen, Reading | Choosing):
            return
        roll = screen.roll
        if roll.seq is None:
            self._expect(DISK, "the panel shows a roll that is not recorded")
        elif (roll.seq, roll.faces) != self._last:
            self._last = (roll.seq, roll.faces)
            self.box.receipts.shown(roll.seq, roll.faces)
            self._wishes.remember(roll.seq)

    # Programs

    def _program(self) -> None:
        if not self.box.is_open():
            self._count("no cable")
            return
        part = self.chance.random()
        if part < 0.9:
            method, params = self._wishes.call(self.box.serial)
            if method in ("void", "decide"):
                self.box.log.lately.add("decided")
            self._count(method)
            self._heard(self.box.call(method, params))
            return
        if part < 1 - self._floods:
            self._count("garbage")
            self.box.cable.send(self._wishes.garbage())
        else:
            self._count("unread")
            self.box.log.lately.add("unread")
            self._flood()
        # Whatever that was, the next request is understood.
        self.box.cable.send(b"\r\n\r\n")
        self._heard(self.box.call("state", {}))

    def _heard(self, reply: dict[str, Any]) -> None:
        if error := reply.get("error"):
            self._refused(error)
            return
        result = reply["result"]
        if "hash" not in result or "faces" not in result:
            return
        if result["recorded"]:
            self.box.receipts.told(result["seq"], result["hash"])
            self._wishes.remember(result["seq"])
        else:
            self._expect(DISK, "a roll is not recorded")

    def _refused(self, error: dict[str, Any]) -> None:
        code = error["code"]
        self._count(f"refused {code}")
        if code == Code.LEDGER_UNAVAILABLE:
            self._expect(DISK, f"refused: {error}")
        elif code == Code.ENTROPY_UNAVAILABLE:
            self._expect({"generator"}, f"refused: {error}")
        elif code not in REFUSALS:
            self.box.log.offence(f"refused: {error}")

    def _flood(self) -> None:
        """Ask for more than a pty holds, read nothing until that is noticed, then all of it."""
        asked = b'{"jsonrpc":"2.0","id":0,"method":"systems"}\n'
        before = self.box.log.lines[UNREAD]
        self.box.cable.send(asked * 4, timeout=PATIENCE)
        self.box.until("it is noticed", lambda: self.box.log.lines[UNREAD] > before)
        while self.box.cable.receive(QUIET):
            pass

    def _clients(self) -> None:
        """Have a local program or a crowd of them connect, talk a little, and go."""
        crowd = self.chance.random() < 10 * self._rare
        self._count("crowd" if crowd else "client")
        self.box.log.lately.add("crowd" if crowd else "client")
        with ExitStack() as stack:
            count = MOST_CLIENTS + 3 if crowd else self.chance.randint(1, 2)
            ends = [stack.enter_context(socket.socket(socket.AF_UNIX)) for _ in range(count)]
            for end in ends:
                # Without a time-out: with one, a full backlog is an error and no wait.
                end.connect(str(self.box.config.service.socket))
                end.settimeout(SOON)
            if not crowd and self.chance.random() < 0.7:
                ends[0].sendall(b'{"jsonrpc":"2.0","id":1,"method":"state"}\n')
                if not ends[0].recv(1 << 16):
                    self.box.log.offence("a client was turned away")
            elif not crowd:
                ends[0].sendall(b'{"jsonrpc":"2.0","id":1,"meth')
        self._connected += count
        self.box.until("the clients are gone", self._are_gone)

    def _are_gone(self) -> bool:
        """Return whether every program that connected was noticed, and is served no more."""
        states = self.box.station.service.states()
        alone = all(each.name == self.box.cable.path for each in states)
        return alone and self.box.log.connected() == self._connected


def soaked(folder: Path, steps: int, seed: int, mode: EntropyMode) -> dict[str, Any]:
    """Live through so many steps; return what was found."""
    held: list[tuple[int, Footprint]] = []
    begun = time.monotonic()
    with Box(folder, seed, mode) as box:
        evening = Evening(box, max(1 / FAULTS_EACH, FAULTS_LEAST / steps))
        for number in range(1, steps + 1):
            evening.step()
            if number % min(CALM, steps // 5) == 0:
                held.append((number, box.calm()))
            if number % (20 * CALM) == 0:
                _say(f"{number} {time.monotonic() - begun:.0f} s {held[-1][1]}")
    took = time.monotonic() - begun
    acknowledged, wrong = box.receipts.missing(box.ledger)
    checked = verify(box.ledger, workers=1)
    return {
        "steps": steps,
        "seconds": round(took, 1),
        "seconds_on_the_clock": box.clock() // SECOND,
        "seconds_to_end": round(box.took_to_end, 3),
        "done": dict(sorted(evening.done.items())),
        "log": dict(box.log.lines),
        "offences": box.log.offences,
        "acknowledged": acknowledged,
        "wrong": wrong[:20],
        "verified": None if checked.problem is None else str(checked.problem),
        "held": [(number, each.plain()) for number, each in held],
    }


def _say(told: str) -> None:
    sys.stderr.write(f"{told}\n")
    sys.stderr.flush()


def _died(args: Any) -> None:
    """End at once when a thread does, which none may: what waits for it would wait in vain."""
    sys.__excepthook__(args.exc_type, args.exc_value, args.exc_traceback)
    os._exit(3)


def main(folder: str, steps: str, seed: str, mode: str = EntropyMode.HWRNG_URANDOM) -> None:
    """Soak, and print the report."""
    threading.excepthook = _died
    sys.setswitchinterval(SWITCH)
    found = soaked(Path(folder), int(steps), int(seed), EntropyMode(mode))
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
