"""A machine on the table: from the power switch to the verdict, and back to dark."""

import re
import uuid
from typing import Any

ROLL, UP = 26, 5
REQUEST = {"system": "seven-kingdoms", "kind": "basic", "rank": 3, "difficulty": 9}


def test_boot_ends_with_a_station_that_is_ready_and_shows_its_dial(lasting: Any) -> None:
    lasting.power_on()
    lasting.until_active(120)
    lasting.until_shown("3D vs Challenging 9")
    lasting.until_shown("74.1%")
    assert lasting.property("NRestarts") == "0"


def test_every_device_opens_in_the_sandbox(machine: Any) -> None:
    health = machine.serial.call("health")["result"]
    parts = ("entropy", "display", "controls", "ledger")
    assert {part: health[part]["state"] for part in parts} == dict.fromkeys(parts, "ok")
    assert health["controls"]["backend"] == "gpiod"
    assert not [line for line in machine.journal().splitlines() if re.match("ERROR|WARNING", line)]


def test_the_knob_changes_what_the_panel_shows(machine: Any) -> None:
    machine.turn(2)
    machine.until_shown("5D vs Challenging 9")
    machine.turn(-2)
    machine.until_shown("3D vs Challenging 9")


def test_the_buttons_alone_do_the_same(machine: Any) -> None:
    machine.press(UP)
    machine.until_shown("4D vs Challenging 9")
    machine.turn(-1)
    machine.until_shown("3D vs Challenging 9")


def test_the_roll_button_rolls_records_and_shows_the_verdict(machine: Any) -> None:
    before = _newest(machine)
    machine.press(ROLL)
    machine.until("the roll is recorded", lambda: _newest(machine) != before)
    outcome = machine.serial.call("history", limit=1)["result"]["rolls"][0]["outcome"]
    machine.until_shown("Success" if outcome["success"] else "Failure")
    if outcome["success"]:
        machine.until_shown(outcome["degree_name"].split()[0])


def _newest(machine: Any) -> int | None:
    rolls = machine.serial.call("history", limit=1)["result"]["rolls"]
    return rolls[0]["seq"] if rolls else None


def test_a_roll_by_serial_is_recorded_once_per_key(machine: Any) -> None:
    key = str(uuid.uuid4())
    first = machine.serial.call("roll", request=REQUEST, key=key)["result"]
    again = machine.serial.call("roll", request=REQUEST, key=key)["result"]
    assert first["recorded"]
    assert again["replayed"]
    assert (again["seq"], again["faces"], again["hash"]) == (
        first["seq"],
        first["faces"],
        first["hash"],
    )


def test_dice_come_from_the_hardware_generator_when_asked(machine: Any) -> None:
    machine.configure(f'[entropy]\nmode = "hwrng-only"\n{SERIAL}')
    machine.until_served()
    machine.until(
        "the hardware has passed its start-up test",
        lambda: machine.serial.call("health")["result"]["entropy"]["state"] == "ok",
    )
    rolled = machine.serial.call("roll", request=REQUEST)["result"]
    assert rolled["source"] == "hwrng"


SERIAL = '[[serial]]\ndevice = "/dev/ttyS1"\n'


def test_without_its_generator_hwrng_only_refuses_and_the_mixed_mode_goes_on(machine: Any) -> None:
    driver = "/sys/bus/virtio/drivers/virtio_rng"
    device = machine.run(f"basename $(ls -d {driver}/virtio*)")
    machine.run(f"echo {device} > {driver}/unbind")
    try:
        machine.configure(f'[entropy]\nmode = "hwrng-only"\n{SERIAL}')
        machine.until_served()
        refused = machine.serial.call("roll", request=REQUEST)
        machine.configure(f'[entropy]\nmode = "hwrng+urandom"\n{SERIAL}')
        machine.until_served()
        rolled = machine.serial.call("roll", request=REQUEST)["result"]
        state = machine.serial.call("health")["result"]["entropy"]["state"]
    finally:
        machine.run(f"echo {device} > {driver}/bind")
    assert refused["error"]["code"] == -32005
    assert (rolled["source"], rolled["recorded"], state) == ("urandom", True, "degraded")


def test_a_panel_that_is_pulled_and_put_back_shows_the_picture_again(machine: Any) -> None:
    def display() -> Any:
        return machine.serial.call("health")["result"]["display"]["state"]

    machine.run("echo 1 > /sys/module/i2c_rec/parameters/nack")
    machine.until("the loss is noticed", lambda: display() == "lost")
    assert machine.serial.call("roll", request=REQUEST)["result"]["recorded"]
    machine.look()
    machine.panel.plug()
    machine.run("echo 0 > /sys/module/i2c_rec/parameters/nack")
    machine.until("the panel is found", lambda: display() == "ok")
    machine.until("there is a picture", lambda: machine.look().lit() > 100)


def test_stop_leaves_the_panel_dark_within_two_seconds(machine: Any, tell: Any) -> None:
    machine.until("there is a picture", lambda: machine.look().lit() > 100)
    now = "date +%s%3N"
    took = machine.run(f"a=$({now}); systemctl stop dice-station; echo $(($({now}) - a))")
    assert machine.look().lit() == 0
    assert machine.property("Result") == "success"
    # An emulated processor beside other work is some thirty times slower than a real one: what it
    # takes just to start and end a Python is taken off.
    python = "/usr/lib/dice-station/bin/python3 -I -c pass"
    slowness = machine.run(f"a=$({now}); {python}; {python}; {python}; echo $(($({now}) - a))")
    machine.run("systemctl start dice-station", timeout=120)
    tell(f"stopped in {took} ms; three bare Pythons took {slowness} ms")
    assert int(took) - int(slowness) < 2000


def test_a_bad_configuration_ends_with_78_one_line_and_no_restart(machine: Any) -> None:
    machine.configure('[display]\ndriver = "ssd1307"\n')
    machine.until(
        "the unit has failed",
        lambda: machine.run("systemctl is-failed dice-station", check=False) == "failed",
    )
    assert machine.property("ExecMainStatus") == "78"
    assert machine.property("NRestarts") == "0"
    told = [line for line in machine.journal().splitlines() if "ssd1307" in line]
    assert len(told) == 1
    assert "display" in told[0]


def test_without_a_configuration_it_starts_with_what_is_there(machine: Any) -> None:
    machine.run("rm /etc/dice-station/station.toml; systemctl restart dice-station")
    machine.until_active()
    machine.until_shown("vs Challenging 9")


def test_the_units_verify_in_silence_and_expose_at_most_one(machine: Any) -> None:
    units = "dice-station.service dice-station-poweroff.path dice-station-poweroff.service"
    assert machine.run(f"systemd-analyze verify {units} dice-station-gadget.service 2>&1") == ""
    told = machine.run("systemd-analyze security --no-pager dice-station.service | tail -1")
    exposure = re.search(r": (\d+\.\d)", told)
    assert exposure is not None
    assert float(exposure[1]) <= 1.0
