"""``dice-station doctor``: what is found on this machine, and how to mend what is not."""

import argparse
import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from hardware.missing import mend
from station.cli.console import bold, say
from station.doctor.findings import Finding, Level, bad

COLOURS = {Level.OK: "32", Level.WARN: "33", Level.FAIL: "31"}
"""SGR codes (ECMA-48): green, yellow, red; the word says the same."""


def add_parser(subparsers: Any) -> None:
    """Add the command to those of the program."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "doctor",
        description="Look at this machine: what is enabled, found, permitted and stolen, each "
        "with the one command or line that mends it. Exit status 1 if something fails.",
    )
    parser.add_argument("--config", metavar="FILE", help="the configuration to look at it for")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print what is found, and return the exit status."""
    found = looked(Path(args.config) if args.config else None)
    failed = any(finding.level is Level.FAIL for finding in found)
    if args.json:
        findings = [finding.plain() for finding in found]
        say(json.dumps({"good": not failed, "findings": findings}, allow_nan=False))
    else:
        say(*told(found))
    return int(failed)


def looked(config: Path | None) -> tuple[Finding, ...]:
    """Return what is found on this machine."""
    try:
        # Where a library is missing that all of the station needs, the rest cannot be looked at.
        from station.doctor.examine import examine  # noqa: PLC0415
        from station.doctor.machine import LinuxMachine  # noqa: PLC0415
    except ModuleNotFoundError as error:
        text = f"the library {error.name} is missing"
        return (bad("libraries", text, mend(error.name or "")),)
    return examine(LinuxMachine(os.environ), config)


def told(found: Iterable[Finding]) -> Iterator[str]:
    """Yield the lines that tell a person."""
    for finding in found:
        word = bold(f"{finding.level:<5}", COLOURS[finding.level])
        yield f"{word} {finding.topic:<10} {finding.text}"
        if finding.mend:
            yield f"{'':<17}→ {finding.mend}"
