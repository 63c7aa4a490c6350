"""A panel at the end of a bus: only what changed goes over it.

This wraps what luma.oled's devices do, who send every frame whole (1,034 bytes on an SSD1306, 1,080
on an SH1106) and pack it pixel by pixel in Python. It also builds nothing to find out whether a
panel is there: each luma device that fails in its constructor stays in memory until exit.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from PIL import Image

from hardware.display.controllers import Commands, controller
from hardware.display.differ import Window
from hardware.display.interface import Brightness, DisplayError, PanelSettings, check_frame
from hardware.display.transport import Transport


class WireDisplay:
    """One panel. A failed transfer makes its state unknown; the next call starts from nothing.

    Not for several threads.

    Args:
        panel: The settings.
        opener: Opens the way to it; called again after each failure.
    """

    def __init__(self, panel: PanelSettings, opener: Callable[[], Transport]) -> None:
        self._panel = panel
        self._controller = controller(panel)
        self._opener = opener
        self._transport: Transport | None = None
        self._memory: bytes | None = None
        self._wanted = self._controller.pack(Image.new("1", panel.size))
        self._level = Brightness.FULL

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of a frame, in pixels."""
        return self._panel.size

    def probe(self) -> None:
        """Ask for a sign of life, at the cost of one byte after the address; SPI always passes.

        Raises:
            DisplayError: The bus cannot be opened.
            OSError: Nothing answered.
        """
        with self._bus() as bus:
            bus.probe()

    def start(self, image: Image.Image, level: Brightness) -> None:
        """Set everything up from an unknown state: registers, brightness, the whole frame.

        Raises:
            FrameError: The image's mode is not "1" or its size is another.
            DisplayError: The bus cannot be opened.
            OSError: Something did not arrive.
        """
        check_frame(image, self.size)
        self._wanted, self._level = self._controller.pack(image), level
        self._begin()

    def refresh(self) -> None:
        """Repeat set-up and frame; a panel that kept its power shows no difference.

        Raises:
            DisplayError: The bus cannot be opened.
            OSError: Something did not arrive.
        """
        if self._memory is None:
            self._begin()
        else:
            self._set_up(self._controller.setup_unseen())

    def show(self, image: Image.Image) -> None:
        """Send what differs from the last frame; nothing if nothing does.

        Raises:
            FrameError: The image's mode is not "1" or its size is another.
            DisplayError: The bus cannot be opened.
            OSError: Something did not arrive.
        """
        check_frame(image, self.size)
        self._wanted = self._controller.pack(image)
        if self._memory is None:
            self._begin()
            return
        windows = self._controller.differ.windows(self._memory, self._wanted)
        if windows:
            self._send(windows)

    def dim(self, level: Brightness) -> None:
        """Set the brightness; back to FULL is a whole set-up.

        A panel that was re-plugged while nobody looked answers like one that never left, but it is
        dark: whoever wakes it by a control shall see a picture.

        Raises:
            DisplayError: The bus cannot be opened.
            OSError: Something did not arrive.
        """
        if level is self._level and self._memory is not None:
            return
        self._level = level
        if level is Brightness.FULL or self._memory is None:
            self._begin()
            return
        with self._bus() as bus:
            bus.command(self._controller.drive(level) + self._controller.power(level))

    def close(self) -> None:
        """Go dark and give the bus back; never raises, may be called twice."""
        if self._transport is not None and self._memory is not None:
            with suppress(OSError, DisplayError), self._bus() as bus:
                bus.command(self._controller.power(Brightness.OFF))
        self._forget()

    def _begin(self) -> None:
        self._memory = None
        self._set_up(self._controller.setup())

    def _set_up(self, setup: tuple[Commands, ...]) -> None:
        with self._bus() as bus:
            for commands in setup:
                bus.command(commands)
            # A panel that starts OFF still gets a drive level, so that no register is left over.
            level = Brightness.DIM if self._level is Brightness.OFF else self._level
            bus.command(self._controller.drive(level))
        self._send(self._controller.whole)
        with self._bus() as bus:
            bus.command(self._controller.power(self._level))

    def _send(self, windows: tuple[Window, ...]) -> None:
        row_length = self._controller.ROW_LENGTH
        with self._bus() as bus:
            for window in windows:
                bus.command(self._controller.open(window))
                bus.data(window.cut(self._wanted, row_length))
        self._memory = self._wanted

    @contextmanager
    def _bus(self) -> Iterator[Transport]:
        if self._transport is None:
            self._transport = self._opener()
        try:
            yield self._transport
        except Exception:
            self._forget()
            raise

    def _forget(self) -> None:
        transport, self._transport, self._memory = self._transport, None, None
        if transport is not None:
            transport.close()
