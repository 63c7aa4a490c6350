"""A whole machine: QEMU with Debian 12, the package installed, driven from outside.

`make vm-test` prepares the machine (tests/vm/prepare) and says where all lies: VM, DEB, OLDER_DEB,
LOCAL and PREFIX. Without them every test here is skipped. A real machine has real time: these are
the only tests that wait for it.
"""

import base64
import json
import os
import random
import shutil
import socket
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from hardware.display.interface import Driver, PanelSettings
from hardware.display.simulated_bus import SimulatedI2cBus, simulated_chip
from station.panel import Panel, figures_width, is_figures
from station.screens.canvas import SIZES, Canvas
from station.screens.figures import draw_figures

HERE = Path(__file__).parent
PACKAGING = HERE.parents[1] / "packaging"
AGENT_PORT = "agent"
BOOT = 120.0
"""Seconds in which a machine must come up; about 8 when nothing else runs."""
PATIENCE = 60.0
"""Seconds in which what is waited for must come true, on a busy machine without KVM."""
LOOK = 0.1
"""Seconds between two looks."""
PUSH = 22
"""GPIO of the knob's push."""
SIZE = (128, 64)
"""Width and height of the panel."""
DIALLED = {"system": "seven-kingdoms", "kind": "basic", "rank": 3, "difficulty": 9}
"""What stands on the dial when a test begins: the same as on a fresh one."""
HEARS = 5.0
"""Seconds after which what was sent to a station that was just started is sent again."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip the tests of this folder unless the machine has been prepared."""
    if "VM" in os.environ:
        return
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.skip(reason="needs a prepared machine: make vm-test"))


@dataclass(slots=True)
class Written:
    """A write on the bus, as smbus2's messages look."""

    addr: int
    data: bytes
    flags: int = 0

    def __bytes__(self) -> bytes:
        return self.data


class PanelView:
    """What stands on the panel, decoded from the bytes that were written on the bus."""

    def __init__(self) -> None:
        self._rest = b""
        self.plug()

    def plug(self) -> None:
        """Put a fresh panel on the bus: switched off, its memory at random."""
        self.chip = simulated_chip(PanelSettings(driver=Driver.SSD1306), random.Random(1))  # noqa: S311 - noise
        self._bus = SimulatedI2cBus(self.chip)

    def take(self, record: bytes) -> None:
        """Decode what i2c-rec kept: two bytes of length, then a message."""
        self._rest += record
        while len(self._rest) >= 2:
            size = int.from_bytes(self._rest[:2], "little")
            if len(self._rest) < 2 + size:
                return
            self._bus.i2c_rdwr(Written(0x3C, self._rest[2 : 2 + size]))
            self._rest = self._rest[2 + size :]

    def picture(self) -> Image.Image:
        """Return what a person sees; black while the panel is off."""
        return self.chip.picture() if self.chip.on else Image.new("1", SIZE)

    def lit(self) -> int:
        """Return how many pixels are lit."""
        return sum(self.picture().convert("L").point(lambda level: level > 0).tobytes())

    def shows(self, text: str) -> bool:
        """Return whether a text stands on the panel, at one of the station's sizes, pixel by pixel.

        Dark on light (a focus) counts as well.
        """
        here = _rows(self.picture())
        return any(_stands(here, glyphs) for glyphs in _drawn(text))


def _rows(picture: Image.Image) -> list[int]:
    """Return each row as a number, its leftmost pixel the highest bit."""
    width, height = picture.size
    return [
        int("".join("1" if picture.getpixel((x, y)) else "0" for x in range(width)), 2)
        for y in range(height)
    ]


def _drawn(text: str) -> Iterator[Image.Image]:
    """Yield a text as the station draws it, at each size at which the panel has room for it.

    Only the ink: what is around it may be a frame's.
    """
    for size in SIZES:
        canvas = Canvas(Panel(*SIZE))
        canvas.text((0, 0), text, size)
        if not canvas.placed[-1].cut:
            yield canvas.image.crop(canvas.image.getbbox())
    if is_figures(text) and figures_width(text) <= SIZE[0]:
        canvas = Canvas(Panel(*SIZE))
        draw_figures(canvas, (0, 0), text)
        yield canvas.image.crop(canvas.image.getbbox())


def _stands(here: list[int], glyphs: Image.Image) -> bool:
    """Return whether glyphs stand somewhere in the rows of a picture, lit or dark on light."""
    wanted, width = _rows(glyphs), glyphs.width
    mask = (1 << width) - 1
    return any(
        all((here[y + n] >> shift) & mask == row ^ inverse for n, row in enumerate(wanted))
        for inverse in (0, mask)
        for y in range(len(here) - len(wanted) + 1)
        for shift in range(SIZE[0] - width + 1)
    )


class Machine:
    """One guest: powered on and off, its contacts moved, its panel and serial line read."""

    def __init__(self, folder: Path, disk: Path, share: Path, *, keep: bool) -> None:
        self._folder = folder
        self._disk = disk
        self._share = share
        self._keep = keep
        self._more_disks: list[str] = []
        self._boots = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._agent: socket.socket | None = None
        self._heard = b""
        self.panel = PanelView()
        self.serial = SerialEnd()

    def power_on(self, *more: str) -> None:
        """Start it and wait until it can be talked to; `more` goes to the kernel's command line."""
        self._boots += 1
        runtime = Path(tempfile.mkdtemp(prefix="dice-vm-"))
        agent, serial = runtime / "agent", runtime / "serial"
        self.panel = PanelView()
        self._heard = b""
        command = " ".join(["console=ttyS0 root=/dev/vda quiet panic=-1 mitigations=off", *more])
        self._process = subprocess.Popen(  # noqa: S603 - words of our own
            [
                *("qemu-system-x86_64", "-M", "q35", "-accel", "tcg,thread=multi,tb-size=128"),
                *("-cpu", "max", "-smp", "2", "-m", "512", "-nographic", "-no-reboot"),
                *("-kernel", self._folder / "vmlinuz", "-initrd", self._folder / "initrd.gz"),
                *("-append", command, "-nic", "none", "-monitor", "none"),
                "-drive",
                f"file={self._disk},format=raw,if=virtio,snapshot={'off' if self._keep else 'on'}",
                *self._more_disks,
                *("-object", "rng-random,id=r0,filename=/dev/urandom"),
                *("-device", "virtio-rng-pci,rng=r0"),
                "-virtfs",
                f"local,path={self._share},mount_tag=host,security_model=none,readonly=on",
                *("-serial", f"file:{self._folder}/console-{self._disk.stem}-{self._boots}.log"),
                *("-chardev", f"socket,id=s1,path={serial},server=on,wait=off"),
                *("-serial", "chardev:s1", "-device", "virtio-serial-pci"),
                *("-chardev", f"socket,id=a0,path={agent},server=on,wait=off"),
                *("-device", f"virtserialport,chardev=a0,name={AGENT_PORT}"),
            ],
            stdin=subprocess.DEVNULL,
        )
        self._agent = _connected(agent)
        self.serial = SerialEnd(_connected(serial))
        if not self._line(BOOT).get("ready"):
            pytest.fail("the guest's agent did not come up")

    def add_disk(self, image: Path) -> None:
        """Put in a further disk, /dev/vdb, from the next power_on."""
        self._more_disks += ["-drive", f"file={image},format=raw,if=virtio"]

    def cut_power(self) -> None:
        """End it at once, as a pulled plug does; what the guest had not flushed is gone."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._process = None
        if self._agent is not None:
            self._agent.close()
        self._agent = None
        self.serial.close()

    def wait_for_end(self, seconds: float = PATIENCE) -> bool:
        """Return whether the guest powers itself off in time."""
        if self._process is None:
            return True
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def run(self, text: str, *, check: bool = True, timeout: float = 60) -> str:
        """Run shell text as root in the guest and return what it printed, stripped."""
        reply = self.ask({"run": text, "timeout": timeout}, timeout + PATIENCE)
        if check and reply["status"]:
            pytest.fail(f"{text!r} ended with {reply['status']}:\n{reply['out']}")
        return str(reply["out"]).strip()

    def share(self) -> None:
        """Let the guest see the folder with the packages, as /mnt/host."""
        self.run(
            "mkdir -p /mnt/host; mountpoint -q /mnt/host ||"
            " mount -t 9p -o trans=virtio,ro host /mnt/host"
        )

    def status(self, text: str) -> int:
        """Run shell text in the guest and return its exit status."""
        return int(self.ask({"run": text, "timeout": 60}, 60 + PATIENCE)["status"])

    def press(self, gpio: int, seconds: float = 0.08) -> None:
        """Close a contact to ground and open it again."""
        self.ask({"press": gpio, "seconds": seconds}, PATIENCE + seconds)

    def turn(self, detents: int, a: int = 17, b: int = 27) -> None:
        """Turn the knob; clockwise is positive."""
        self.ask({"turn": [a, b], "detents": detents}, PATIENCE)

    def look(self) -> PanelView:
        """Return the panel as it is now."""
        self.panel.take(base64.b64decode(self.ask({"bus": True}, PATIENCE)["bytes"]))
        return self.panel

    @staticmethod
    def wait(seconds: float) -> None:
        """Let time pass."""
        time.sleep(seconds)

    def until(self, what: str, true: Callable[[], Any], seconds: float = PATIENCE) -> Any:
        """Wait until something is true and return it; fail with its name if it never is."""
        end = time.monotonic() + seconds
        while not (found := true()):
            if time.monotonic() > end:
                self.panel.picture().save(self._folder / "last-panel.png")
                journal = self.run(
                    "journalctl -u dice-station -n 30 --no-pager -o cat", check=False
                )
                pytest.fail(f"never came true in {seconds} s: {what}\n{journal}")
            time.sleep(LOOK)
        return found

    def until_shown(self, text: str, seconds: float = PATIENCE) -> None:
        """Wait until a text stands on the panel."""
        self.until(f"the panel shows {text!r}", lambda: self.look().shows(text), seconds)

    def until_active(self, seconds: float = PATIENCE) -> None:
        """Wait until the service has said that it is ready."""
        self.until(
            "dice-station is active",
            lambda: self.run("systemctl is-active dice-station", check=False) == "active",
            seconds,
        )

    def until_served(self, seconds: float = PATIENCE) -> None:
        """Wait until the service is ready and answers on its serial line.

        It opens the line beside everything else, and forgets what had come before that.
        """
        self.until_active(seconds)
        self.until("the station answers on its line", self.serial.is_answered, seconds)

    def journal(self) -> str:
        """Return what the service has logged since it was last started."""
        of_this = "$(systemctl show -P InvocationID dice-station)"
        return self.run(
            f"journalctl _SYSTEMD_INVOCATION_ID={of_this} --no-pager -o cat", check=False
        )

    def configure(self, text: str) -> None:
        """Put a configuration in place; the service is restarted if it is another one."""
        if self.run("cat /etc/dice-station/station.toml", check=False) == text.strip():
            self.run("systemctl is-active --quiet dice-station || systemctl restart dice-station")
            return
        self.run(f"cat > /etc/dice-station/station.toml <<'END'\n{text}END")
        self.run("systemctl restart dice-station", check=False)

    def back_to_dial(self) -> bool:
        """Go back to the dial as it is when a test begins, step by step; return whether it shows.

        Whatever an earlier test dialled, and wherever it stopped, is forgotten.
        """
        self.serial.call("select", request=DIALLED)
        if self.look().shows("3D vs Challenging 9"):
            return True
        self.press(PUSH, 0.8)
        return False

    def usage(self) -> tuple[int, int, int]:
        """Return the service's voluntary context switches, clock ticks, and resident KiB."""
        pid = self.property("MainPID")
        told = self.run(
            f"cd /proc/{pid}; cat task/*/status | awk '/^voluntary/ {{n += $2}} END {{print n}}';"
            "awk '{print $14 + $15}' stat; awk '/VmRSS/ {print $2}' status"
        )
        switches, ticks, resident = map(int, told.split())
        return switches, ticks, resident

    def property(self, name: str) -> str:
        """Return a property of the service."""
        return self.run(f"systemctl show -P {name} dice-station")

    def ask(self, asked: dict[str, Any], seconds: float) -> dict[str, Any]:
        """Send one request to the agent and return its answer."""
        _there(self._agent).sendall(json.dumps(asked).encode() + b"\n")
        reply = self._line(seconds)
        if "error" in reply:
            pytest.fail(f"the agent could not: {reply['error']}")
        return reply

    def _line(self, seconds: float) -> dict[str, Any]:
        agent = _there(self._agent)
        agent.settimeout(seconds)
        while b"\n" not in self._heard:
            got = agent.recv(1 << 20)
            if not got:
                pytest.fail("the guest is gone")
            self._heard += got
        line, self._heard = self._heard.split(b"\n", 1)
        reply: dict[str, Any] = json.loads(line)
        return reply


class SerialEnd:
    """The other end of the guest's ttyS1."""

    def __init__(self, end: socket.socket | None = None) -> None:
        self._end = end
        self._heard = b""
        self._calls = 0

    def close(self) -> None:
        """Let go of it."""
        if self._end is not None:
            self._end.close()
        self._end = None

    def drain(self, seconds: float = 0.5) -> None:
        """Forget what was said to nobody."""
        end = _there(self._end)
        end.settimeout(seconds)
        with suppress(TimeoutError):
            while end.recv(65536):
                pass
        self._heard = b""

    def is_answered(self) -> bool:
        """Return whether a station at the other end answers, within some seconds."""
        with suppress(TimeoutError):
            return "result" in self.call("health", HEARS)
        return False

    def send(self, line: str) -> None:
        """Send a line."""
        _there(self._end).sendall(line.encode() + b"\n")

    def line(self, seconds: float = PATIENCE) -> str:
        """Return the next line that comes."""
        end = _there(self._end)
        end.settimeout(seconds)
        while b"\n" not in self._heard:
            got = end.recv(65536)
            if not got:
                raise ConnectionError("the serial line is closed")
            self._heard += got
        line, self._heard = self._heard.split(b"\n", 1)
        return line.decode().strip()

    def ask(self, line: str, seconds: float = PATIENCE) -> str:
        """Send a line and return the answer."""
        self.send(line)
        return self.line(seconds)

    def call(self, method: str, seconds: float = PATIENCE, /, **params: Any) -> dict[str, Any]:
        """Make a JSON-RPC call and return its reply, result or error.

        What else comes is passed over: replies to what was asked before a crash, and half ones.
        """
        self._calls += 1
        asked = f"call-{self._calls}"
        self.send(json.dumps({"jsonrpc": "2.0", "id": asked, "method": method, "params": params}))
        while True:
            with suppress(json.JSONDecodeError):
                reply: dict[str, Any] = json.loads(self.line(seconds))
                if reply.get("id") == asked:
                    return reply


def _there(end: socket.socket | None) -> socket.socket:
    if end is None:
        raise ConnectionError("the machine is switched off")
    return end


def _connected(path: Path) -> socket.socket:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        one = socket.socket(socket.AF_UNIX)
        try:
            one.connect(str(path))
        except OSError:
            one.close()
            time.sleep(0.02)
        else:
            return one
    raise ConnectionError(path)


def _copy(image: Path, to: Path) -> None:
    command = ["/usr/bin/cp", "--sparse=always", str(image), str(to)]
    subprocess.run(command, check=True)  # noqa: S603 - words of our own


@pytest.fixture(scope="session")
def folder() -> Path:
    """The prepared machine's folder."""
    return Path(os.environ["VM"]).resolve()


@pytest.fixture(scope="session")
def share(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that the guest can read: the package lies in it."""
    there = tmp_path_factory.mktemp("share")
    shutil.copy(os.environ["DEB"], there / "new.deb")
    shutil.copy(os.environ["OLDER_DEB"], there / "old.deb")
    local = str(Path(os.environ["LOCAL"]).resolve())
    with tarfile.open(there / "local.tar", "w") as tar:
        tar.add(local, "tree")
        for script in ("install", "uninstall"):
            tar.add(PACKAGING / script, script)
    for wheel in (folder / "wheels").glob("lgpio-*.whl"):
        shutil.copy(wheel, there / "lgpio.whl")
    return there


@pytest.fixture(scope="session")
def installed(folder: Path, share: Path) -> Path:
    """A disk on which the package is installed and was once started, then shut down cleanly."""
    disk = folder / "installed.img"
    _copy(folder / "disk.img", disk)
    machine = Machine(folder, disk, share, keep=True)
    machine.power_on()
    try:
        machine.share()
        (folder / "dpkg.log").write_text(machine.run("dpkg -i /mnt/host/new.deb 2>&1", timeout=300))
        machine.run(
            "install -D -m 644 /dev/stdin /etc/dice-station/station.toml <<'E'\n" + CONFIG + "E"
        )
        machine.run("sync; systemctl poweroff", check=False)
        if not machine.wait_for_end(60):
            pytest.fail("the guest did not power off after the installation")
    finally:
        machine.cut_power()
    return disk


CONFIG = """\
[[serial]]
device = "/dev/ttyS1"
"""


@pytest.fixture(scope="session")
def table(folder: Path, installed: Path, share: Path) -> Iterator[Machine]:
    """A machine that many tests share; what it writes is thrown away at the end."""
    one = Machine(folder, installed, share, keep=False)
    try:
        one.power_on()
        one.until_served(BOOT)
        yield one
    finally:
        one.cut_power()


@pytest.fixture
def machine(table: Machine) -> Machine:
    """The shared machine, in working order: default configuration, service running, panel there."""
    table.run("echo 0 > /sys/module/i2c_rec/parameters/nack")
    table.configure(CONFIG)
    table.until_served()
    table.until("the dial shows", table.back_to_dial)
    return table


@pytest.fixture
def lasting(folder: Path, installed: Path, share: Path, tmp_path: Path) -> Iterator[Machine]:
    """A machine with a disk of its own, which outlives a power cut; not yet switched on."""
    disk = tmp_path / "disk.img"
    _copy(installed, disk)
    one = Machine(folder, disk, share, keep=True)
    try:
        yield one
    finally:
        one.cut_power()


@pytest.fixture
def tell(capsys: pytest.CaptureFixture[str]) -> Callable[[str], None]:
    """Says a figure where a person sees it, also of a test that passes."""

    def say(text: str) -> None:
        with capsys.disabled():
            sys.stdout.write(f"\n  {text}\n")

    return say
