"""One line in use: bytes to its session, calls to the station, replies and events back.

Everything here runs on the link's own thread, but for `publish` and `stop`. Whatever the client
does, the station is never kept waiting: calls go on a queue, events wait in one of bounded
length.
"""

import logging
import threading
from collections import deque
from collections.abc import Callable, Iterable
from queue import SimpleQueue
from typing import Any, TypeAlias, assert_never

from hardware.clock import Clock
from hardware.serialport.backoff import Backoff
from hardware.serialport.errors import PortLostError
from hardware.serialport.interface import Transport
from rules.frozen import frozen
from station.ports import PATIENCE
from station.protocol.events import Event
from station.protocol.seam import Call
from station.protocol.session import Action, Echo, Reply, Session
from station.protocol.sizes import LINE_END

Submit: TypeAlias = Callable[[Call, Callable[[Any], None]], None]
"""Hands a call to the station's owner, and says where its answer (or MethodError) goes."""

Wait: TypeAlias = Callable[[float], bool]
"""Waits so many seconds; returns True as soon as the link is to end."""

_log = logging.getLogger(__name__)


@frozen
class LinkState:
    """How a line is: open, or lost for a reason."""

    name: str
    is_open: bool
    reason: str = ""


class _Stopped(Exception):  # noqa: N818 - no fault: the way out of a wait
    """The link is to end."""


class _Stop:
    """What is put where an answer is waited for, so that the wait ends."""


class Link:
    """Serves one line until it is stopped, opening it again whenever it is lost.

    Args:
        transport: the line.
        session: the protocol; its events are those that `publish` offers.
        submit: takes calls to the station's owner.
        clock: monotonic time.
        patience: seconds without progress after which a reply is given up.
        comes_back: whether a line that was lost is worth opening again.
        wait: how to wait before that; a real wait where it is None.
        on_change: told of each state, on the link's thread.
    """

    def __init__(
        self,
        transport: Transport,
        session: Session,
        submit: Submit,
        *,
        clock: Clock,
        patience: float = PATIENCE,
        comes_back: bool = True,
        wait: Wait | None = None,
        on_change: Callable[[LinkState], None] | None = None,
    ) -> None:
        self._transport = transport
        self._session = session
        self._submit = submit
        self._clock = clock
        self._patience = patience
        self._comes_back = comes_back
        self._stopping = threading.Event()
        self._wait = wait or self._stopping.wait
        self._on_change = on_change
        self._answers: SimpleQueue[Any] = SimpleQueue()
        self._unsent = b""
        self._mid_line = False
        self.state = LinkState(transport.name, is_open=False, reason="not opened yet")

    def publish(self, event: Event) -> None:
        """Have the client told, if it wants to know; from any thread, and never waiting."""
        if self._session.events.offer(event):
            self._transport.wake()

    def stop(self) -> None:
        """Have `run` return soon; from any thread."""
        self._stopping.set()
        self._answers.put(_Stop())
        self._transport.wake()

    def run(self) -> None:
        """Serve the line until `stop`, or until it is lost and does not come back."""
        backoff = Backoff()
        while not self._stopping.is_set():
            try:
                self._transport.open()
                backoff.reset()
                self._changed(is_open=True)
                self._serve()
            except PortLostError as lost:
                self._changed(is_open=False, reason=str(lost))
            except _Stopped:
                break
            except Exception:  # noqa: BLE001 - one line's fault leaves neither it nor others deaf
                _log.exception("the line %s is closed over a fault of this program", self.state)
                self._changed(is_open=False, reason="a fault of this program; the log says more")
            finally:
                self._transport.close()
            if not self._comes_back or self._wait(backoff.next()):
                break
        self._changed(is_open=False, reason="stopped")

    def _changed(self, *, is_open: bool, reason: str = "") -> None:
        state = LinkState(self._transport.name, is_open, reason)
        if state != self.state:
            self.state = state
            if self._on_change is not None:
                self._on_change(state)

    def _serve(self) -> None:
        self._session.reopened()
        self._unsent = b""
        self._mid_line = False
        while not self._stopping.is_set():
            self._send_events()
            data = self._transport.read(None, or_writable=bool(self._unsent))
            if data:
                self._carry_out(self._session.receive(data, self._clock()))

    def _carry_out(self, actions: Iterable[Action]) -> None:
        waiting = deque(actions)
        while waiting:
            match waiting.popleft():
                case Reply() as reply:
                    if reply.fresh:
                        self._transport.freshen()
                    if not self._deliver(reply.data):
                        return
                case Echo(data):
                    if not self._deliver(data):
                        return
                case Call() as call:
                    waiting.extend(self._session.answer(self._asked(call), self._clock()))
                case other:
                    assert_never(other)

    def _asked(self, call: Call) -> Any:
        """Return the station's answer to a call."""
        self._submit(call, self._answers.put)
        answer = self._answers.get()
        if isinstance(answer, _Stop):
            raise _Stopped
        return answer

    def _deliver(self, data: bytes) -> bool:
        """Send a reply, after what is left of an event; forget the session if nobody reads it."""
        before, self._unsent = self._unsent, b""
        out = before + self._begun(data)
        taken = self._transport.write(out, self._patience)
        if taken == len(out):
            return True
        _log.warning("nobody reads at %s; its session is forgotten", self._transport.name)
        self._mid_line = bool(taken or before) and not out[:taken].endswith(LINE_END)
        self._transport.discard()
        self._session.forget()
        return False

    def _send_events(self) -> None:
        """Send as much of what the client wants to know as the line takes at once."""
        while True:
            if not self._unsent:
                line = self._session.next_event()
                if line is None:
                    return
                self._unsent = self._begun(line)
            taken = self._transport.write(self._unsent, 0.0)
            self._unsent = self._unsent[taken:]
            if self._unsent:
                return

    def _begun(self, data: bytes) -> bytes:
        """Return lines to send, after the end of one that was cut short."""
        cut, self._mid_line = self._mid_line, False
        return LINE_END + data if cut else data
