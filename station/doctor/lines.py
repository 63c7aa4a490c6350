"""Serial ports and the hardware generator: there, permitted, and not in somebody else's hands."""

from collections.abc import Iterator

from hardware.entropy.settings import EntropyMode
from station.config.pins import UART_DEVICES
from station.config.settings import Config
from station.doctor.account import READ, WRITE, Account, forbidden
from station.doctor.buses import absent, config_txt
from station.doctor.findings import Finding, bad, good, weak
from station.doctor.machine import Machine
from station.doctor.software import model, reads_hardware

HEADER, BLUETOOTH = "/dev/serial0", "/dev/serial1"
"""Raspberry Pi OS's names for the header's port and for Bluetooth's."""

DEBUG_SOCKET = "/dev/ttyAMA10"
"""A Pi 5's three-pin debug socket, which is not on the header."""

_RNG = "/sys/class/misc/hw_random/rng_current"

HWRNG = "/dev/hwrng"
"""The kernel's device; what it reads from is named by its `rng_current`."""


def serial_findings(machine: Machine, account: Account, config: Config) -> Iterator[Finding]:
    """Yield how each port is that the station is to speak on."""
    if not config.service.ports:
        yield good("serial", "no serial port is configured")
    for number, port in enumerate(config.service.ports):
        yield from _port(machine, account, f"serial[{number}].device", port.path)


def _port(machine: Machine, account: Account, key: str, path: str) -> Iterator[Finding]:
    device = machine.target(path)
    if machine.owned(device) is None:
        yield _no_port(machine, path)
        return
    stolen = [*_stolen(machine, device), *_misnamed(machine, key, path, device)]
    finding = forbidden(machine, account, "serial", device, READ | WRITE)
    if finding is not None:
        stolen.append(finding)
    yield from stolen
    if not stolen:
        yield good("serial", f"{path} is there" if path == device else f"{path} is {device}")


def _no_port(machine: Machine, path: str) -> Finding:
    if path not in UART_DEVICES:
        text = f"{path} is not there; the station waits for it"
        return weak("serial", text, "ls -l /dev/serial/by-id/")
    if "Raspberry Pi 5" in model(machine):
        mend = f"dtparam=uart0=on in {config_txt(machine)}"
        return bad("serial", f"there is no {path}: the header's UART is off", mend)
    mend = "sudo raspi-config nonint do_serial_hw 0 && sudo reboot"
    return absent(machine, "serial", f"there is no {path}: the header's UART is off", mend)


def _stolen(machine: Machine, device: str) -> Iterator[Finding]:
    """Yield who else reads the port: a login, or the kernel's own console."""
    name = device.removeprefix("/dev/")
    getty = f"serial-getty@{name}.service"
    ran = machine.run("systemctl", "is-active", getty)
    if ran is not None and ran.output in ("active", "activating"):
        text = f"a login runs on {device} and eats what is sent to it"
        yield bad("serial", text, f"sudo systemctl disable --now {getty}")
    if name in _consoles(machine):
        mend = "sudo raspi-config nonint do_serial_cons 1 && sudo reboot"
        yield bad("serial", f"the kernel's console is on {device}", mend)


def _consoles(machine: Machine) -> set[str]:
    """Return the devices that the kernel prints to, by their own names."""
    words = (machine.read("/proc/cmdline") or b"").decode("utf-8", "replace").split()
    names = (word[8:].partition(",")[0] for word in words if word.startswith("console="))
    return {machine.target(f"/dev/{name}").removeprefix("/dev/") for name in names}


def _misnamed(machine: Machine, key: str, path: str, device: str) -> Iterator[Finding]:
    if "Raspberry Pi 5" in model(machine) and device == DEBUG_SOCKET:
        mend = f'{key}: "/dev/ttyAMA0", and dtparam=uart0=on in {config_txt(machine)}'
        yield bad("serial", f"{path} is the debug socket of a Pi 5, not the header", mend)
    elif path != BLUETOOTH and device == machine.target(BLUETOOTH):
        yield bad("serial", f"{path} belongs to Bluetooth on this Pi", f'{key}: "{HEADER}"')


def entropy_findings(machine: Machine, account: Account, config: Config) -> Iterator[Finding]:
    """Yield how the hardware generator is, where rolls use one."""
    if not reads_hardware(config):
        yield good("entropy", "dice come from the kernel's generator")
    elif config.entropy.dongle:
        yield from _dongle(machine, account, config)
    else:
        yield from _device(machine, account, config)


def _dongle(machine: Machine, account: Account, config: Config) -> Iterator[Finding]:
    path = config.entropy.dongle
    device = machine.target(path)
    if machine.owned(device) is None:
        yield _short(config, f"the dongle {path} is not there", "ls -l /dev/serial/by-id/")
        return
    finding = forbidden(machine, account, "entropy", device, READ | WRITE)
    yield finding or good("entropy", f"the dongle {path} is there")


def _device(machine: Machine, account: Account, config: Config) -> Iterator[Finding]:
    path = config.entropy.device
    if machine.owned(path) is None:
        yield _short(config, f"there is no {path}", 'mode = "urandom" in [entropy]')
        return
    current = (machine.read(_RNG) or b"").decode("utf-8", "replace").strip()
    if path == HWRNG and current in ("", "none"):
        mend = "sudo modprobe bcm2835-rng || sudo modprobe iproc-rng200"
        yield _short(config, f"{path} has no generator behind it (rng_current is none)", mend)
        return
    finding = forbidden(machine, account, "entropy", path, READ)
    yield finding or good("entropy", f"{path} is {current or 'there'}")


def _short(config: Config, text: str, mend: str) -> Finding:
    """Return the finding of a missing source: nothing is rolled without it, or urandom goes on."""
    if config.entropy.mode == EntropyMode.HWRNG_ONLY:
        return bad("entropy", f"{text}: nothing can be rolled", mend)
    return weak("entropy", f"{text}: dice come from urandom alone", mend)
