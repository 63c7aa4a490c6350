"""A bell that one thread rings to end another's wait for a descriptor."""

import os
import select
import threading


class Wakeup:
    """Rung on any thread, heard by `select.poll` on the one that opened it."""

    def __init__(self) -> None:
        self._hears = self._rings = -1
        # So that no one rings a number that meanwhile belongs to another file.
        self._lock = threading.Lock()

    def open(self) -> None:
        """Be ready to be heard."""
        with self._lock:
            self._hears, self._rings = os.pipe()
            os.set_blocking(self._hears, False)
            os.set_blocking(self._rings, False)

    def fileno(self) -> int:
        """Return the descriptor that is readable while the bell rings."""
        return self._hears

    def ring(self) -> None:
        """Ring; several times are as good as once, and while it is closed nobody waits."""
        with self._lock:
            if self._rings < 0:
                return
            try:
                os.write(self._rings, b"!")
            except BlockingIOError:
                # It has been ringing for long.
                return

    def wait(self, seconds: float) -> None:
        """Wait until it rings, or so long."""
        poll = select.poll()
        poll.register(self._hears, select.POLLIN)
        poll.poll(seconds * 1000)

    def silence(self) -> bool:
        """Stop the ringing, and return whether there was any."""
        rang = False
        try:
            while os.read(self._hears, 512):
                rang = True
        except BlockingIOError:
            pass
        return rang

    def close(self) -> None:
        """Let go of the descriptors; it may be opened again."""
        with self._lock:
            hears, rings = self._hears, self._rings
            self._hears = self._rings = -1
            for descriptor in (hears, rings):
                if descriptor >= 0:
                    os.close(descriptor)
