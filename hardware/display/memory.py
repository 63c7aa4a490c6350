"""The desktop's display: luma's dummy device, which only keeps the frame it was given."""

from luma.core.device import dummy
from PIL import Image

from hardware.display.interface import Brightness, check_frame


class MemoryDisplay:
    """A display without hardware; `frame` and `level` are what a person would see.

    Args:
        size: Width and height, in pixels.
    """

    def __init__(self, size: tuple[int, int] = (128, 64)) -> None:
        width, height = size
        self._device = dummy(width=width, height=height, mode="1")
        self._device.display(Image.new("1", size))
        self._level = Brightness.FULL

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of a frame, in pixels."""
        width, height = self._device.size
        return width, height

    @property
    def frame(self) -> Image.Image:
        """A copy of the last frame shown; black before the first."""
        frame: Image.Image = self._device.image.copy()
        return frame

    @property
    def level(self) -> Brightness:
        """The brightness last set."""
        return self._level

    def show(self, image: Image.Image) -> None:
        """Keep a copy of the frame.

        Raises:
            FrameError: The image's mode is not "1" or its size is another.
        """
        check_frame(image, self.size)
        self._device.display(image)

    def dim(self, level: Brightness) -> None:
        """Keep the brightness."""
        self._level = level

    def close(self) -> None:
        """Go dark."""
        self._level = Brightness.OFF

    def probe(self) -> None:
        """Answer: memory is never lost."""

    def refresh(self) -> None:
        """Do nothing: memory keeps its frame."""

    def start(self, image: Image.Image, level: Brightness) -> None:
        """Keep the frame and the brightness.

        Raises:
            FrameError: The image's mode is not "1" or its size is another.
        """
        self.show(image)
        self.dim(level)
