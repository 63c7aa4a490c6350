"""Whole machines, each with what is wrong with it and the one thing that mends it."""

from collections.abc import Callable
from typing import Any

import pytest

from station.doctor.findings import Finding
from station.doctor.machine import ChipSeen

Look = Callable[..., list[Finding]]

SERIAL = '[[serial]]\ndevice = "/dev/serial0"\n'
HWRNG_ONLY = '[entropy]\nmode = "hwrng-only"\n'


def told(found: list[Finding]) -> list[tuple[str, str]]:
    return [(finding.level, finding.topic) for finding in found]


def only(found: list[Finding]) -> Finding:
    (finding,) = found
    return finding


def test_a_good_pi_has_nothing_to_mend(zero: Any, look: Look) -> None:
    assert look(zero) == []
    assert look(zero, SERIAL) == []


def test_a_desktop_has_warnings_and_nothing_that_fails(desktop: Any, look: Look) -> None:
    found = look(desktop)
    assert told(found) == [("warn", "machine"), ("warn", "gpio"), ("warn", "i2c")]
    assert {finding.mend for finding in found} == {"dice-station simulate"}


def test_a_machine_without_anything_at_all(desktop: Any, look: Look) -> None:
    for path in ("/etc/passwd", "/etc/group", "/proc/cmdline", "/proc/mounts"):
        desktop.lose(path)
    assert all(finding.level == "warn" for finding in look(desktop))


def test_a_pi_5_is_known_by_its_chip(five: Any, look: Look) -> None:
    assert look(five) == []


def test_serial0_of_a_pi_5_is_not_the_header(five: Any, look: Look) -> None:
    finding = only(look(five, SERIAL))
    assert (finding.level, finding.topic) == ("fail", "serial")
    assert finding.text == "/dev/serial0 is the debug socket of a Pi 5, not the header"
    assert "dtparam=uart0=on in /boot/firmware/config.txt" in finding.mend


def test_the_headers_uart_of_a_pi_5_is_off(five: Any, look: Look) -> None:
    five.lose("/dev/ttyAMA0")
    finding = only(look(five, '[[serial]]\ndevice = "/dev/ttyAMA0"\n'))
    assert finding.mend == "dtparam=uart0=on in /boot/firmware/config.txt"


def test_i2c_is_off(zero: Any, look: Look) -> None:
    zero.lose("/dev/i2c-1")
    zero.lose("/sys/bus/i2c/devices/i2c-1/of_node/clock-frequency")
    for folder in ("i2c-1/of_node", "i2c-1"):
        zero.place(f"/sys/bus/i2c/devices/{folder}").rmdir()
    finding = only(look(zero))
    assert (finding.level, finding.topic) == ("fail", "i2c")
    assert finding.mend == "sudo raspi-config nonint do_i2c 0 && sudo reboot"


def test_i2c_is_on_without_its_device(zero: Any, look: Look) -> None:
    zero.lose("/dev/i2c-1")
    finding = only(look(zero))
    assert finding.text.endswith("the module i2c-dev is not loaded")
    assert finding.mend.startswith("sudo modprobe i2c-dev")


def test_a_slow_bus_is_told_with_its_line(zero: Any, look: Look) -> None:
    zero.write("/sys/bus/i2c/devices/i2c-1/of_node/clock-frequency", (100_000).to_bytes(4, "big"))
    finding = only(look(zero))
    assert (finding.level, finding.topic) == ("warn", "i2c")
    assert finding.text.startswith("the bus runs at 100 kHz")
    assert finding.mend == (
        "dtparam=i2c_arm=on,i2c_arm_baudrate=400000 in /boot/firmware/config.txt"
    )


def test_an_older_pi_has_its_configuration_elsewhere(zero: Any, look: Look) -> None:
    zero.lose("/boot/firmware/config.txt")
    zero.write("/boot/config.txt")
    zero.write("/sys/bus/i2c/devices/i2c-1/of_node/clock-frequency", (100_000).to_bytes(4, "big"))
    assert only(look(zero)).mend.endswith(" in /boot/config.txt")


def test_no_panel_answers(zero: Any, look: Look) -> None:
    finding = only(look(zero, "[display]\naddress = 0x3D\n"))
    assert (finding.level, finding.mend) == ("warn", "i2cdetect -y 1")
    assert finding.text == "no panel answers at 0x3D on /dev/i2c-1: Remote I/O error"


def test_a_login_and_the_kernel_hold_the_port(zero: Any, look: Look) -> None:
    zero.answers["systemctl", "is-active", "serial-getty@ttyS0.service"] = "active"
    zero.write("/proc/cmdline", "console=serial0,115200 console=tty1")
    found = look(zero, SERIAL)
    assert told(found) == [("fail", "serial"), ("fail", "serial")]
    assert [finding.mend for finding in found] == [
        "sudo systemctl disable --now serial-getty@ttyS0.service",
        "sudo raspi-config nonint do_serial_cons 1 && sudo reboot",
    ]


def test_a_console_elsewhere_is_no_matter(zero: Any, look: Look) -> None:
    zero.write("/proc/cmdline", "console=ttyAMA0,115200 console=tty1")
    assert look(zero, SERIAL) == []


def test_bluetooths_port_is_not_the_header(zero: Any, look: Look) -> None:
    finding = only(look(zero, '[[serial]]\ndevice = "/dev/ttyAMA0"\n'))
    assert finding.text == "/dev/ttyAMA0 belongs to Bluetooth on this Pi"
    assert finding.mend == 'serial[0].device: "/dev/serial0"'


@pytest.mark.parametrize(
    ("device", "level", "mend"),
    [
        ("/dev/serial0", "fail", "sudo raspi-config nonint do_serial_hw 0 && sudo reboot"),
        ("/dev/serial/by-id/usb-x", "warn", "ls -l /dev/serial/by-id/"),
    ],
)
def test_a_port_that_is_not_there(
    zero: Any, look: Look, device: str, level: str, mend: str
) -> None:
    zero.lose("/dev/serial0")
    finding = only(look(zero, f'[[serial]]\ndevice = "{device}"\n'))
    assert (finding.level, finding.mend) == (level, mend)


@pytest.mark.parametrize(
    ("group", "device", "text"),
    [
        ("gpio", "/dev/gpiochip0", ""),
        ("i2c", "/dev/i2c-1", ""),
        ("dialout", "/dev/ttyS0", SERIAL),
        ("spi", "/dev/spidev0.0", '[display]\nbus = "spi"\n'),
        (
            "input",
            "/dev/input/event0",
            '[controls]\nsource = "evdev"\ninput_devices = ["/dev/input/event0"]\n',
        ),
    ],
)
def test_a_group_is_missing(zero: Any, look: Look, group: str, device: str, text: str) -> None:
    zero.device(device, group)
    zero.modules |= {"evdev"}
    zero.account(*({"gpio", "i2c", "spi", "dialout", "input"} - {group}))
    finding = only(look(zero, text))
    assert finding.level == "fail"
    assert finding.text == (
        f"pi may not use {device} (0660, group {group}): it is not in the group {group}"
    )
    assert finding.mend == f"sudo usermod -aG {group} pi, then log in again"


def test_the_services_own_user_is_the_one_that_counts(zero: Any, look: Look) -> None:
    zero.account("gpio", "spi", "dialout", "input", service=True)
    zero.place("/var/lib/dice-station").mkdir(parents=True)
    zero.owners["/var/lib/dice-station"] = ("pi", 0o777)
    finding = only(look(zero))
    assert finding.text.startswith("dice-station may not use /dev/i2c-1")
    assert finding.mend == (
        "sudo usermod -aG i2c dice-station && sudo systemctl restart dice-station"
    )


def test_root_may_do_everything(zero: Any, look: Look) -> None:
    zero.name = "root"
    zero.account(name="root")
    zero.environ = {"HOME": "/home/pi"}
    assert look(zero, HWRNG_ONLY) == []


RELOAD = "sudo udevadm control --reload && sudo udevadm trigger"


@pytest.mark.parametrize(
    ("installed", "mend"),
    [
        ("", "sudo install -m 644 systemd/udev.rules /etc/udev/rules.d/60-dice-station.rules"),
        ("/etc/udev/rules.d/60", RELOAD),
        ("/usr/lib/udev/rules.d/70", RELOAD),
        ("/usr/local/lib/udev/rules.d/70", RELOAD),
    ],
)
def test_no_rule_gives_the_generator_away(zero: Any, look: Look, installed: str, mend: str) -> None:
    if installed:
        zero.write(f"{installed}-dice-station.rules")
    finding = only(look(zero, HWRNG_ONLY))
    assert finding.text == (
        "pi may not use /dev/hwrng (0600, group root): no udev rule gives it to a group"
    )
    assert finding.mend.startswith(mend)


@pytest.mark.parametrize(("mode", "level"), [("hwrng-only", "fail"), ("hwrng+urandom", "warn")])
def test_no_generator_behind_the_device(zero: Any, look: Look, mode: str, level: str) -> None:
    zero.write("/sys/class/misc/hw_random/rng_current", "none\n")
    zero.device("/dev/hwrng", "gpio", 0o440)
    finding = only(look(zero, f'[entropy]\nmode = "{mode}"\n'))
    assert finding.level == level
    assert "rng_current is none" in finding.text
    assert "bcm2835-rng" in finding.mend


def test_no_generator_and_no_dongle_at_all(zero: Any, look: Look) -> None:
    zero.lose("/dev/hwrng")
    finding = only(look(zero, HWRNG_ONLY))
    assert finding.text == "there is no /dev/hwrng: nothing can be rolled"
    dongle = 'dongle = "/dev/serial/by-id/usb-TrueRNG"\n'
    assert only(look(zero, HWRNG_ONLY + dongle)).mend == "ls -l /dev/serial/by-id/"
    zero.device("/dev/ttyACM0", "dialout")
    zero.link("/dev/serial/by-id/usb-TrueRNG", "../../ttyACM0")
    assert look(zero, HWRNG_ONLY + dongle) == []


@pytest.mark.parametrize("mode", ["urandom", "hwrng+urandom", "hwrng-only"])
def test_urandom_alone_needs_no_device(zero: Any, look: Look, mode: str) -> None:
    found = look(zero, f'[entropy]\nmode = "{mode}"\n')
    assert (found == []) == (mode == "urandom")


def test_a_pin_is_taken(zero: Any, look: Look) -> None:
    holders = {17: "rotary@11", 4: "onewire@0", 16: "dice-station"}
    zero.chips["/dev/gpiochip0"] = ChipSeen("pinctrl-bcm2835", holders)
    finding = only(look(zero))
    assert finding.text == "GPIO17 (wiring.knob_a) is taken by rotary@11"
    assert finding.mend == (
        "remove its line from /boot/firmware/config.txt, or end it: sudo fuser -v /dev/gpiochip0"
    )


def test_a_panels_pins_are_looked_at_too(zero: Any, look: Look) -> None:
    zero.chips["/dev/gpiochip0"] = ChipSeen("pinctrl-bcm2835", {25: "lg"})
    zero.device("/dev/spidev0.0", "spi")
    found = look(zero, '[display]\nbus = "spi"\n')
    assert only(found).text == "GPIO25 (display.reset) is taken by lg"


def test_no_chip_has_the_headers_label(zero: Any, look: Look) -> None:
    zero.chips["/dev/gpiochip0"] = ChipSeen("gpio-mockup", {})
    finding = only(look(zero))
    assert finding.text == (
        "no GPIO chip is pinctrl-rp1 or pinctrl-bcm2711 or pinctrl-bcm2835, "
        "only /dev/gpiochip0 (gpio-mockup)"
    )
    assert look(zero, '[controls]\nchip = "gpio-mockup"\n') == []
    assert look(zero, '[controls]\nchip = "/dev/gpiochip0"\n') == []


@pytest.mark.parametrize(
    "error", [PermissionError(13, "Permission denied"), ImportError("No module named 'gpiod'")]
)
def test_a_chip_that_can_not_be_looked_at(
    zero: Any, look: Look, error: OSError | ImportError
) -> None:
    zero.chips["/dev/gpiochip0"] = error
    finding = only(look(zero))
    assert (finding.level, finding.mend) == ("warn", "sudo dice-station doctor")
    zero.account("i2c")
    assert only(look(zero)).mend == "sudo usermod -aG gpio pi, then log in again"


def test_no_chip_at_all_on_a_pi(zero: Any, look: Look) -> None:
    zero.lose("/dev/gpiochip0")
    zero.lose("/dev/gpiochip4")
    assert told(look(zero)) == [("fail", "gpio")]
    assert look(zero, '[controls]\npins = "mock"\n') == []


def test_spi_is_off(zero: Any, look: Look) -> None:
    text = '[display]\nbus = "spi"\n'
    assert only(look(zero, text)).mend == "sudo raspi-config nonint do_spi 0 && sudo reboot"
    finding = only(look(zero, f"{text}spi_port = 1\n[wiring]\nled = false\n"))
    assert finding.mend == "dtoverlay=spi1-3cs in /boot/firmware/config.txt"


def test_an_input_device_is_missing(zero: Any, look: Look) -> None:
    zero.modules |= {"evdev"}
    text = '[controls]\nsource = "evdev"\ninput_devices = ["/dev/input/by-path/x"]\n'
    assert only(look(zero, text)).text == "there is no /dev/input/by-path/x"


def test_no_panel_is_looked_for_where_none_is_configured(zero: Any, look: Look) -> None:
    zero.lose("/dev/i2c-1")
    assert look(zero, '[display]\nbackend = "memory"\n') == []
