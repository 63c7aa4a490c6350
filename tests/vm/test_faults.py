"""What a table does to a machine: hangs, crashes, pulled plugs, read-only disks."""

import os
import random
import uuid
from pathlib import Path
from typing import Any

import pytest

REQUEST = {"system": "seven-kingdoms", "kind": "basic", "rank": 4, "bonus": 1, "difficulty": 12}
CUTS = 3
"""Power cuts in a row."""
ROLLS = 12
"""Rolls between them."""


KEPT = (
    "sqlite3 -readonly /var/lib/dice-station/ledger.db"
    " \"SELECT body FROM document WHERE name = 'dial'\""
)
"""Says what dial would be found after a power cut."""


class Evening:
    """Rolls by serial, and what was acknowledged of them."""

    def __init__(self, machine: Any) -> None:
        self.machine = machine
        self.acknowledged: dict[int, tuple[list[int], str]] = {}
        self.open: list[str] = []

    def roll(self, count: int) -> None:
        """Roll and note each answer."""
        for _ in range(count):
            self._note(self.machine.serial.call("roll", request=REQUEST, key=str(uuid.uuid4())))

    def roll_unheard(self) -> None:
        """Ask for a roll and do not wait for the answer."""
        key = str(uuid.uuid4())
        self.open.append(key)
        self.machine.serial.send(
            f'{{"jsonrpc":"2.0","id":1,"method":"roll","params":{{"key":"{key}","request":'
            '{"system":"seven-kingdoms","kind":"basic","rank":4,"bonus":1,"difficulty":12}}}'
        )

    def ask_again(self) -> None:
        """Send the unheard rolls once more, each with its key, twice: the answers must agree."""
        for key in self.open:
            once = self.machine.serial.call("roll", request=REQUEST, key=key)["result"]
            twice = self.machine.serial.call("roll", request=REQUEST, key=key)["result"]
            assert twice["replayed"]
            assert (once["seq"], once["faces"]) == (twice["seq"], twice["faces"])
            self.acknowledged[once["seq"]] = (once["faces"], once["hash"])
        self.open.clear()

    def check(self) -> None:
        """Fail unless the ledger verifies and has each acknowledged roll, as it was told."""
        assert self.machine.status("dice-station verify") == 0, self.machine.run(
            "dice-station verify", check=False
        )
        kept: dict[int, tuple[list[int], str]] = {}
        rolls = self._history(limit=20)
        while rolls:
            kept |= {roll["seq"]: (roll["faces"], roll["hash"]) for roll in rolls}
            rolls = self._history(limit=20, before=rolls[-1]["seq"])
        assert {seq: kept.get(seq) for seq in self.acknowledged} == self.acknowledged

    def _history(self, **asked: int) -> Any:
        reply = self.machine.serial.call("history", **asked)
        assert "result" in reply, reply
        return reply["result"]["rolls"]

    def _note(self, reply: Any) -> None:
        result = reply["result"]
        assert result["recorded"]
        self.acknowledged[result["seq"]] = (result["faces"], result["hash"])


def _started_anew(machine: Any, pid: str) -> None:
    machine.until("another one runs", lambda: machine.property("MainPID") not in {pid, "0"}, 60)
    machine.until_served()


def test_a_hung_station_is_started_anew_with_its_state(machine: Any) -> None:
    evening = Evening(machine)
    evening.roll(2)
    machine.until("the dial shows", machine.back_to_dial)
    machine.turn(2)
    machine.until_shown("5D vs Challenging 9")
    # A dial is kept once it has rested for a second.
    machine.until("the dial is kept", lambda: '"rank":5' in machine.run(KEPT).replace(" ", ""))
    before = machine.property("MainPID")
    machine.run(f"kill -STOP {before}")
    _started_anew(machine, before)
    assert "watchdog" in machine.run("journalctl -u dice-station -n 40 --no-pager -o cat").lower()
    machine.until_shown("5D vs Challenging 9")
    machine.turn(-2)
    machine.until_shown("3D vs Challenging 9")
    evening.roll(1)
    evening.check()


def test_kill_during_a_roll_loses_nothing(machine: Any) -> None:
    evening = Evening(machine)
    chance = random.Random(1)  # noqa: S311 - when the blow falls
    for _ in range(CUTS):
        evening.roll(4)
        evening.roll_unheard()
        pid = machine.property("MainPID")
        machine.run(f"sleep {chance.uniform(0, 0.05):.3f}; kill -9 {pid}")
        _started_anew(machine, pid)
        evening.ask_again()
    evening.check()


def test_a_gpio_chip_that_goes_is_noticed_and_used_again(lasting: Any) -> None:
    live = "/sys/kernel/config/gpio-sim/pi/live"
    # A machine of its own: the chip has another number afterwards.
    lasting.power_on()
    lasting.until_served(120)
    lasting.until("the dial shows", lasting.back_to_dial)
    lasting.run(f"echo 0 > {live}")
    try:
        lasting.until("the loss is told", lambda: "the GPIO chip is lost" in lasting.journal())
    finally:
        lasting.run(f"echo 1 > {live}")

    def is_used() -> bool:
        return bool(lasting.serial.call("health")["result"]["controls"]["state"] == "ok")

    lasting.until("the chip is used again", is_used)
    lasting.turn(1)
    lasting.until_shown("4D vs Challenging 9")
    lasting.turn(-1)
    lasting.until_shown("3D vs Challenging 9")


def test_after_a_crash_the_panel_is_dark_until_the_station_is_back(machine: Any) -> None:
    machine.until("there is a picture", lambda: machine.look().lit() > 100)
    machine.run("mkdir -p /run/systemd/system/dice-station.service.d")
    drop_in = "/run/systemd/system/dice-station.service.d/slow.conf"
    machine.run(f"printf '[Service]\\nRestartSec=3600\\n' > {drop_in}; systemctl daemon-reload")
    try:
        machine.run("kill -9 $(systemctl show -P MainPID dice-station)")
        machine.until("the panel is dark", lambda: machine.look().lit() == 0)
    finally:
        machine.run(f"rm {drop_in}; systemctl daemon-reload; systemctl restart dice-station")
    machine.until_active()
    machine.until_shown("vs Challenging 9")


def test_pulling_the_plug_during_rolls_loses_no_acknowledged_roll(lasting: Any) -> None:
    evening = Evening(lasting)
    chance = random.Random(2)  # noqa: S311 - when the blow falls
    for _ in range(CUTS):
        lasting.power_on()
        lasting.until_served(120)
        evening.ask_again()
        evening.check()
        evening.roll(ROLLS)
        evening.roll_unheard()
        lasting.wait(chance.uniform(0, 0.05))
        lasting.cut_power()
    lasting.power_on()
    lasting.until_served(120)
    evening.ask_again()
    evening.check()
    assert len(evening.acknowledged) >= CUTS * ROLLS


@pytest.mark.parametrize("partition", [False, True], ids=["alone", "with a state partition"])
def test_a_read_only_root_works(lasting: Any, tmp_path: Path, *, partition: bool) -> None:
    if partition:
        disk = tmp_path / "state.img"
        disk.write_bytes(b"")
        os.truncate(disk, 16 << 20)
        lasting.add_disk(disk)
    lasting.power_on()
    lasting.run("sed -i 's/ rw / ro /' /etc/fstab")
    if partition:
        lasting.run("mke2fs -q -t ext4 /dev/vdb && mount /dev/vdb /mnt")
        lasting.run("chown dice-station: /mnt && umount /mnt")
        options = "noatime,nofail,x-systemd.before=dice-station.service"
        lasting.run(f"echo '/dev/vdb /var/lib/dice-station ext4 {options} 0 2' >> /etc/fstab")
    lasting.run("sync; systemctl poweroff", check=False)
    assert lasting.wait_for_end(60)
    lasting.cut_power()
    lasting.power_on("ro")
    lasting.until_served(120)
    assert lasting.status("touch /var/lib/probe") != 0
    lasting.until_shown("vs Challenging 9")
    rolled = lasting.serial.call("roll", request=REQUEST)["result"]
    assert rolled["recorded"] is partition
    assert len(rolled["faces"]) == 5


def test_the_wish_to_power_off_needs_no_root(lasting: Any) -> None:
    lasting.power_on()
    lasting.until_active(120)
    lasting.run("systemctl is-active dice-station-poweroff.path")
    wish = "setpriv --reuid dice-station --clear-groups touch /run/dice-station/poweroff"
    lasting.run(wish, check=False)
    assert lasting.wait_for_end(60)
