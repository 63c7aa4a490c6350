"""What the station costs: time to ready, idling, memory. One emulated machine, so ratios count."""

import os
import time
from collections.abc import Callable
from typing import Any

IMPORTS = "import gpiozero, luma.oled.device, serial, socket, os, time"
NOTIFY = (
    "s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM);"
    "s.connect(os.environ['NOTIFY_SOCKET']); s.send(b'READY=1'); time.sleep(1000)"
)
ROUNDS = 5
"""Starts of each; their medians are compared."""
IDLE_SECONDS = int(os.environ.get("VM_IDLE_SECONDS", "60"))
"""How long the idle station is watched."""
KIB = 1024
ROLLS, TENTHS = 1000, 10
"""Rolls after which the station must not have grown, and how often that is looked at."""
WARM = 3 * KIB
"""KiB that the first thousand rolls may add: SQLite's 2 MB of pages fill. A hundred thousand add no
more, which tests/soak measures."""
REQUEST = {"system": "seven-kingdoms", "kind": "basic", "rank": 4, "bonus": 2, "difficulty": 9}


def _seconds_to_ready(machine: Any, unit: str) -> float:
    machine.run(f"systemctl stop {unit}; sync; systemctl start {unit}", timeout=120)
    began, ready = (
        int(machine.run(f"systemctl show -P {name} {unit}"))
        for name in ("InactiveExitTimestampMonotonic", "ActiveEnterTimestampMonotonic")
    )
    return (ready - began) / 1e6


def test_ready_takes_at_most_half_as_long_again_as_importing_its_libraries(
    machine: Any, tell: Callable[[str], None]
) -> None:
    source = "/lib/systemd/system/dice-station.service"
    start = f'/usr/lib/dice-station/bin/python3 -I -c "{IMPORTS}; {NOTIFY}"'
    machine.run(
        "sed -e '/^ExecStopPost/d; /^Wants/d; /^WatchdogSec/d; s#^RuntimeDirectory=.*#"
        "RuntimeDirectory=imports#; s#%t/dice-station#%t/imports#; s#^ExecStart=.*#ExecStart=@@#'"
        f" {source} > /run/systemd/system/imports.service"
    )
    machine.run(
        "python3 - <<'END'\n"
        "from pathlib import Path\n"
        "unit = Path('/run/systemd/system/imports.service')\n"
        f"unit.write_text(unit.read_text().replace('@@', {start!r}))\n"
        "END"
    )
    machine.run("systemctl daemon-reload")
    station, imports = [], []
    for _ in range(ROUNDS):
        station.append(_seconds_to_ready(machine, "dice-station"))
        machine.run("systemctl stop dice-station")
        imports.append(_seconds_to_ready(machine, "imports"))
        machine.run("systemctl stop imports")
    machine.run("rm /run/systemd/system/imports.service; systemctl daemon-reload")
    machine.run("systemctl start dice-station")
    began = time.monotonic()
    machine.until_served()
    answers = time.monotonic() - began
    ratio = sorted(station)[ROUNDS // 2] / sorted(imports)[ROUNDS // 2]
    tell(f"ready: {sorted(station)} s, imports alone: {sorted(imports)} s, ratio {ratio:.2f}")
    tell(f"from ready to the first answer by serial: {answers:.1f} s")
    assert ratio <= 1.5


def test_an_idle_station_sleeps(machine: Any, tell: Callable[[str], None]) -> None:
    machine.until_shown("vs Challenging 9")
    machine.wait(5)
    rate, share, resident = _idle(machine, IDLE_SECONDS)
    tell(
        f"idle for {IDLE_SECONDS} s: {rate:.2f} switches/s, {share:.2f} % of an emulated "
        f"processor, {resident / KIB:.1f} MiB resident"
    )
    assert rate <= 2
    assert resident <= 45 * KIB


def _idle(machine: Any, seconds: int) -> tuple[float, float, int]:
    switches, ticks, _ = machine.usage()
    machine.wait(seconds)
    switches_after, ticks_after, resident = machine.usage()
    return (switches_after - switches) / seconds, (ticks_after - ticks) / seconds, resident


def test_rolls_do_not_swell_the_station(machine: Any, tell: Callable[[str], None]) -> None:
    held = []
    for _ in range(TENTHS):
        for _ in range(ROLLS // TENTHS):
            assert machine.serial.call("roll", request=REQUEST)["result"]["recorded"]
        held.append(machine.usage()[2])
    tell(f"resident over {ROLLS} rolls: {[round(each / KIB, 1) for each in held]} MiB")
    assert held[-1] - held[0] <= WARM
    assert held[-1] <= 45 * KIB


AS_A_PI = """\
[Service]
ProcSubset=all
ProtectProc=default
BindReadOnlyPaths=/run/cpuinfo:/proc/cpuinfo
"""
"""lgpio asks which Pi it runs on; this machine says that it is a 4B."""


def test_lgpio_can_be_chosen_and_polls(machine: Any, tell: Callable[[str], None]) -> None:
    drop_in = "/run/systemd/system/dice-station.service.d"
    machine.share()
    machine.run("python3 -m zipfile -e /mnt/host/lgpio.whl /usr/lib/python3/dist-packages")
    machine.run("(cat /proc/cpuinfo; echo 'Revision : c03111') > /run/cpuinfo")
    machine.run(f"mkdir -p {drop_in}; cat > {drop_in}/pi.conf <<'END'\n{AS_A_PI}END")
    machine.run("systemctl daemon-reload")
    try:
        machine.configure('[controls]\npins = "lgpio"\n[[serial]]\ndevice = "/dev/ttyS1"\n')
        machine.until_served()
        controls = machine.serial.call("health")["result"]["controls"]
        assert controls.get("backend") == "lgpio", controls
        machine.until("the dial shows", machine.back_to_dial)
        machine.turn(1)
        machine.until_shown("4D vs Challenging 9")
        machine.turn(-1)
        machine.until_shown("3D vs Challenging 9")
        machine.wait(5)
        rate, share, _ = _idle(machine, 20)
        tell(f"idle with lgpio: {rate:.0f} switches/s, {share:.1f} % of an emulated processor")
    finally:
        machine.run(f"rm {drop_in}/pi.conf; systemctl daemon-reload")
    assert rate > 100
