"""The program itself: Python, its libraries, its font, its service, and what it runs on."""

from collections.abc import Iterator

from hardware.display.interface import Backend, Bus
from hardware.entropy.settings import EntropyMode
from rules.frozen import frozen
from station.config.settings import Config, Source
from station.doctor.account import Account
from station.doctor.findings import Finding, bad, good, weak
from station.doctor.machine import Machine

OLDEST_PYTHON = (3, 11)

UNIT = "dice-station.service"

_UNIT_FOLDERS = ("/etc/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system")


@frozen
class Library:
    """A Python module, and the command that installs it."""

    module: str
    mend: str


_PIP = "pip install --force-reinstall dice-station"
CORE = (
    Library("gpiozero", _PIP),
    Library("luma.core", _PIP),
    Library("luma.oled", _PIP),
    Library("PIL", _PIP),
    Library("serial", _PIP),
    Library("smbus2", _PIP),
)
"""What every station needs."""

GPIOD = Library("gpiod", "pip install 'dice-station[pi]'")
SPIDEV = Library("spidev", "pip install 'dice-station[pi]'")
LGPIO = Library("lgpio", "sudo apt install python3-lgpio")
EVDEV = Library("evdev", "sudo apt install python3-evdev")


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
    missing = [each for each in wanted if not machine.has_module(each.module)]
    for library in missing:
        yield bad("libraries", f"the library {library.module} is missing", library.mend)
    present = [each.module for each in wanted if each not in missing]
    if present:
        yield good("libraries", f"found: {', '.join(present)}")
    others = [each for each in (GPIOD, SPIDEV, LGPIO, EVDEV) if each not in wanted]
    told = (f"{x.module} ({'there' if machine.has_module(x.module) else 'absent'})" for x in others)
    yield good("libraries", f"not needed here: {', '.join(told)}")


def needed(config: Config) -> Iterator[Library]:
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
        yield bad("fonts", f"the panel's font cannot be drawn: {problem}", _PIP)
    else:
        yield good("fonts", "the panel's font is there")


def service_findings(machine: Machine, account: Account) -> Iterator[Finding]:
    """Yield how the service is, where it is installed."""
    unit = _unit(machine)
    if unit is None:
        yield good("service", "the station is not installed as a service")
        return
    yield from _groups(machine, account, unit)
    ran = machine.run("systemctl", "is-active", UNIT)
    state = ran.output if ran else "unknown"
    if state == "failed":
        mend = f"journalctl -u {UNIT} -n 30"
        yield bad("service", "the service has failed", mend)
    elif state in ("active", "activating", "reloading"):
        yield good("service", f"the service is {state}")
    else:
        mend = f"sudo systemctl enable --now {UNIT}"
        yield weak("service", f"the service is {state or 'unknown'}", mend)


def _unit(machine: Machine) -> str | None:
    paths = (f"{folder}/{UNIT}" for folder in _UNIT_FOLDERS)
    return next((path for path in paths if machine.owned(path) is not None), None)


def _groups(machine: Machine, account: Account, unit: str) -> Iterator[Finding]:
    """Yield each group that the unit asks for in vain: systemd then does not start it at all."""
    known = {name for _, name in account.names}
    folders = (f"{folder}/{UNIT}.d" for folder in _UNIT_FOLDERS)
    files = [unit, *(f"{folder}/{name}" for folder in folders for name in machine.names(folder))]
    for file in files:
        for line in (machine.read(file) or b"").decode("utf-8", "replace").splitlines():
            key, _, value = line.partition("=")
            if key.strip() == "SupplementaryGroups":
                for group in value.split():
                    if group not in known:
                        text = f"the unit wants the group {group}, which is missing (216/GROUP)"
                        yield bad("service", text, f"sudo groupadd --system {group}")


def reads_hardware(config: Config) -> bool:
    """Return whether rolls use a hardware generator."""
    return config.entropy.mode != EntropyMode.URANDOM
