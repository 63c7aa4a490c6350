"""The header's pins and buses: there, switched on, permitted, free, and answering."""

from collections.abc import Iterator

from hardware.display.interface import Backend, Bus
from station.config.places import NAME
from station.config.settings import Config, Source
from station.doctor.account import READ, WRITE, Account, forbidden
from station.doctor.findings import Finding, bad, good, weak
from station.doctor.machine import ChipSeen, Machine
from station.doctor.software import model, pins, uses_gpio

FAST_HZ = 400_000
"""What every panel allows (SSD1306 data sheet, table 13-6: clock cycle time 2.5 µs)."""

SIMULATE = "dice-station simulate"
"""What runs without any hardware."""


def config_txt(machine: Machine) -> str:
    """Return where this Pi's boot configuration lies."""
    newer, older = "/boot/firmware/config.txt", "/boot/config.txt"
    return older if machine.owned(older) and not machine.owned(newer) else newer


def absent(machine: Machine, topic: str, text: str, mend: str) -> Finding:
    """Return the finding of missing hardware: a fault on a Pi, to be expected elsewhere."""
    return bad(topic, text, mend) if model(machine) else weak(topic, text, SIMULATE)


def gpio_findings(machine: Machine, account: Account, config: Config) -> Iterator[Finding]:
    """Yield how the pins are, where the program uses any."""
    if not uses_gpio(config):
        yield good("gpio", "no pins are used")
        return
    paths = [f"/dev/{name}" for name in machine.names("/dev") if name.startswith("gpiochip")]
    paths = [path for path in paths if machine.target(path) == path]
    if not paths:
        text = "there is no GPIO chip: no /dev/gpiochip*"
        yield absent(machine, "gpio", text, "sudo apt full-upgrade && sudo reboot")
        return
    chips = {}
    for path in paths:
        try:
            chips[path] = machine.chip(path)
        except (OSError, ImportError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            yield from _unseen(machine, account, path, reason)
    yield from _header(machine, account, config, chips)


def _unseen(machine: Machine, account: Account, path: str, reason: str) -> Iterator[Finding]:
    if (finding := forbidden(machine, account, "gpio", path, READ | WRITE)) is not None:
        yield finding
    else:
        yield weak("gpio", f"{path} cannot be looked at: {reason}", "sudo dice-station doctor")


def _header(
    machine: Machine, account: Account, config: Config, chips: dict[str, ChipSeen]
) -> Iterator[Finding]:
    """Yield how the chip is that the header's pins belong to, and whether its pins are free."""
    wanted = config.controls.chip
    seen = ", ".join(f"{path} ({chip.label})" for path, chip in chips.items())
    for path, chip in chips.items():
        if wanted in (path, chip.label) or (wanted is None and chip.label in _labels()):
            if (finding := forbidden(machine, account, "gpio", path, READ | WRITE)) is not None:
                yield finding
            else:
                yield good("gpio", f"{path} is {chip.label}")
            yield from _taken(machine, config, path, chip)
            return
    if chips:
        label = wanted or " or ".join(_labels())
        mend = 'set chip = "LABEL" in [controls] to one of these'
        yield absent(machine, "gpio", f"no GPIO chip is {label}, only {seen}", mend)


def _labels() -> tuple[str, ...]:
    # Where a chip could be opened, the library that this module needs is there.
    from hardware.controls.gpiod_chip import CHIP_LABELS  # noqa: PLC0415

    return CHIP_LABELS


def _taken(machine: Machine, config: Config, path: str, chip: ChipSeen) -> Iterator[Finding]:
    """Yield each pin that somebody else holds; the station itself names its lines."""
    for gpio, key in pins(config):
        holder = chip.holders.get(gpio)
        if holder is not None and holder != NAME:
            mend = f"remove its line from {config_txt(machine)}, or end it: sudo fuser -v {path}"
            yield bad("gpio", f"GPIO{gpio} ({key}) is taken by {holder}", mend)


def display_findings(machine: Machine, account: Account, config: Config) -> Iterator[Finding]:
    """Yield how the panel's bus is."""
    if config.display.backend is not Backend.PANEL:
        yield good("display", "no panel is configured")
    elif config.display.panel.bus is Bus.I2C:
        yield from _i2c(machine, account, config)
    else:
        yield from _spi(machine, account, config)


def _i2c(machine: Machine, account: Account, config: Config) -> Iterator[Finding]:
    panel = config.display.panel
    path = f"/dev/i2c-{panel.i2c_port}"
    if machine.owned(path) is None:
        yield _no_i2c(machine, panel.i2c_port, path)
        return
    finding = forbidden(machine, account, "i2c", path, READ | WRITE)
    yield finding or good("i2c", f"{path} is there")
    yield from _speed(machine, panel.i2c_port)
    reason = machine.unanswered(panel)
    if reason:
        text = f"no panel answers at 0x{panel.address:02X} on {path}: {reason}"
        yield weak("display", text, f"i2cdetect -y {panel.i2c_port}")
    else:
        yield good("display", f"a panel answers at 0x{panel.address:02X} on {path}")


def _no_i2c(machine: Machine, port: int, path: str) -> Finding:
    if machine.owned(f"/sys/bus/i2c/devices/i2c-{port}") is not None:
        text = f"the bus is on, but there is no {path}: the module i2c-dev is not loaded"
        return bad("i2c", text, "sudo modprobe i2c-dev && echo i2c-dev | sudo tee -a /etc/modules")
    text = f"there is no {path}: the bus is switched off"
    return absent(machine, "i2c", text, "sudo raspi-config nonint do_i2c 0 && sudo reboot")


def _speed(machine: Machine, port: int) -> Iterator[Finding]:
    """Yield the bus's speed, as the device tree has it: a big-endian number of Hz."""
    data = machine.read(f"/sys/bus/i2c/devices/i2c-{port}/of_node/clock-frequency")
    hertz = int.from_bytes(data, "big") if data and len(data) == 4 else 0  # noqa: PLR2004 (a cell)
    if not hertz:
        return
    if hertz >= FAST_HZ:
        yield good("i2c", f"the bus runs at {hertz // 1000} kHz")
    else:
        mend = f"dtparam=i2c_arm=on,i2c_arm_baudrate={FAST_HZ} in {config_txt(machine)}"
        text = f"the bus runs at {hertz // 1000} kHz; a whole picture takes 93 ms at 100 kHz"
        yield weak("i2c", text, mend)


def _spi(machine: Machine, account: Account, config: Config) -> Iterator[Finding]:
    panel = config.display.panel
    path = f"/dev/spidev{panel.spi_port}.{panel.spi_device}"
    if machine.owned(path) is None:
        mend = "sudo raspi-config nonint do_spi 0 && sudo reboot"
        if panel.spi_port:
            mend = f"dtoverlay=spi{panel.spi_port}-3cs in {config_txt(machine)}"
        yield absent(machine, "spi", f"there is no {path}: the bus is switched off", mend)
        return
    finding = forbidden(machine, account, "spi", path, READ | WRITE)
    yield finding or good("spi", f"{path} is there")


def input_findings(machine: Machine, account: Account, config: Config) -> Iterator[Finding]:
    """Yield how the kernel's input devices are, where controls come from there."""
    if config.controls.source is not Source.EVDEV:
        return
    for path in config.controls.devices:
        if machine.owned(path) is None:
            mend = "ls -l /dev/input/by-path/"
            yield bad("input", f"there is no {path}", mend)
        else:
            finding = forbidden(machine, account, "input", path, READ)
            yield finding or good("input", f"{path} is there")
