"""The package on a machine, from its installation to its purge; and `make install`."""

import os
from typing import Any

REQUEST = {"system": "wrath-and-glory", "kind": "test", "pool": 6}
TRACES = (
    "find / -xdev \\( -path /proc -o -path /sys -o -path /run -o -path /tmp -o -path /var/log "
    "-o -path /var/lib/dpkg \\) -prune -o \\( -name '*dice*station*' -o -uid {uid} \\) -print"
)
"""Finds whatever bears the station's name or belonged to its user."""


def _roll(machine: Any) -> int:
    seq: int = machine.serial.call("roll", request=REQUEST)["result"]["seq"]
    return seq


def _settled(machine: Any, version: str) -> None:
    assert machine.run("dpkg-query -W -f '${Version} ${db:Status-Status}' dice-station") == (
        f"{version} installed"
    )
    assert machine.run("dpkg -V dice-station 2>&1") == ""
    machine.until_served(60)


def test_a_life_of_the_package(lasting: Any) -> None:
    lasting.power_on()
    lasting.until_served(120)
    lasting.share()
    config = lasting.run("cat /etc/dice-station/station.toml")
    older, newer = "/mnt/host/old.deb", "/mnt/host/new.deb"
    old, new = (lasting.run(f"dpkg-deb -f {deb} Version") for deb in (older, newer))
    first = _roll(lasting)

    for deb, version in ((older, old), (newer, new)):
        lasting.run(f"dpkg -i {deb} 2>&1", timeout=300)
        _settled(lasting, version)
        assert _roll(lasting) > first
        assert lasting.run("cat /etc/dice-station/station.toml") == config
        assert lasting.status("dice-station verify") == 0

    # A maker's choice outlives an upgrade.
    lasting.run("systemctl disable --now dice-station")
    lasting.run(f"dpkg -i {newer} 2>&1", timeout=300)
    assert lasting.run("systemctl is-enabled dice-station", check=False) == "disabled"
    lasting.run("systemctl enable --now dice-station")

    lasting.run("dpkg -r dice-station 2>&1", timeout=120)
    assert lasting.run("systemctl is-active dice-station", check=False) == "inactive"
    assert lasting.status("test -e /usr/lib/dice-station") != 0
    assert lasting.run("cat /etc/dice-station/station.toml") == config
    assert "ledger" in lasting.run("ls /var/lib/dice-station")

    lasting.run(f"dpkg -i {newer} 2>&1", timeout=300)
    _settled(lasting, new)
    assert _roll(lasting) > first

    uid = lasting.run("id -u dice-station")
    lasting.run("dpkg -P dice-station 2>&1", timeout=120)
    assert lasting.run(TRACES.format(uid=uid)) == ""
    assert lasting.status("getent passwd dice-station") != 0


SOURCE = "/tmp/source"  # noqa: S108 - of the guest, where nobody else is
"""Where a maker would have the sources."""
KEPT = ("/etc/dice-station", "/var/lib/dice-station")
"""What an uninstallation keeps: the configuration, and the ledger."""


def _paths(machine: Any, prefix: str) -> set[str]:
    return set(machine.run(f"find {prefix} /etc/systemd /lib/systemd").splitlines())


def test_make_install_starts_the_station_and_make_uninstall_leaves_only_its_state(
    lasting: Any,
) -> None:
    prefix = os.environ["PREFIX"]
    lasting.power_on()
    lasting.until_served(120)
    lasting.share()
    config = lasting.run("cat /etc/dice-station/station.toml")
    lasting.run("dpkg -P dice-station 2>&1", timeout=120)
    before = _paths(lasting, prefix)
    lasting.run(f"mkdir {SOURCE} && tar -x -C {SOURCE} -f /mnt/host/local.tar")
    lasting.run(f"install -D -m 644 /dev/stdin /etc/dice-station/station.toml <<'E'\n{config}\nE")

    for _ in ("first", "over itself"):
        lasting.run(f"{SOURCE}/install {SOURCE}/tree {prefix} '' 2>&1", timeout=600)
        assert lasting.run("systemctl is-enabled dice-station") == "enabled"
        lasting.until_served()
    assert lasting.property("FragmentPath").startswith(prefix)
    assert _roll(lasting)
    assert lasting.status(f"{prefix}/bin/dice-station verify") == 0
    lasting.until_active()
    health = lasting.serial.call("health")["result"]
    parts = ("entropy", "display", "controls", "ledger")
    assert {part: health[part]["state"] for part in parts} == dict.fromkeys(parts, "ok")

    uid = lasting.run("id -u dice-station")
    lasting.run(f"{SOURCE}/uninstall {prefix} '' 2>&1", timeout=300)
    assert lasting.run("systemctl is-active dice-station", check=False) == "inactive"
    assert lasting.run("systemctl is-enabled dice-station 2>&1", check=False) != "enabled"
    assert _paths(lasting, prefix) == before
    left = lasting.run(TRACES.format(uid=uid)).splitlines()
    assert [path for path in left if not path.startswith(KEPT)] == []
    assert lasting.run("cat /etc/dice-station/station.toml") == config
    assert "ledger.db" in lasting.run("ls /var/lib/dice-station")
