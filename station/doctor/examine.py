"""Looks at everything, in the order in which a maker would mend it."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from station.config import ConfigError, load, made_of
from station.config.places import Places
from station.config.roster import load_roster
from station.config.settings import Config
from station.doctor import buses, keeping, lines, software
from station.doctor.account import Account, account_of
from station.doctor.findings import Finding, bad, good
from station.doctor.machine import Machine

SERVICE_FOLDERS = {
    "STATE_DIRECTORY": "/var/lib/dice-station",
    "RUNTIME_DIRECTORY": "/run/dice-station",
}
"""What systemd tells the service; see the unit."""


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
    """Return the configuration, or the defaults with what is wrong with it."""
    environ: Mapping[str, str] = {**SERVICE_FOLDERS, **machine.environ}
    if not account.service:
        environ = machine.environ
    own = machine.place("/etc/dice-station")
    environ = {"CONFIGURATION_DIRECTORY": str(own), **environ}
    try:
        config = load(path, environ)
    except ConfigError as error:
        mend = f"sudoedit {error.path}"
        faults = [bad("config", each, mend) for each in error.sentences()]
        return made_of(None, Places(environ)), faults
    return config, list(_roster(config))


def _roster(config: Config) -> Iterator[Finding]:
    yield good("config", f"{config.path} is good" if config.path else "there is none: defaults")
    try:
        load_roster(config.table.roster)
    except ConfigError as error:
        for sentence in error.sentences():
            yield bad("config", sentence, f"sudoedit {error.path}")


def _findings(machine: Machine, account: Account, config: Config) -> Iterator[Finding]:
    yield from software.machine_findings(machine)
    yield from software.python_findings(machine)
    yield from software.library_findings(machine, config)
    yield from software.font_findings(machine)
    yield from software.service_findings(machine, account)
    yield from buses.gpio_findings(machine, account, config)
    yield from buses.input_findings(machine, account, config)
    yield from buses.display_findings(machine, account, config)
    yield from lines.serial_findings(machine, account, config)
    yield from lines.entropy_findings(machine, account, config)
    yield from keeping.folder_findings(machine, account, config)
    yield from keeping.ledger_findings(machine, config)
    yield from keeping.clock_findings(machine)
