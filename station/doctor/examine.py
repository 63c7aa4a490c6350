"""Looks at everything, in the order in which a maker would mend it."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from station.config import ConfigError, load, made_of
from station.config.places import CONFIG_FILE, SYSTEM_FOLDER, Places
from station.config.roster import load_roster
from station.config.settings import Config
from station.doctor import buses, keeping, lines, service, software
from station.doctor.account import Account, account_of, unreadable
from station.doctor.findings import Finding, bad, good, weak
from station.doctor.machine import Machine

SERVICE_FOLDERS = {
    "STATE_DIRECTORY": "/var/lib/dice-station",
    "RUNTIME_DIRECTORY": "/run/dice-station",
}
"""What systemd tells the service; see the unit."""

OWN_FILE = SYSTEM_FOLDER / CONFIG_FILE
"""The configuration that the service reads."""


def examine(machine: Machine, path: Path | None = None) -> tuple[Finding, ...]:
    """Return all that was found; nothing on the machine is changed, and nothing is raised.

    Args:
        machine: what is looked at.
        path: the configuration; None takes the machine's own.
    """
    account = account_of(machine)
    config, found = _configuration(machine, account, path)
    return (*found, *_findings(machine, account, config))


def _configuration(
    machine: Machine, account: Account, path: Path | None
) -> tuple[Config, list[Finding]]:
    """Return the configuration, or the defaults, with what is wrong with it."""
    environ: Mapping[str, str] = {**SERVICE_FOLDERS, **machine.environ}
    if not account.service:
        environ = machine.environ
    own = machine.place(str(SYSTEM_FOLDER))
    environ = {"CONFIGURATION_DIRECTORY": str(own), **environ}
    # Any other file is one that is still being written; the service never sees it.
    is_services = account.service and path in (None, OWN_FILE)
    found = list(unreadable(machine, account, "config", str(OWN_FILE))) if is_services else []
    try:
        config = load(path, environ)
    except ConfigError as error:
        if not (found and isinstance(error.__cause__, PermissionError)):
            found += _faults(error, is_services=is_services)
        return made_of(None, Places(environ)), found
    if not found:
        found.append(
            good("config", f"{config.path} is good" if config.path else "there is none: defaults")
        )
    found += _roster(machine, account, config, is_services=is_services)
    return config, list(dict.fromkeys(found))  # both may lie in one folder


def _faults(error: ConfigError, *, is_services: bool) -> Iterator[Finding]:
    """Yield what is wrong with a file, or that only others than who asks may look at it."""
    if is_services and isinstance(error.__cause__, PermissionError):
        yield weak("config", f"{error.path} cannot be looked at", "sudo dice-station doctor")
        return
    for sentence in error.sentences():
        yield bad("config", sentence, f"sudoedit {error.path}")


def _roster(
    machine: Machine, account: Account, config: Config, *, is_services: bool
) -> Iterator[Finding]:
    roster = config.table.roster
    if roster is not None and is_services:
        root = machine.place("/")
        path = "/" / roster.relative_to(root) if roster.is_relative_to(root) else roster
        found = tuple(unreadable(machine, account, "config", str(path)))
        if found:
            yield from found
            return
    try:
        load_roster(roster)
    except ConfigError as error:
        yield from _faults(error, is_services=is_services)


def _findings(machine: Machine, account: Account, config: Config) -> Iterator[Finding]:
    yield from software.machine_findings(machine)
    yield from software.python_findings(machine)
    yield from software.library_findings(machine, config)
    yield from software.font_findings(machine)
    yield from service.service_findings(machine, account, config)
    yield from buses.gpio_findings(machine, account, config)
    yield from buses.input_findings(machine, account, config)
    yield from buses.display_findings(machine, account, config)
    yield from lines.serial_findings(machine, account, config)
    yield from lines.entropy_findings(machine, account, config)
    yield from keeping.folder_findings(machine, account, config)
    yield from keeping.owner_findings(machine, account, config)
    yield from keeping.ledger_findings(machine, config)
    yield from keeping.clock_findings(machine)
