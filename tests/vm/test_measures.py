"""What the station costs: time to ready, idling, memory. One emulated machine, so ratios count."""

import os
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
    machine.run("systemctl start dice-station")
    ratio = sorted(station)[ROUNDS // 2] / sorted(imports)[ROUNDS // 2]
    tell(f"ready: {sorted(station)} s, imports alone: {sorted(imports)} s, ratio {ratio:.2f}")
    assert ratio <= 1.5


SWITCHES = "cat /proc/$P/task/*/status | awk '/^voluntary/ {n += $2} END {print n}'"
TICKS = "awk '{print $14 + $15}' /proc/$P/stat"


def test_an_idle_station_sleeps(machine: Any, tell: Callable[[str], None]) -> None:
    machine.until_shown("Seven Kingdoms")
    machine.wait(5)
    pid = machine.property("MainPID")
    look = f"P={pid}; {SWITCHES}; {TICKS}; grep VmRSS /proc/$P/status | awk '{{print $2}}'"
    switches, ticks, _ = map(int, machine.run(look).split())
    machine.wait(IDLE_SECONDS)
    switches_after, ticks_after, resident = map(int, machine.run(look).split())
    rate = (switches_after - switches) / IDLE_SECONDS
    share = (ticks_after - ticks) / IDLE_SECONDS
    tell(
        f"idle for {IDLE_SECONDS} s: {rate:.2f} switches/s, {share:.2f} % of an emulated "
        f"processor, {resident / KIB:.1f} MiB resident"
    )
    assert rate <= 2
    assert resident <= 45 * KIB
