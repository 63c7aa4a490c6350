"""For whom the machine is looked at, and what the permissions let that user do."""

from collections.abc import Iterator
from pathlib import PurePosixPath

from rules.frozen import frozen
from station.config.places import NAME
from station.doctor.findings import Finding, bad
from station.doctor.machine import Machine, Owned

READ, WRITE, EXECUTE = 4, 2, 1
"""Permission bits, as in a digit of a file's mode; a folder is looked into with the last."""

RULES_FILE = "dice-station.rules"
"""How the name of the station's udev rules ends, wherever they are installed."""

_FIELDS = 4
"""Fields of a line of /etc/group, and the first of /etc/passwd, that are read."""

_RULES_FOLDERS = (
    "/etc/udev/rules.d",
    "/usr/local/lib/udev/rules.d",
    "/usr/lib/udev/rules.d",
    "/lib/udev/rules.d",
)


@frozen
class Account:
    """A user with its groups.

    Attributes:
        groups: the numbers of its groups, and the names of all groups by number.
    """

    name: str
    uid: int
    groups: frozenset[int]
    names: tuple[tuple[int, str], ...]

    @property
    def service(self) -> bool:
        """Whether it is the one that the service runs as."""
        return self.name == NAME

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
    all_groups = list(_entries(machine, "/etc/group"))
    names = tuple((_number(group[2]), group[0]) for group in all_groups)
    for user in _entries(machine, "/etc/passwd"):
        if user[0] == NAME:
            groups = {_number(group[2]) for group in all_groups if NAME in group[3].split(",")}
            groups.add(_number(user[3]))
            return Account(NAME, _number(user[2]), frozenset(groups), names)
    uid, own = machine.ids()
    return Account(machine.user(), uid, own, names)


def _entries(machine: Machine, path: str) -> Iterator[list[str]]:
    for line in (machine.read(path) or b"").decode("utf-8", "replace").splitlines():
        fields = line.split(":")
        if len(fields) >= _FIELDS:
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


def unreadable(machine: Machine, account: Account, topic: str, path: str) -> Iterator[Finding]:
    """Yield what keeps the account from reading a file, also where its link leads; if anything."""
    for file in dict.fromkeys((path, machine.target(path))):
        for folder in reversed(PurePosixPath(file).parents):
            owned = machine.owned(str(folder))
            if owned is not None and not account.may(owned, EXECUTE):
                text = f"{account.name} may not look into {folder} ({owned.mode:04o})"
                yield bad(topic, text, f"sudo chmod a+x {folder}")
                return
    owned = machine.owned(path)
    if owned is not None and not account.may(owned, READ):
        text = f"{account.name} may not read {path} ({owned.mode:04o})"
        yield bad(topic, text, f"sudo chmod a+r {path}")


def _rule(machine: Machine) -> str:
    trigger = "sudo udevadm control --reload && sudo udevadm trigger"
    installed = any(
        name.endswith(RULES_FILE) for folder in _RULES_FOLDERS for name in machine.names(folder)
    )
    if installed:
        return trigger
    return f"sudo install -m 644 systemd/udev.rules /etc/udev/rules.d/60-{RULES_FILE} && {trigger}"
