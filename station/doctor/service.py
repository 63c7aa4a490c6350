"""The station as a service of systemd's: installed, up, and let write where it keeps its ledger."""

import shlex
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from station.config.settings import Config
from station.doctor.account import Account
from station.doctor.findings import Finding, bad, good, weak
from station.doctor.machine import Machine

UNIT = "dice-station.service"

WHY = "journalctl -u dice-station -b"
"""What shows why the station ended."""

PROPERTIES = (
    *("ActiveState", "SubState", "Result", "NRestarts"),
    *("ProtectSystem", "ProtectHome", "ReadWritePaths", "StateDirectory"),
)
"""What is asked of systemd; see org.freedesktop.systemd1(5)."""

STATE_BASE = PurePosixPath("/var/lib")
"""Below which StateDirectory= names folders."""

_UNIT_FOLDERS = (
    "/etc/systemd/system",
    "/run/systemd/system",
    "/usr/local/lib/systemd/system",
    "/usr/lib/systemd/system",
    "/lib/systemd/system",
)
"""Where units lie, the one that counts first (systemd.unit(5))."""

_HOMES = ("/home", "/root", "/run/user")
"""What ProtectHome=yes hides, with all below that other settings would let through."""


def service_findings(machine: Machine, account: Account, config: Config) -> Iterator[Finding]:
    """Yield how the service is, where it is installed."""
    unit = _unit(machine)
    if unit is None:
        yield good("service", "the station is not installed as a service")
        return
    yield from _groups(machine, account, unit)
    shown = _shown(machine)
    yield _state(shown)
    if account.service and shown.get("ProtectSystem") == "strict":
        yield from _kept_out(shown, PurePosixPath(config.state_folder))


def _shown(machine: Machine) -> dict[str, str]:
    """Return the unit's properties by name, as systemd has them from all its files."""
    ran = machine.run("systemctl", "show", f"--property={','.join(PROPERTIES)}", UNIT)
    lines = ran.output.splitlines() if ran is not None else []
    return {name: value for name, _, value in (line.partition("=") for line in lines)}


def _state(shown: Mapping[str, str]) -> Finding:
    state = shown.get("ActiveState") or "unknown"
    result = shown.get("Result") or "success"
    ended = "" if result == "success" else f" ({result})"
    count = shown.get("NRestarts") or "0"
    times = "once" if count == "1" else f"{count} times"
    again = f": it was started again {times}" if count != "0" else ""
    falls = ended or again or shown.get("SubState", "").startswith("auto-restart")
    match state:
        case "failed":
            return bad("service", f"the service has failed{ended}", WHY)
        case "activating" | "deactivating" if falls:
            return bad("service", f"the service does not stay up{ended}{again}", WHY)
        case "active" | "reloading" if again:
            return weak("service", f"the service is {state}, but has fallen over{again}", WHY)
        case "active" | "activating" | "reloading":
            return good("service", f"the service is {state}")
        case _:
            mend = f"sudo systemctl enable --now {UNIT}"
            return weak("service", f"the service is {state}", mend)


def _kept_out(shown: Mapping[str, str], folder: PurePosixPath) -> Iterator[Finding]:
    """Yield whether the unit keeps the service from the folder of the ledger."""
    hidden = [home for home in _HOMES if folder.is_relative_to(home)]
    if hidden and shown.get("ProtectHome") == "yes":
        text = f"the unit hides {hidden[0]} from the service, so {folder} cannot be used"
        yield bad("state", text, 'state_folder = "/srv/dice" in [station]')
    elif not any(folder.is_relative_to(each) for each in _writable(shown)):
        text = f"the unit keeps the service from writing to {folder}"
        mend = f"sudo systemctl edit dice-station, with ReadWritePaths={folder} below [Service]"
        yield bad("state", text, mend)


def _writable(shown: Mapping[str, str]) -> Iterator[PurePosixPath]:
    """Yield each folder that the service may write to; "-" and "+" before one mean no folder."""
    for word in _words(shown.get("ReadWritePaths", "")):
        yield PurePosixPath(word.lstrip("-+"))
    for word in _words(shown.get("StateDirectory", "")):
        yield STATE_BASE / word.partition(":")[0]


def _words(value: str) -> list[str]:
    try:
        return shlex.split(value)
    except ValueError:  # a quotation mark that is part of a name
        return value.split()


def _unit(machine: Machine) -> str | None:
    paths = (f"{folder}/{UNIT}" for folder in _UNIT_FOLDERS)
    return next((path for path in paths if machine.owned(path) is not None), None)


def _groups(machine: Machine, account: Account, unit: str) -> Iterator[Finding]:
    """Yield each group that the unit asks for in vain: systemd then does not start it at all."""
    known = {name for _, name in account.names}
    folders = (f"{folder}/{UNIT}.d" for folder in _UNIT_FOLDERS)
    files = [unit, *(f"{folder}/{name}" for folder in folders for name in machine.names(folder))]
    for file in files:
        for line in (machine.read(file) or b"").decode("utf-8", "replace").splitlines():
            key, _, value = line.partition("=")
            if key.strip() == "SupplementaryGroups":
                for group in value.split():
                    if group not in known:
                        text = f"the unit wants the group {group}, which is missing (216/GROUP)"
                        yield bad("service", text, f"sudo groupadd --system {group}")
