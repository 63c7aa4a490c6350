"""A whole station in one process, fastened to what can be broken, with its owner on a thread."""

import json
import logging
import random
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Self
from unittest import mock

from PIL import Image
from world import (
    Failing,
    Fault,
    Footprint,
    Full,
    Generator,
    Line,
    Locked,
    Log,
    Panel,
    Receipts,
    SkippedClock,
)

from hardware.clock import MILLISECOND, Nanoseconds
from hardware.controls.events import Control
from hardware.controls.simulated import SimulatedControls
from hardware.display.transport import open_i2c
from hardware.display.wire import WireDisplay
from hardware.entropy.dice import EntropyMode
from hardware.serialport.simulated import Cable
from station.appliance import Appliance, appliance
from station.chronicle import ANOTHER
from station.config import load
from station.foundation import foundation
from station.inbox import Errand, Item, Stop
from station.ledger import store
from station.ledger.faults import DATABASE
from station.notify import Notifier
from station.ports import PortConfig
from station.state import Dialling

SOON = 30.0
"""Seconds within which whatever must come has come; only what is broken takes so long."""

PATIENCE = 0.5
"""Seconds after which a line takes it that nobody reads; a busy machine makes the soak wait too."""

DEADLINE = 1000
"""Milliseconds after which the generator counts as silent; a busy machine needs no less."""

MOST_BACKS = 40
"""Long presses after which the dial shows, whatever showed: each takes a letter off a name."""


class Broken(Exception):  # noqa: N818 - what is broken is the station
    """The soak can't go on."""


class Box:
    """The station and its surroundings; a context manager that switches it on and off.

    Args:
        folder: where it lives; empty.
        seed: what decides about everything.
        mode: where its dice come from.

    Attributes:
        station: what runs.
        hands: what touches its controls.
        log: who reads its log.
        receipts: what it acknowledged.
        faults: what can be broken.
        took_to_end: seconds from when it was told to end until it had.
    """

    def __init__(self, folder: Path, seed: int, mode: EntropyMode) -> None:
        self.chance = random.Random(seed)  # noqa: S311 - the point is that it repeats
        self.clock = SkippedClock()
        self.log = Log()
        self.receipts = Receipts(folder / "receipts")
        self.ledger = folder / "state" / DATABASE
        self.inbox: SimpleQueue[Item] = SimpleQueue()
        self.serial = 0
        self.cable = Cable(folder / "cable")
        self._databases: list[sqlite3.Connection] = []
        self._config(folder, mode)
        self._panel = Panel(self.config.display.panel, seed)
        self._generator = Generator(seed, self.clock)
        self._line = Line(self.cable)
        self.took_to_end = 0.0

    def _config(self, folder: Path, mode: EntropyMode) -> None:
        found = load(None, {"HOME": str(folder), "RUNTIME_DIRECTORY": str(folder)})
        self.config = replace(
            found,
            state_folder=folder / "state",
            controls=replace(found.controls, backend="mock"),
            entropy=replace(found.entropy, mode=mode, deadline_ms=DEADLINE),
            service=replace(found.service, ports=(PortConfig(self.cable.path),), patience=PATIENCE),
        )

    def __enter__(self) -> Self:
        self._stack = ExitStack()
        for where, what in (
            ("station.appliance.open_display", self._display),
            ("hardware.entropy.factory._hardware", lambda *_: self._generator.source),
            ("station.ledger.store.LOCK_TIMEOUT", 0.005),
            ("station.ledger.store.connect", self._connect),
        ):
            self._stack.enter_context(mock.patch(where, what))
        self.log.lately |= {"unplugged", "begun"}
        logging.getLogger().addHandler(self.log)
        logging.getLogger().setLevel(logging.INFO)
        # It tells of programs that come and go, which are counted here.
        logging.getLogger("station.appliance").setLevel(logging.DEBUG)
        built: SimpleQueue[Appliance] = SimpleQueue()

        def own() -> None:
            with (
                foundation(self.config, self.inbox, self.clock) as base,
                appliance(base, Notifier(), disk=lambda _: "") as station,
            ):
                built.put(station)
                station.runner.run()

        self._thread = threading.Thread(target=own, name="owner")
        self._thread.start()
        self.station = built.get(timeout=SOON)
        assert self.station.pins is not None
        self.hands = SimulatedControls(self.station.pins.factory, pause=self.clock.advance)
        self._locked = Locked(self.ledger)
        self.faults: tuple[Fault, ...] = (
            self._panel,
            self._generator,
            Full(self._on_database),
            Failing(),
            self._locked,
            self._line,
        )
        self.line_opens()
        return self

    def __exit__(self, *_: object) -> None:
        self.log.lately.add("ended")
        begun = time.monotonic()
        self.inbox.put(Stop())
        self._thread.join()
        self.took_to_end = time.monotonic() - begun
        self._locked.close()
        self.cable.unplug()
        self._stack.close()
        logging.getLogger().removeHandler(self.log)

    def _display(self, settings: Any, *_: object, **__: object) -> WireDisplay:
        return WireDisplay(settings, lambda: open_i2c(settings, self._panel.bus.open))

    def _connect(self, path: Path, real: Any = store.connect) -> sqlite3.Connection:
        db: sqlite3.Connection = real(path)
        self._databases[:] = [db]
        return db

    def _on_database(self, do: Callable[[sqlite3.Connection], object]) -> None:
        self.ask(lambda: do(self._databases[0]))

    # The owner's thread

    def ask(self, look: Callable[[], Any]) -> Any:
        """Return what the owner sees."""
        found: SimpleQueue[Any] = SimpleQueue()

        def answer() -> None:
            try:
                found.put(look())
            except sqlite3.OperationalError as error:
                found.put(error)  # the database is broken on purpose

        self.inbox.put(Errand(answer))
        return found.get(timeout=SOON)

    def skip(self, span: int) -> None:
        """Let so many ms pass, and have the owner do what has come due."""
        self.clock.advance(Nanoseconds(span * MILLISECOND))
        # Asking wakes it. What is due may draw dice, which must not see the clock skipped.
        while self.ask(self._is_due):
            pass

    def _is_due(self) -> bool:
        due = self.station.runner.deadline()
        return due is not None and due <= self.clock()

    def press(self, control: Control, span: int) -> None:
        """Press a control for so many ms, and let go of it."""
        self.hands.press(control)
        self.skip(span)
        self.hands.release(control)
        self.skip(40)

    def mend(self) -> None:
        """Have everything work again, the cable too."""
        for fault in self.faults:
            fault.mend()
        if self._line.was_cut():
            self.line_opens()

    def line_opens(self) -> None:
        """Wait until the station has opened the cable's end."""
        self.until("the cable is opened", self.is_open)

    def is_open(self) -> bool:
        """Return whether the station has its end of the cable open."""
        states = self.station.service.states()
        return any(each.is_open for each in states if each.name == self.cable.path)

    def until(self, what: str, true: Callable[[], bool]) -> None:
        """Wait until something is so."""
        end = time.monotonic() + SOON
        while not true():
            if time.monotonic() > end:
                raise Broken(f"it never came that {what}; lately: {sorted(self.log.lately)}")
            time.sleep(0.002)

    def call(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Return the reply to a request over the cable."""
        self.serial += 1
        asked = {"jsonrpc": "2.0", "id": self.serial, "method": method, "params": params}
        self.cable.send(json.dumps(asked).encode() + b"\n")
        for _ in range(200):
            try:
                line = self.cable.receive_line(SOON)
            except TimeoutError as error:
                raise Broken(f"no reply to {asked}: {error}; {self._about()}") from error
            try:
                reply = json.loads(line)
            except ValueError:
                continue  # the answer to something typed
            if isinstance(reply, dict) and reply.get("id") == self.serial:
                return reply
        raise Broken(f"no reply to {asked}; {self._about()}")

    def _about(self) -> str:
        """Say how all stood, for whoever must find out why it went wrong."""
        states = self.station.service.states()
        return f"lately {sorted(self.log.lately)}, {states}, {self.log.offences}"

    # Calm

    def calm(self) -> Footprint:
        """Mend all, see that all works and that the panel shows what it should; measure."""
        self.mend()
        self.until("no read waits in vain", lambda: not self._generator.in_vain)
        parts = ("entropy", "display", "controls", "ledger")

        def well() -> bool:
            self.skip(1000)
            # Something that is written shows that the disk is well again.
            self.call("change", {"act": "glory", "count": 1})
            health = self.call("health", {})["result"]
            return all(health[part]["state"] == "ok" for part in parts)

        self.until("all is well", well)
        # What the log was not told of parts that came and went too often, it is told now.
        self.skip(ANOTHER // MILLISECOND)
        self.until("all is well again", well)
        # It may have gone dark; this press then does nothing but wake it.
        self.press(Control.UP, 60)
        for _ in range(MOST_BACKS):
            if isinstance(self.station.runner.state.screen, Dialling):
                break
            self.press(Control.PUSH, 700)
            self.skip(1200)
        else:
            raise Broken(f"no way back from {self.station.runner.state.screen}")
        self.until("the panel shows what it should", self._shows)
        self.receipts.keep()
        self._forget()
        self.log.lately = {"none"}
        return Footprint.now()

    def _forget(self) -> None:
        """Let go of what the simulations remember of all that ever happened to them."""
        self._generator.forget()
        assert self.station.pins is not None
        for pin in self.station.pins.factory.pins.values():
            pin.clear_states()

    def _shows(self) -> bool:
        runner = self.station.runner
        self.skip(0)
        wanted: Image.Image = runner._display._service._frame  # noqa: SLF001 - what was submitted
        chip = self._panel.bus.chip
        return chip.on and chip.picture().convert("1").tobytes() == wanted.tobytes()
