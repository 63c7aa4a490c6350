"""The program itself: Python, its libraries, its font, its service, and what it runs on."""

from collections.abc import Iterator

from hardware.display.interface import Backend, Bus
from hardware.entropy.settings import EntropyMode
from hardware.missing import mend
from station.config.settings import Config, Source
from station.doctor.findings import Finding, bad, good, weak
from station.doctor.machine import Machine

OLDEST_PYTHON = (3, 11)

CORE = ("gpiozero", "luma.core", "luma.oled", "PIL", "serial", "smbus2")
"""The modules that every station needs."""

GPIOD, SPIDEV, LGPIO, EVDEV = OPTIONAL = ("gpiod", "spidev", "lgpio", "evdev")
"""Those that some need."""


def model(machine: Machine) -> str:
    """Return the name of the Raspberry Pi, or an empty text where it is none."""
    text = (machine.read("/proc/device-tree/model") or b"").decode("utf-8", "replace")
    name = text.strip("\0 \n")
    return name if "Raspberry Pi" in name else ""


def machine_findings(machine: Machine) -> Iterator[Finding]:
    """Yield what the program runs on."""
    name = model(machine)
    if name:
        yield good("machine", name)
    else:
        yield weak("machine", "it is not a Raspberry Pi", "dice-station simulate")


def python_findings(machine: Machine) -> Iterator[Finding]:
    """Yield how Python is."""
    version = ".".join(str(part) for part in machine.python)
    oldest = ".".join(str(part) for part in OLDEST_PYTHON)
    if machine.python >= OLDEST_PYTHON:
        yield good("python", f"Python {version}")
    else:
        yield bad("python", f"Python {version} is older than {oldest}", "sudo apt full-upgrade")


def library_findings(machine: Machine, config: Config) -> Iterator[Finding]:
    """Yield each library that is missing and needed, then those that are there or not needed."""
    wanted = (*CORE, *needed(config))
    missing = [each for each in wanted if not machine.has_module(each)]
    for module in missing:
        yield bad("libraries", f"the library {module} is missing", mend(module))
    present = [each for each in wanted if each not in missing]
    if present:
        yield good("libraries", f"found: {', '.join(present)}")
    others = [each for each in OPTIONAL if each not in wanted]
    told = (f"{x} ({'there' if machine.has_module(x) else 'absent'})" for x in others)
    yield good("libraries", f"not needed here: {', '.join(told)}")


def needed(config: Config) -> Iterator[str]:
    """Yield the libraries that this configuration needs beside the usual ones."""
    if uses_gpio(config):
        match config.controls.backend:
            case "gpiod":
                yield GPIOD
            case "lgpio":
                yield LGPIO
            case _:
                pass
    if config.controls.source is Source.EVDEV:
        yield EVDEV
    if config.display.backend is Backend.PANEL and config.display.panel.bus is Bus.SPI:
        yield SPIDEV


def uses_gpio(config: Config) -> bool:
    """Return whether any pin of the header is driven or read by the program itself."""
    return config.controls.backend != "mock" and bool(dict(pins(config)))


def pins(config: Config) -> Iterator[tuple[int, str]]:
    """Yield each GPIO that the program opens, with the key that says so."""
    for line, gpio in config.controls.lines:
        yield gpio, f"wiring.{line}"
    for name, output in (("led", config.outputs.led), ("buzzer", config.outputs.buzzer)):
        if output is not None:
            yield output, f"wiring.{name}"
    panel = config.display.panel
    if config.display.backend is Backend.PANEL and panel.bus is Bus.SPI:
        yield panel.dc, "display.dc"
        if panel.reset is not None:
            yield panel.reset, "display.reset"


def font_findings(machine: Machine) -> Iterator[Finding]:
    """Yield whether the panel's font can be drawn."""
    problem = machine.font_problem()
    if problem:
        yield bad("fonts", f"the panel's font cannot be drawn: {problem}", mend("station"))
    else:
        yield good("fonts", "the panel's font is there")


def reads_hardware(config: Config) -> bool:
    """Return whether rolls use a hardware generator."""
    return config.entropy.mode != EntropyMode.URANDOM
