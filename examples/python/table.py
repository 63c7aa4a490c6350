"""A terminal for a gaming table that knows no system of rules, and plays them all.

Everything it asks and shows comes from the station: `systems` says what can be asked, `odds` how it
stands, and the roll what came of it. A station with a further system needs no change here.

Needs: the `dice-station` package (its `station.client`), on this or another machine.
Wiring: none on the station itself, through its local socket; elsewhere a USB serial adapter with
3.3 V levels: TX to GPIO 15 (RX, pin 10) of the station's Raspberry Pi, RX to GPIO 14 (TX, pin 8),
GND to GND (pin 6). Or the Pi's USB gadget port.

    python table.py /run/dice-station/station.sock
    python table.py /dev/ttyUSB0
"""

import sys
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from station.client import ClientError, NoAnswerError, RefusedError, Roll, Station

HELP = "a number changes a line (3 or 3=5), + and - a list; r rolls, o: all odds, b: back"
WATCHED = 3600.0
"""Seconds without a roll after which watching ends."""

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """A field on the screen, and where in the request it belongs."""

    path: Path
    label: str
    described: dict[str, Any]

    @property
    def allowed(self) -> str:
        """What the field takes, in a few words."""
        match self.described:
            case {"min": low, "max": high}:
                return f"{low} to {high}"
            case {"values": values}:
                return ", ".join(values)
            case {"type": "boolean"}:
                return "yes, no"
            case {"min_items": low, "max_items": high}:
                return f"{low} to {high} of them"
            case {"max_length": most}:
                return f"at most {most} characters"
            case _:
                return ""

    def read(self, text: str) -> Any:
        """Return what was typed as the field's type; the station judges whether it is right."""
        if text == "":
            return None
        match self.described["type"]:
            case "integer":
                try:
                    return int(text)
                except ValueError:
                    return text
            case "boolean":
                return {"yes": True, "y": True, "no": False, "n": False}.get(text.lower(), text)
            case _:
                return text


@dataclass(slots=True)
class Form:
    """A request in the making."""

    system: str
    kind: dict[str, Any]
    values: dict[Path, Any] = field(default_factory=dict)
    counts: dict[Path, int] = field(default_factory=dict)
    in_doubt: tuple[dict[str, Any], str] | None = None

    def lines(self) -> list[Line]:
        """Return every field, those of parts one by one."""
        return list(self._lines(self.kind["fields"], (), ""))

    def _lines(self, fields: list[dict[str, Any]], at: Path, before: str) -> Iterator[Line]:
        for each in fields:
            path, label = (*at, each["name"]), before + each["label"]
            match each["type"]:
                case "object":
                    yield from self._lines(each["fields"], path, f"{label}: ")
                case "array":
                    yield Line(path, label, each)
                    for place in range(self.count(path, each)):
                        name = f"{label} {place + 1}: "
                        yield from self._lines(each["fields"], (*path, place), name)
                case _:
                    yield Line(path, label, each)

    def count(self, path: Path, described: dict[str, Any]) -> int:
        """Return how many parts a list has."""
        return self.counts.get(path, int(described["min_items"]))

    def shown(self, line: Line) -> str:
        """Return a field's value as it stands on the screen."""
        if line.described["type"] == "array":
            return str(self.count(line.path, line.described))
        value = self.values.get(line.path, line.described.get("default"))
        if value is None:
            return "?" if line.described["required"] else "-"
        if isinstance(value, bool):
            return "yes" if value else "no"
        return str(value)

    def resize(self, by: int) -> None:
        """Make the lists longer or shorter."""
        for line in self.lines():
            if line.described["type"] == "array":
                low, high = line.described["min_items"], line.described["max_items"]
                count = self.count(line.path, line.described) + by
                self.counts[line.path] = min(max(count, low), high)

    def request(self) -> dict[str, Any]:
        """Return the request in its JSON form."""
        told = self._part(self.kind["fields"], ())
        return {"system": self.system, "kind": self.kind["kind"], **told}

    def _part(self, fields: list[dict[str, Any]], at: Path) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for each in fields:
            path = (*at, each["name"])
            match each["type"]:
                case "object":
                    found[each["name"]] = self._part(each["fields"], path)
                case "array":
                    places = range(self.count(path, each))
                    parts = [self._part(each["fields"], (*path, place)) for place in places]
                    found[each["name"]] = parts
                case _ if path in self.values:
                    found[each["name"]] = self.values[path]
        return found


def chosen(prompt: str, titles: list[str]) -> int | None:
    """Return which of some titles a person picks, or None to go back."""
    for number, title in enumerate(titles, 1):
        print(f"{number:3}  {title}")
    while True:
        answer = input(f"{prompt} (Enter goes back): ").strip()
        if not answer:
            return None
        if answer.isdecimal() and 1 <= int(answer) <= len(titles):
            return int(answer) - 1
        print(f"1 to {len(titles)}, please")


def is_chance(value: object) -> bool:
    """Return whether a value of the odds is a number told exactly."""
    return isinstance(value, dict) and value.keys() == {"n", "d", "p"}


def told_odds(odds: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield every part of the odds by its name, those of a list by its number as well."""
    for name, value in odds.items():
        if isinstance(value, list):
            yield from ((f"{name} {place}", each) for place, each in enumerate(value, 1))
        else:
            yield name, value


def odds_line(station: Station, form: Form) -> str:
    """Return the chances in a line, or what is still wrong with the request."""
    try:
        odds = station.odds(form.request())
    except RefusedError as refused:
        return str(refused)
    told = (f"{name} {value['p']:.4g}" for name, value in told_odds(odds) if is_chance(value))
    return "chances: " + ", ".join(told)


def show_odds(station: Station, form: Form) -> None:
    """Print every chance, distributions as bars."""
    for name, value in told_odds(station.odds(form.request())):
        if is_chance(value):
            print(f"{name}: {value['n']}/{value['d']} = {value['p']:.6g}")
        elif isinstance(value, dict):
            print(f"{name}:")
            for key, chance in value.items():
                print(f"{key:>6} {chance['p']:8.4f} {'#' * round(chance['p'] * 60)}")


def show_form(station: Station, form: Form) -> None:
    """Print the form and how it stands."""
    print(f"\n{form.kind['title']}")
    for number, line in enumerate(form.lines(), 1):
        print(f"{number:3}  {line.label:<28} {form.shown(line):<16} {line.allowed}")
    print(odds_line(station, form))


def show_roll(faces: tuple[int, ...] | list[int] | None, outcome: dict[str, Any] | None) -> None:
    """Print how dice fell and what that means; the names are the outcome's own."""
    if not outcome:
        print("hidden until it is revealed at the station")
        return
    print(f"  {outcome['explanation']}")
    fates: dict[str, list[int]] = {}
    for die in outcome.get("dice", ()):
        fates.setdefault(f"{die['role']} {die['fate']}", []).append(die["face"])
    for fate, pips in fates.items():
        print(f"  {fate}: {' '.join(map(str, pips))}")
    if faces and not fates:
        print(f"  faces: {' '.join(map(str, faces))}")
    apart = ("explanation", "dice", "open", "attempted", "reason")
    simple = {k: v for k, v in outcome.items() if k not in apart and isinstance(v, str | int)}
    print("  " + ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in simple.items()))
    if not outcome["attempted"]:
        print(f"  not attempted: {outcome['reason']}")


def decision(choice: dict[str, Any], outcome: dict[str, Any]) -> Any:
    """Return what a person decides: positions, how many of each, or how many; None for later."""
    options, most = choice["options"], choice["most"]
    print(f"  {choice['choice']}: {choice['least']} to {most} of {', '.join(map(str, options))}")
    if all(isinstance(option, int) for option in options):
        places = input("  positions, such as 0 2 (Enter leaves it): ").split()
        return [int(place) for place in places if place.isdecimal()] or None
    if isinstance(outcome.get(choice["choice"]), dict):
        example = " ".join(f"{option}=1" for option in options)
        counts = input(f"  such as {example} (Enter leaves it): ").split()
        pairs = (part.partition("=") for part in counts)
        return {name: int(count) for name, _, count in pairs if count.isdecimal()} or None
    count = input("  how many (Enter leaves it): ").strip()
    return int(count) if count.isdecimal() else None


def take_decisions(station: Station, roll: Roll) -> None:
    """Ask for the decisions that a roll left open, and send them."""
    for choice in roll.outcome.get("open", ()):
        answer = decision(choice, roll.outcome)
        if answer is None or roll.seq is None:
            continue
        try:
            show_roll(None, station.decide(roll.seq, {choice["choice"]: answer})["outcome"])
        except RefusedError as refused:
            print(f"  {refused}")


def roll_form(station: Station, form: Form) -> None:
    """Roll, and show what came of it."""
    # The key is kept until an answer came: the next r then asks for this roll, not for another.
    form.in_doubt = form.in_doubt or (form.request(), str(uuid.uuid4()))
    request, key = form.in_doubt
    try:
        roll = station.roll(request, key=key)
    except NoAnswerError as silent:
        print(f"not known whether it was rolled; r asks again: {silent}")
        return
    except RefusedError:
        form.in_doubt = None
        raise
    form.in_doubt = None
    print(f"\nroll {roll.seq if roll.recorded else '(not recorded)'}")
    show_roll(roll.faces, roll.outcome)
    take_decisions(station, roll)


def fill(station: Station, form: Form) -> None:
    """Let a person fill in a form, and roll it as often as they like."""
    print(HELP)
    show_form(station, form)
    while (command := input("> ").strip()) != "b":
        try:
            if command == "r":
                roll_form(station, form)
                continue
            if command == "o":
                show_odds(station, form)
                continue
            if command in ("+", "-"):
                form.resize(1 if command == "+" else -1)
            elif command and not change(form, command):
                print(HELP)
                continue
            show_form(station, form)
        except RefusedError as refused:
            print(refused)


def change(form: Form, command: str) -> bool:
    """Change the field that a command names; return whether it names one."""
    number, given, text = command.partition("=")
    lines = form.lines()
    if not number.strip().isdecimal() or not 1 <= int(number) <= len(lines):
        return False
    line = lines[int(number) - 1]
    if line.described["type"] == "array":
        return False
    value = line.read((text if given else input(f"{line.label} ({line.allowed}): ")).strip())
    form.values.pop(line.path, None)
    if value is not None:
        form.values[line.path] = value
    return True


def watch(station: Station) -> None:
    """Show rolls made at the table until Ctrl-C."""
    print("rolls made at the table; Ctrl-C ends")
    station.subscribe("rolled")
    try:
        for event in station.events(WATCHED):
            print(f"\nroll {event.params['seq']}")
            show_roll(event.params["faces"], event.params["outcome"])
    except KeyboardInterrupt:
        print()
    station.unsubscribe()


def play(station: Station) -> None:
    """Let people choose a system and a kind of test, again and again."""
    systems = station.systems()["systems"]
    titles = [system["title"] for system in systems]
    while (place := chosen("System", [*titles, "Watch the table"])) is not None:
        if place == len(systems):
            watch(station)
            continue
        system = systems[place]
        kinds = [kind["title"] for kind in system["kinds"]]
        if (kind := 0 if len(kinds) == 1 else chosen("Test", kinds)) is not None:
            fill(station, Form(system["id"], system["kinds"][kind]))


def main(arguments: list[str]) -> int:
    """Connect to a station and play."""
    if len(arguments) != 1:
        print("usage: table.py PORT-OR-SOCKET", file=sys.stderr)
        return 2
    try:
        with Station(arguments[0], client="table") as station:
            hello = station.hello
            print(f"{hello.station if hello else 'a station'}: what shall we play?")
            play(station)
    except ClientError as error:
        print(error, file=sys.stderr)
        return 1
    except (EOFError, KeyboardInterrupt):
        print()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
