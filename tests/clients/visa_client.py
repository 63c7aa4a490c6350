"""PyVISA with pyvisa-py at its default settings, doing what standard input says.

    python visa_client.py PORT

`query LINE` asks once; `ask LINE` puts a check on the line and asks until an answer has one that
is right; `read` waits for what comes unasked.
"""

import binascii
import sys

import pyvisa  # type: ignore[import-not-found]  # it lives in an environment of its own


def tell(what: str, text: str) -> None:
    sys.stdout.write(f"{what}: {text}\n")
    sys.stdout.flush()


def signed(line: str) -> str:
    return f"{line}*{binascii.crc_hqx(line.encode(), 0):04X}"


def ask(instrument: pyvisa.resources.MessageBasedResource, line: str) -> str:
    while True:
        try:
            answer = str(instrument.query(signed(line))).rstrip("\r\n")
        except pyvisa.errors.VisaIOError as error:
            tell("again", error.abbreviation)
            continue
        if answer == signed(answer[:-5]):
            return answer
        tell("again", "damaged")


def main() -> None:
    path = sys.argv[1]
    manager = pyvisa.ResourceManager("@py")
    instrument = manager.open_resource(f"ASRL{path}::INSTR")
    tell("open", path)
    for command in sys.stdin:
        word, _, line = command.strip().partition(" ")
        match word:
            case "query":
                told = instrument.query(line)
            case "ask":
                told = ask(instrument, line)
            case _:
                told = instrument.read()
        tell("told", told.rstrip("\r\n"))


main()
