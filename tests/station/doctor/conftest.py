"""Whole machines as folders: files, devices and accounts below a root of the test's own."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hardware.display.interface import PanelSettings
from station.doctor.examine import examine
from station.doctor.findings import Finding
from station.doctor.machine import ChipSeen, Disk, LinuxMachine, Owned, Ran

GROUPS = {"root": 0, "dialout": 20, "input": 105, "spi": 989, "i2c": 990, "gpio": 991, "pi": 1000}

MODULES = frozenset(
    {"gpiozero", "luma.core", "luma.oled", "PIL", "serial", "smbus2", "gpiod", "spidev"}
)


@dataclass
class FakeMachine(LinuxMachine):
    """A machine whose files lie below `root`; whom they belong to stands in `owners`.

    Attributes:
        owners: group and permission bits of each device.
        answers: what commands print, by their words; others are missing.
        panels: the addresses that answer on each I2C bus.
        chips: what each GPIO chip says of itself.
    """

    root: Path
    environ: Mapping[str, str] = field(default_factory=lambda: {"HOME": "/home/pi"})
    python: tuple[int, int] = (3, 11)
    owners: dict[str, tuple[str, int]] = field(default_factory=dict)
    answers: dict[tuple[str, ...], str] = field(default_factory=dict)
    panels: dict[int, tuple[int, ...]] = field(default_factory=dict)
    chips: dict[str, ChipSeen | OSError | ImportError] = field(default_factory=dict)
    modules: frozenset[str] = MODULES
    font: str = ""
    name: str = "pi"
    time: datetime = datetime(2026, 5, 1, tzinfo=UTC)
    disks: dict[str, Disk] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._root = self.root

    def write(self, path: str, content: str | bytes = "") -> None:
        """Put a file there, and the folders above it."""
        place = self.place(path)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content.encode() if isinstance(content, str) else content)

    def device(self, path: str, group: str = "root", mode: int = 0o660) -> None:
        """Put a device there."""
        self.write(path)
        self.owners[path] = (group, mode)

    def link(self, path: str, target: str) -> None:
        self.place(path).parent.mkdir(parents=True, exist_ok=True)
        self.place(path).symlink_to(target)

    def lose(self, path: str) -> None:
        self.place(path).unlink()

    def account(self, *groups: str, name: str = "pi", service: bool = False) -> None:
        """Make a user of these groups, and all groups; `service` adds the station's own user."""
        users = "root:x:0:0::/root:/bin/sh\npi:x:1000:1000::/home/pi:/bin/sh\n"
        if service:
            users += "dice-station:x:980:980::/:/usr/sbin/nologin\n"
            name = "dice-station"
        lines = [f"{g}:x:{n}:{name if g in groups else ''}" for g, n in GROUPS.items()]
        self.write("/etc/passwd", users)
        self.write("/etc/group", "\n".join([*lines, "dice-station:x:980:"]) + "\n")

    def owned(self, path: str) -> Owned | None:
        found = LinuxMachine.owned(self, path)
        if found is None:
            return None
        group, mode = self.owners.get(self.target(path), ("pi", 0o755))
        uid = 1000 if group == "pi" else 0
        return Owned(uid, GROUPS[group], mode, found.folder)

    def disk(self, path: str) -> Disk | None:
        return self.disks.get(path, LinuxMachine.disk(self, path))

    def run(self, *command: str) -> Ran | None:
        output = self.answers.get(command)
        return None if output is None else Ran(0, output)

    def has_module(self, name: str) -> bool:
        return name in self.modules

    def chip(self, path: str) -> ChipSeen:
        found = self.chips[path]
        if isinstance(found, Exception):
            raise found
        return found

    def unanswered(self, panel: PanelSettings) -> str:
        return "" if panel.address in self.panels.get(panel.i2c_port, ()) else "Remote I/O error"

    def font_problem(self) -> str:
        return self.font

    def user(self) -> str:
        return self.name

    def ids(self) -> tuple[int, frozenset[int]]:
        lines = (self.read("/etc/group") or b"").decode().splitlines()
        groups = (line.split(":") for line in lines)
        own = {int(group[2]) for group in groups if self.name in group[3].split(",")}
        uid = 0 if self.name == "root" else 1000
        return uid, frozenset(own | {uid})

    def now(self) -> datetime:
        return self.time


@pytest.fixture
def desktop(tmp_path: Path) -> FakeMachine:
    """A laptop with nothing of a Pi."""
    machine = FakeMachine(tmp_path)
    machine.account()
    machine.write("/proc/cmdline", "quiet splash")
    machine.write("/proc/mounts", "/dev/sda2 / ext4 rw 0 0\n")
    machine.place("/home/pi").mkdir(parents=True)
    machine.place("/dev").mkdir()
    return machine


@pytest.fixture
def zero(desktop: FakeMachine) -> FakeMachine:
    """A Pi Zero 2 W on which everything is right."""
    machine = desktop
    machine.account("gpio", "i2c", "spi", "dialout", "input")
    machine.write("/proc/device-tree/model", "Raspberry Pi Zero 2 W Rev 1.0\0")
    machine.write("/boot/firmware/config.txt")
    machine.device("/dev/gpiochip0", "gpio")
    machine.link("/dev/gpiochip4", "gpiochip0")
    machine.chips["/dev/gpiochip0"] = ChipSeen("pinctrl-bcm2835", {})
    machine.device("/dev/i2c-1", "i2c")
    machine.write("/sys/bus/i2c/devices/i2c-1/of_node/clock-frequency", b"\0\x06\x1a\x80")
    machine.panels[1] = (0x3C,)
    machine.device("/dev/ttyS0", "dialout")
    machine.device("/dev/ttyAMA0", "dialout")
    machine.link("/dev/serial0", "ttyS0")
    machine.link("/dev/serial1", "ttyAMA0")
    machine.device("/dev/hwrng", "root", 0o600)
    machine.write("/sys/class/misc/hw_random/rng_current", "3f104000.rng\n")
    machine.write("/proc/cmdline", "console=tty1 root=PARTUUID=x rootwait")
    machine.answers["systemctl", "is-active", "serial-getty@ttyS0.service"] = "inactive"
    return machine


@pytest.fixture
def five(zero: FakeMachine) -> FakeMachine:
    """A Pi 5: another chip, and a serial0 that is the debug socket."""
    machine = zero
    machine.write("/proc/device-tree/model", "Raspberry Pi 5 Model B Rev 1.0\0")
    machine.chips["/dev/gpiochip0"] = ChipSeen("pinctrl-rp1", {})
    machine.lose("/dev/serial0")
    machine.device("/dev/ttyAMA10", "dialout")
    machine.link("/dev/serial0", "ttyAMA10")
    return machine


Look = Callable[..., list[Finding]]


@pytest.fixture
def look(tmp_path: Path) -> Look:
    """Examines a machine, with the text of a configuration, and returns what is not well."""

    def examined(machine: FakeMachine, text: str = "") -> list[Finding]:
        file = tmp_path / "etc" / "dice-station" / "station.toml"
        if text:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8")
        before = sorted(str(path) for path in tmp_path.rglob("*"))
        found = examine(machine)
        assert sorted(str(path) for path in tmp_path.rglob("*")) == before
        assert all(bool(f.mend) == (f.level != "ok") for f in found)
        assert all(f.text.isprintable() and f.mend.isprintable() for f in found)
        return [finding for finding in found if finding.level != "ok"]

    return examined
