"""For whom the machine is looked at, and what the permissions let that user do."""

from collections.abc import Iterator
from dataclasses import dataclass

from station.config.places import NAME
from station.doctor.findings import Finding, bad
from station.doctor.machine import Machine, Owned

READ, WRITE = 4, 2
"""Permission bits, as in a digit of a file's mode."""

RULES_FILE = "dice-station.rules"
"""How the name of the station's udev rules ends, wherever they are installed."""

_RULES_FOLDERS = ("/etc/udev/rules.d", "/usr/lib/udev/rules.d", "/lib/udev/rules.d")


@dataclass(frozen=True, slots=True)
class Account:
    """A user with its groups.

    Attributes:
        service: whether it is the one that the service runs as.
        groups: the numbers of its groups, and the names of all groups by number.
    """

    name: str
    uid: int
    service: bool
    groups: frozenset[int]
    names: tuple[tuple[int, str], ...]

    def group_name(self, gid: int) -> str:
        """Return a group's name, or its number where it has none."""
        return dict(self.names).get(gid, str(gid))

    def may(self, owned: Owned, wanted: int) -> bool:
        """Return whether the permission bits let the account do all that is wanted."""
        if self.uid == 0:
            return True
        shift = 6 if owned.uid == self.uid else 3 if owned.gid in self.groups else 0
        return owned.mode >> shift & wanted == wanted


def account_of(machine: Machine) -> Account:
    """Return the service's user where there is one, else the one who asks."""
    users = {fields[0]: fields for fields in _entries(machine, "/etc/passwd", 4)}
    service = NAME in users
    name = NAME if service else machine.user()
    fields = users.get(name, [name, "x", "0" if name == "root" else "-1", "-1"])
    names: dict[int, str] = {}
    groups = {_number(fields[3])}
    for group in _entries(machine, "/etc/group", 4):
        gid = _number(group[2])
        names[gid] = group[0]
        if name in group[3].split(","):
            groups.add(gid)
    return Account(name, _number(fields[2]), service, frozenset(groups), tuple(names.items()))


def _entries(machine: Machine, path: str, least: int) -> Iterator[list[str]]:
    for line in (machine.read(path) or b"").decode("utf-8", "replace").splitlines():
        fields = line.split(":")
        if len(fields) >= least:
            yield fields


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() else -1


def forbidden(
    machine: Machine, account: Account, topic: str, path: str, wanted: int
) -> Finding | None:
    """Return the finding of a device that the account may not use; None where it may."""
    owned = machine.owned(path)
    if owned is None or account.may(owned, wanted):
        return None
    text = f"{account.name} may not use {path} ({owned.mode:04o}"
    group = account.group_name(owned.gid)
    if owned.gid != 0 and owned.mode >> 3 & wanted == wanted:
        mend = f"sudo usermod -aG {group} {account.name}"
        after = "sudo systemctl restart dice-station" if account.service else "log in again"
        mend = f"{mend} && {after}" if account.service else f"{mend}, then {after}"
        return bad(topic, f"{text}, group {group}): it is not in the group {group}", mend)
    return bad(topic, f"{text}, group {group}): no udev rule gives it to a group", _rule(machine))


def _rule(machine: Machine) -> str:
    trigger = "sudo udevadm control --reload && sudo udevadm trigger"
    installed = any(
        name.endswith(RULES_FILE) for folder in _RULES_FOLDERS for name in machine.names(folder)
    )
    if installed:
        return trigger
    return f"sudo install -m 644 systemd/udev.rules /etc/udev/rules.d/60-{RULES_FILE} && {trigger}"
