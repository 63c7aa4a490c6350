"""The pin factory over libgpiod on a fake kernel: what gpiozero asks, and what goes wrong."""

import errno
import logging
import os
import threading
from collections.abc import Callable, Iterator
from queue import Queue
from typing import Any

import pytest
from gpiod.line import Bias, Direction, Edge
from gpiozero import DigitalInputDevice, DigitalOutputDevice
from gpiozero.exc import (
    GPIOPinInUse,
    PinFixedPull,
    PinInvalidBounce,
    PinInvalidEdges,
    PinInvalidFunction,
    PinInvalidPin,
    PinInvalidPull,
    PinInvalidState,
    PinPWMUnsupported,
    PinSetInput,
    PinSPIUnsupported,
)

from hardware.clock import MILLISECOND, Nanoseconds
from hardware.controls import events, factories
from hardware.controls.errors import FactoryUnavailable, PinUnavailable
from hardware.controls.gpio import GpioControls
from hardware.controls.gpiod_chip import LinuxKernel
from hardware.controls.gpiod_factory import GpiodFactory
from hardware.controls.outputs import GpioWire
from hardware.controls.panel import ControlPanel
from hardware.controls.simulated import VirtualClock

SOON = 5.0
"""Seconds; how long a test waits for another thread before it fails."""

READER = "gpio-edges"


def backend_of(factory: GpiodFactory) -> factories.PinBackend:
    lines = factory.lines
    return factories.PinBackend(
        "gpiod", factory, factory.alive, Nanoseconds, lines.follow, lines.together
    )


@pytest.fixture
def factory(kernel: Any) -> Iterator[GpiodFactory]:
    factory = GpiodFactory(kernel=kernel, first_retry=Nanoseconds(MILLISECOND))
    yield factory
    factory.close()
    assert kernel.chip.requests == []
    assert READER not in [thread.name for thread in threading.enumerate()]


class Listener:
    """Takes a pin's reports from the reader thread."""

    def __init__(self) -> None:
        self.heard: Queue[tuple[int, int]] = Queue()

    def changed(self, ticks: int, state: int) -> None:
        self.heard.put((ticks, state))

    def next(self) -> tuple[int, int]:
        return self.heard.get(timeout=SOON)


Watch = Callable[[int], tuple[Any, Listener]]


@pytest.fixture
def watch(factory: GpiodFactory) -> Watch:
    """Watches a pin; devices are kept, since gpiozero closes one that nobody refers to."""
    kept = []

    def watch(gpio: int) -> tuple[Any, Listener]:
        device = DigitalInputDevice(gpio, pull_up=True, pin_factory=factory)
        listener = Listener()
        device.pin.when_changed = listener.changed
        kept.append((device, listener))
        return device, listener

    return watch


def eventually(condition: Callable[[], bool]) -> None:
    """Wait for another thread without sleeping here."""
    tick = threading.Event()
    for _ in range(int(SOON / 0.002)):
        if condition():
            return
        tick.wait(0.002)
    pytest.fail("it never happened")


def test_an_input_is_pulled_up_and_watched_for_both_edges(watch: Watch, kernel: Any) -> None:
    device, _ = watch(5)
    settings = kernel.chip.request_of(5).settings[5]
    assert settings.direction is Direction.INPUT
    assert (settings.bias, settings.edge_detection) == (Bias.PULL_UP, Edge.BOTH)
    assert not settings.debounce_period
    assert device.value == 0
    kernel.chip.levels[5] = False
    assert device.value == 1
    device.close()
    assert kernel.chip.requests == []


def test_edges_come_with_the_kernels_time_stamp(watch: Watch, kernel: Any) -> None:
    _, listener = watch(5)
    kernel.chip.drive(5, high=False, at=123_456_789)
    kernel.chip.drive(5, high=True, at=123_999_999)
    assert [listener.next(), listener.next()] == [(123_456_789, 0), (123_999_999, 1)]


def test_all_inputs_are_one_request_so_that_edges_keep_their_order(
    watch: Watch, kernel: Any
) -> None:
    _, first = watch(17)
    second, _ = watch(27)
    second.pin.when_changed = first.changed
    (request,) = kernel.chip.requests
    assert set(request.settings) == {17, 27}
    for at in range(1, 50):
        line, high = (17, at % 4 not in {1, 2}) if at % 2 else (27, at % 4 not in {2, 3})
        kernel.chip.drive(line, high=high, at=at)
    assert [first.next()[0] for _ in range(1, 50)] == list(range(1, 50))


def test_inputs_taken_together_are_watched_at_once_in_the_end(
    factory: GpiodFactory, watch: Watch, kernel: Any
) -> None:
    watch(5)
    before = kernel.chip.asked
    with factory.lines.together():
        devices = [watch(gpio) for gpio in (17, 27, 22)]
        kernel.chip.levels[27] = False
        assert [device.value for device, _ in devices] == [0, 1, 0]
    assert [set(request.settings) for request in kernel.chip.requests] == [{5, 17, 27, 22}]
    assert kernel.chip.asked - before == 3 + 1
    kernel.chip.drive(17, high=False, at=7)
    assert devices[0][1].next() == (7, 0)


def test_a_line_held_alone_is_changed_without_giving_it_back(
    factory: GpiodFactory, kernel: Any
) -> None:
    pin = factory.pin(5)
    pin.function = "input"
    (held,) = kernel.chip.requests
    pin.pull = "down"
    assert held.settings[5].bias is Bias.PULL_DOWN
    pin.function = "output"
    pin.state = 1
    assert (held.settings[5].direction, kernel.chip.levels[5]) == (Direction.OUTPUT, True)
    assert kernel.chip.requests == [held]
    kernel.chip.vanish()
    with pytest.raises(OSError, match="No such device"):
        pin.function = "input"
    assert pin.function == "output"
    pin.close()


def test_a_line_that_is_taken_meanwhile_costs_the_others_nothing(
    factory: GpiodFactory, watch: Watch, kernel: Any, caplog: pytest.LogCaptureFixture
) -> None:
    _, known = watch(5)
    with factory.lines.together():
        lost, _ = watch(17)
        kernel.chip.strangers.add(17)
    assert "lines can't be watched" in caplog.text
    with pytest.raises(OSError, match="No such device"):
        _ = lost.value
    kernel.chip.drive(5, high=False, at=7)
    assert known.next() == (7, 0)


def test_the_kernel_can_debounce(watch: Watch, kernel: Any) -> None:
    device, _ = watch(5)
    device.pin.bounce = 0.005
    assert device.pin.bounce == 0.005
    assert kernel.chip.request_of(5).settings[5].debounce_period.total_seconds() == 0.005
    device.pin.bounce = None
    assert device.pin.bounce is None


@pytest.mark.parametrize("edges", ["rising", "falling", "none", "both"])
def test_edges_can_be_chosen(watch: Watch, kernel: Any, edges: str) -> None:
    device, _ = watch(5)
    device.pin.edges = edges
    assert device.pin.edges == edges
    assert kernel.chip.request_of(5).settings[5].edge_detection is Edge[edges.upper()]


def test_an_output_starts_at_its_level_and_follows(factory: GpiodFactory, kernel: Any) -> None:
    kernel.chip.levels[16] = True
    led = DigitalOutputDevice(16, pin_factory=factory)
    assert not kernel.chip.levels[16]
    led.on()
    assert kernel.chip.levels[16]
    assert led.value == 1
    led.close()
    assert kernel.chip.requests == []


def test_a_new_line_does_not_lose_edges_that_wait(
    factory: GpiodFactory, watch: Watch, kernel: Any
) -> None:
    _, listener = watch(5)
    with factory.lines._config:  # noqa: SLF001 (keeps the reader from being faster than the test)
        kernel.chip.levels[5] = False
        watch(6)
    assert listener.next()[1] == 0


@pytest.mark.parametrize("name", [17, "17", "GPIO17", "gpio17", "BCM17"])
def test_a_pin_has_one_object_whatever_it_is_called(factory: GpiodFactory, name: str) -> None:
    assert factory.pin(name) is factory.pin(17)
    assert repr(factory.pin(name)) == "GPIO17"


@pytest.mark.parametrize("name", ["J8:11", "GPIO", "seventeen", -1, "1.5"])
def test_a_name_that_is_no_pin_is_refused(factory: GpiodFactory, name: str) -> None:
    with pytest.raises(PinInvalidPin, match="is no pin: give its number"):
        factory.pin(name)


def test_what_it_cannot_do_it_says(factory: GpiodFactory) -> None:
    pin = factory.pin(5)
    with pytest.raises(PinInvalidFunction, match="function 'pwm' of GPIO5"):
        pin.function = "pwm"
    pin.function = "input"
    with pytest.raises(PinSetInput, match="GPIO5 is an input and cannot be driven"):
        pin.state = 1
    with pytest.raises(PinInvalidPull, match="pull 'sideways' of GPIO5"):
        pin.pull = "sideways"
    for bounce in (-1, float("nan"), 1e9):
        with pytest.raises(PinInvalidBounce, match=f"bounce {bounce} of GPIO5"):
            pin.bounce = bounce
    with pytest.raises(PinInvalidEdges, match="edges 'up' of GPIO5"):
        pin.edges = "up"
    with pytest.raises(PinPWMUnsupported, match="GPIO5 has no PWM"):
        pin.frequency = 100
    pin.function = "output"
    with pytest.raises(PinFixedPull, match="GPIO5 is an output and has no pull"):
        pin.pull = "up"
    with pytest.raises(PinInvalidState, match=r"state 0.5 of GPIO5 must be 0 or 1"):
        pin.state = 0.5
    with pytest.raises(PinSPIUnsupported, match="no SPI"):
        factory.spi(port=0, device=0)


def test_a_pin_says_what_it_is(factory: GpiodFactory) -> None:
    pin = factory.pin(5)
    pin.input_with_pull("down")
    assert (pin.function, pin.pull, pin.frequency) == ("input", "down", None)
    pin.output_with_state(1)
    assert (pin.function, pin.state) == ("output", 1)
    assert factory.ticks_diff(factory.ticks() + 1_500_000_000, factory.ticks()) > 1.4


def test_a_busy_line_names_its_holder_and_the_others_go_on(watch: Watch, kernel: Any) -> None:
    kernel.chip.strangers.add(6)
    _, listener = watch(5)
    with pytest.raises(GPIOPinInUse, match="GPIO6 is held by fan"):
        watch(6)
    kernel.chip.drive(5, high=False, at=7)
    assert listener.next() == (7, 0)


def test_a_busy_line_is_the_controls_pin_unavailable(factory: GpiodFactory, kernel: Any) -> None:
    kernel.chip.strangers.add(26)
    edges: Queue[events.Edge] = Queue()
    with GpioControls(backend_of(factory), edges.put, VirtualClock()) as controls:
        assert controls.health().missing == ("line roll cannot have GPIO26: GPIO26 is held by fan",)
        kernel.chip.drive(22, high=False, at=7)
        assert edges.get(timeout=SOON).line == "push"
    with pytest.raises(PinUnavailable, match="the LED cannot have GPIO26: GPIO26 is held by fan"):
        GpioWire(factory, "the LED", 26)


def test_a_line_the_chip_does_not_have_is_refused(factory: GpiodFactory) -> None:
    with GpioControls(backend_of(factory), print, VirtualClock(), {"up": 99}) as controls:
        assert "line up cannot have GPIO99: GPIO99 is no line" in controls.health().missing[0]


def test_the_reader_outlives_a_handler_that_throws(
    factory: GpiodFactory, watch: Watch, kernel: Any, caplog: pytest.LogCaptureFixture
) -> None:
    class Faulty(Listener):
        def changed(self, ticks: int, state: int) -> None:
            super().changed(ticks, state)
            raise RuntimeError("broken")

    faulty = Faulty()
    device, _ = watch(5)
    device.pin.when_changed = faulty.changed
    with caplog.at_level(logging.ERROR):
        kernel.chip.drive(5, high=False, at=1)
        kernel.chip.drive(5, high=True, at=2)
        assert [faulty.next(), faulty.next()] == [(1, 0), (2, 1)]
        eventually(lambda: factory.lines.faults == 2)
    assert factory.alive()
    assert "the handler of GPIO5 failed" in caplog.text


def test_edges_the_kernel_dropped_are_made_up_for_by_the_level(watch: Watch, kernel: Any) -> None:
    _, listener = watch(5)
    other, _ = watch(6)
    hold, entered = threading.Event(), threading.Event()

    class Slow(Listener):
        def changed(self, ticks: int, state: int) -> None:  # noqa: ARG002 (gpiozero's signature)
            entered.set()
            hold.wait(SOON)

    slow = Slow()
    other.pin.when_changed = slow.changed
    kernel.chip.drive(6, high=False, at=1)
    assert entered.wait(SOON)
    request = kernel.chip.request_of(5)
    for at in range(2, 1200):
        kernel.chip.drive(5, high=at % 2 == 1, at=at)
    request._queue.pop()  # noqa: SLF001 (the newest is lost as well)
    hold.set()
    heard = [listener.next()]
    while heard[-1][0] != 1198:
        heard.append(listener.next())
    assert len(heard) < 1198
    assert kernel.chip.levels[5]
    assert listener.next()[1] == 1


def test_a_chip_that_vanishes_is_noticed_and_comes_back(
    factory: GpiodFactory, watch: Watch, kernel: Any, caplog: pytest.LogCaptureFixture
) -> None:
    _, listener = watch(5)
    led = DigitalOutputDevice(16, pin_factory=factory)
    led.on()
    assert factory.alive()
    old = kernel.chips.pop("/dev/gpiochip0")
    with caplog.at_level(logging.WARNING):
        old.vanish()
        eventually(lambda: not factory.alive())
        eventually(lambda: old.requests == [] and old.closed)
        with pytest.raises(OSError, match="No such device"):
            led.off()
        new = type(old)()
        new.levels[5] = False
        kernel.chips["/dev/gpiochip4"] = new
        eventually(factory.alive)
    assert listener.next()[1] == 0
    new.drive(5, high=True, at=99)
    assert listener.next() == (99, 1)
    eventually(lambda: "the GPIO chip is back" in caplog.text)
    assert caplog.text.count("the GPIO chip is lost") == 1
    kernel.chips["/dev/gpiochip0"] = new


def test_a_chip_that_goes_without_waking_anybody_is_noticed_by_asking(
    factory: GpiodFactory, watch: Watch, kernel: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """Linux 6.1 leaves who polls a chip's lines asleep when the chip is removed."""
    _, listener = watch(5)
    assert factory.alive()
    kernel.chip.gone = True
    assert not factory.alive()
    eventually(lambda: "the GPIO chip is lost" in caplog.text)
    kernel.chip.gone = False
    eventually(factory.alive)
    kernel.chip.drive(5, high=False, at=99)
    assert listener.next() == (99, 0)


def test_a_handler_that_does_not_end_is_no_life(
    factory: GpiodFactory, watch: Watch, kernel: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    device, listener = watch(5)
    hold, entered = threading.Event(), threading.Event()

    def hang(*_: object) -> None:
        entered.set()
        hold.wait(SOON)

    device.pin.when_changed = hang
    kernel.chip.drive(5, high=False, at=1)
    assert entered.wait(SOON)
    assert factory.alive()
    monkeypatch.setattr("hardware.progress.HANGS_AFTER", 0)
    assert not factory.alive()
    device.pin.when_changed = listener.changed
    hold.set()
    eventually(factory.alive)


def test_devices_can_be_closed_while_the_chip_is_lost(
    factory: GpiodFactory, watch: Watch, kernel: Any
) -> None:
    device, _ = watch(5)
    led = DigitalOutputDevice(16, pin_factory=factory)
    kernel.chip.vanish()
    eventually(lambda: not factory.alive())
    device.close()
    led.close()
    with pytest.raises(OSError, match="No such device"):
        watch(6)


def test_a_chip_found_busy_is_looked_for_again(
    factory: GpiodFactory, watch: Watch, kernel: Any
) -> None:
    watch(5)
    kernel.chip.strangers.add(5)
    kernel.chip.vanish()
    eventually(lambda: not factory.alive())
    kernel.chip.gone = False
    eventually(lambda: kernel.opened > 5)
    assert not factory.alive()
    kernel.chip.strangers.clear()
    eventually(factory.alive)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_dead_reader_is_not_alive(factory: GpiodFactory, watch: Watch, kernel: Any) -> None:
    """The watchdog hangs on this: a thread that ended without a word means deaf pins."""
    watch(5)
    thread = factory.lines._thread  # noqa: SLF001 (nothing public can kill the reader)
    assert thread is not None
    factory.lines._teller.missed = True  # noqa: SLF001 (leads the reader to the broken call)
    factory.lines._tell_changes = lambda: (_ for _ in ()).throw(SystemExit)  # type: ignore[method-assign]  # noqa: SLF001 (as above)
    kernel.chip.request_of(5).wake()
    thread.join(SOON)
    assert not factory.alive()


def test_a_handler_may_close_its_own_pin(factory: GpiodFactory, watch: Watch, kernel: Any) -> None:
    closed = threading.Event()
    device, _ = watch(5)

    class Closing(Listener):
        def changed(self, ticks: int, state: int) -> None:  # noqa: ARG002 (gpiozero's signature)
            device.close()
            closed.set()

    closing = Closing()
    device.pin.when_changed = closing.changed
    kernel.chip.drive(5, high=False, at=1)
    assert closed.wait(SOON)
    assert factory.alive()
    watch(6)


def test_the_controls_work_on_it_with_kernel_times(factory: GpiodFactory, kernel: Any) -> None:
    edges: Queue[events.Edge] = Queue()
    with GpioControls(backend_of(factory), edges.put, VirtualClock()) as controls:
        kernel.chip.drive(26, high=False, at=5_000)
        assert edges.get(timeout=SOON) == events.Edge("roll", closed=True, at=Nanoseconds(5_000))
        assert controls.health().backend == "gpiod"
        assert controls.alive()
        kernel.chip.vanish()
        eventually(lambda: not controls.alive())
        assert controls.health().lost_since is not None


def test_a_button_that_is_down_while_its_chip_is_away_presses_nothing(
    factory: GpiodFactory, kernel: Any
) -> None:
    edges: Queue[events.Edge] = Queue()
    clock = VirtualClock()
    panel = ControlPanel()
    told: list[Any] = []
    with GpioControls(backend_of(factory), edges.put, clock) as controls:
        kernel.chip.drive(26, high=False, at=0)
        told += panel.feed(edges.get(timeout=SOON))
        clock.advance(Nanoseconds(100_000_000))
        old = kernel.chips.pop("/dev/gpiochip0")
        old.vanish()
        for _ in events.LINES:
            told += panel.feed(edges.get(timeout=SOON))
        assert panel.stuck() == ()
        new = type(old)()
        new.levels[26] = new.levels[17] = False
        kernel.chips["/dev/gpiochip0"] = new
        back = [edges.get(timeout=SOON) for _ in range(2)]
        told += [event for edge in back for event in panel.feed(edge)]
        assert [(edge.line, edge.closed, edge.found) for edge in back] == [
            ("knob_a", True, True),
            ("roll", True, True),
        ]
        assert panel.stuck() == (events.Control.ROLL,)
        new.drive(26, high=True, at=200_000_000)
        told += panel.feed(edges.get(timeout=SOON))
        told += panel.advance(Nanoseconds(9_000_000_000))
        assert panel.stuck() == ()
        assert controls.alive()
    assert [type(event).__name__ for event in told] == ["Pressed"]


def test_a_line_taken_while_the_chip_was_away_costs_no_other(
    factory: GpiodFactory, kernel: Any, caplog: pytest.LogCaptureFixture
) -> None:
    edges: Queue[events.Edge] = Queue()
    with GpioControls(backend_of(factory), edges.put, VirtualClock()) as controls:
        led = GpioWire(factory, "the LED", 16)
        old = kernel.chips.pop("/dev/gpiochip0")
        old.vanish()
        eventually(lambda: not controls.alive())
        new = type(old)()
        new.strangers |= {26, 16}
        kernel.chips["/dev/gpiochip0"] = new
        eventually(lambda: bool(controls.health().missing))
        assert "line roll cannot have GPIO26" in controls.health().missing[0]
        with pytest.raises(PinUnavailable, match="the LED is lost"):
            led.write(on=True)
        led.close()
        while edges.get(timeout=SOON).line != "roll":
            pass
        new.drive(22, high=False, at=7)
        assert edges.get(timeout=SOON) == events.Edge("push", closed=True, at=Nanoseconds(7))
        assert "GPIO16 is held by fan now" in caplog.text
        new.strangers.clear()
        controls.mend()
        assert controls.health().missing == ()


def test_closing_twice_is_nothing(kernel: Any) -> None:
    factory = GpiodFactory(kernel=kernel)
    device = DigitalInputDevice(5, pull_up=True, pin_factory=factory)
    factory.close()
    factory.close()
    device.close()
    assert not factory.alive()
    with pytest.raises(OSError, match="No such device"):
        DigitalInputDevice(6, pull_up=True, pin_factory=factory)


def test_the_chip_is_found_by_label_whatever_its_number(kernel: Any) -> None:
    header = kernel.chips.pop("/dev/gpiochip0")
    header.label = "pinctrl-rp1"
    kernel.chips = {"/dev/gpiochip0": type(header)("gpio-brcmstb"), "/dev/gpiochip4": header}
    factory = GpiodFactory(kernel=kernel)
    factory.pin(5).function = "input"
    assert [set(request.settings) for request in header.requests] == [{5}]
    assert kernel.chips["/dev/gpiochip0"].closed
    factory.close()


@pytest.mark.parametrize("chip", ["gpio-brcmstb", "/dev/gpiochip9"])
def test_the_chip_can_be_named_by_label_or_path(kernel: Any, chip: str) -> None:
    kernel.chips["/dev/gpiochip9"] = type(kernel.chip)("gpio-brcmstb")
    factory = GpiodFactory(chip, kernel=kernel)
    factory.pin(1).function = "input"
    assert len(kernel.chips["/dev/gpiochip9"].requests) == 1
    factory.close()


def test_a_missing_chip_says_which_there_are(kernel: Any) -> None:
    kernel.chip.label = "gpio-sim"
    with pytest.raises(FactoryUnavailable, match=r"no GPIO chip is labelled .*sim\)"):
        GpiodFactory(kernel=kernel)
    kernel.chips.clear()
    with pytest.raises(FactoryUnavailable, match="there is no GPIO chip at all"):
        GpiodFactory(kernel=kernel)


def test_a_forbidden_chip_says_what_to_do(kernel: Any) -> None:
    kernel.refuse = OSError(errno.EACCES, os.strerror(errno.EACCES))
    with pytest.raises(FactoryUnavailable, match=r"gpiochip0 cannot be opened: .* group gpio"):
        GpiodFactory(kernel=kernel)


def test_a_chip_that_cannot_be_opened_is_passed_over(kernel: Any) -> None:
    header = kernel.chips.pop("/dev/gpiochip0")
    broken, gone = type(header)("gpio-brcmstb"), type(header)("gpio-brcmstb")
    broken.gone = True
    kernel.chips = {"/dev/gpiochip0": broken, "/dev/gpiochip1": gone, "/dev/gpiochip4": header}

    def unreadable() -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    gone.get_info = unreadable
    factory = GpiodFactory(kernel=kernel)
    factory.pin(5).function = "input"
    assert len(header.requests) == 1
    assert gone.closed
    factory.close()
    del kernel.chips["/dev/gpiochip4"]
    with pytest.raises(
        FactoryUnavailable,
        match=r"gpiochip0 cannot be opened: the chip is gone, .*gpiochip1 cannot be read",
    ):
        GpiodFactory(kernel=kernel)


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/dev/null", "it is no GPIO chip"),
        ("/dev", "it is no GPIO chip"),
        ("/dev/gpiochip250", "No such file or directory"),
        ("/dev/gpio\0", "null"),
    ],
)
def test_what_is_no_chip_is_called_so(path: str, reason: str) -> None:
    with pytest.raises(FactoryUnavailable, match=f"cannot be opened: .*{reason}"):
        GpiodFactory(path)


def test_this_machines_chips_are_device_files() -> None:
    assert all(path.startswith("/dev/gpiochip") for path in LinuxKernel().paths())
