"""A mock station's controls: pins, hands, clock, and the edges that came."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from hardware.clock import Nanoseconds
from hardware.controls import factories
from hardware.controls.events import Edge
from hardware.controls.factories import PinBackend
from hardware.controls.gpio import GpioControls
from hardware.controls.simulated import SimulatedControls, VirtualClock


@dataclass(slots=True)
class Bench:
    """Controls on mock pins, with hands on them and a sink that remembers."""

    backend: PinBackend
    clock: VirtualClock
    edges: list[Edge] = field(default_factory=list)

    def controls(self) -> GpioControls:
        return GpioControls(self.backend, self.edges.append, self.clock)

    def hands(self) -> SimulatedControls:
        return SimulatedControls(self.backend.factory, pause=self.clock.advance)


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock(Nanoseconds(1_000_000))


@pytest.fixture
def bench(clock: VirtualClock) -> Iterator[Bench]:
    """MockFactory.close keeps the pins' levels (gpiozero #1087), so it is reset as well."""
    backend = factories.build("mock")
    yield Bench(backend, clock)
    backend.factory.close()
    backend.factory.reset()
