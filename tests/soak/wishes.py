"""What programs ask of a station in a soak, and what they should not say."""

import random
from typing import Any

NAMES = ("Arya", "Brandon", "Catelyn", "Davos")
"""Who is at the table, now and then."""


class Wishes:
    """Requests at random.

    Args:
        chance: what decides.

    Attributes:
        rolls: some of the latest rolls, for what points at one.
    """

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.rolls: list[int] = []

    def remember(self, seq: int) -> None:
        """Note a roll's number."""
        self.rolls[:] = [*self.rolls[-20:], seq]

    def call(self, number: int) -> tuple[str, dict[str, Any]]:
        """Return a method and its params; `number` is the request's, for keys."""
        chance = self.chance
        match chance.randrange(14):
            case 0 | 1 | 2:
                return "roll", {"request": self.request()}
            case 3 | 4:
                key = f"soak-key-{number + chance.choice([0, 0, 0, -1])}"
                return "roll", {"request": self.request(), "key": key}
            case 5:
                return "select", {"request": self.request()}
            case 6:
                return "odds", {"request": self.request()}
            case 7:
                return "history", {"limit": chance.randrange(1, 6)}
            case 8:
                return "change", self.act()
            case 9:
                seq = chance.choice(self.rolls or [1])
                if chance.random() < 0.5:
                    return "void", {"seq": seq, "reason": "a rehearsal"}
                return "decide", {"seq": seq, "choices": {"shifts": {"glory": 1}}}
            case 10:
                return "roll", {"request": {**self.request(), "pool": "many"}}
            case 11:
                return chance.choice(["health", "selection", "fairness", "systems"]), {}
            case 12:
                hidden = {"hidden": True, "note": "behind the screen"}
                return "roll", {"request": self.request(), **hidden}
            case _:
                return chance.choice(["hello", "state", "conjure"]), {}

    def request(self) -> dict[str, Any]:
        """Return what to roll."""
        chance = self.chance
        match chance.randrange(4):
            case 0:
                return {
                    "system": "seven-kingdoms",
                    "kind": "basic",
                    "rank": chance.randint(1, 7),
                    "bonus": chance.randint(0, 4),
                    "difficulty": chance.randrange(0, 24, 3),
                }
            case 1:
                return {
                    "system": "wrath-and-glory",
                    "kind": chance.choice(["test", "attack"]),
                    "pool": chance.randint(1, 14),
                    "dn": chance.randint(1, 5),
                }
            case 2:
                sides = chance.sample(NAMES, 2)
                return {
                    "system": "opposed-attribute",
                    "kind": "opposed",
                    "attribute": "Strength",
                    "attacker": {"name": sides[0], "score": chance.randint(-4, 6)},
                    "defender": {"name": sides[1], "score": chance.randint(-4, 6)},
                }
            case _:
                return {
                    "system": "seven-kingdoms",
                    "kind": "extended",
                    "rank": chance.randint(2, 6),
                    "difficulty": 6,
                    "needed": chance.randint(2, 9),
                }

    def act(self) -> dict[str, Any]:
        """Return a change of the table's state, possible or not."""
        chance = self.chance
        character = chance.choice(NAMES)
        match chance.randrange(8):
            case 0:
                scores = [{"attribute": "Strength", "score": chance.randint(-3, 4)}]
                return {"act": "add", "character": character, "endurance": 4, "scores": scores}
            case 1:
                return {"act": "remove", "character": character}
            case 2:
                return {"act": "glory", "count": chance.choice([1, 2, -1, -2])}
            case 3:
                return {"act": "undo"}
            case 4:
                return {"act": "apply", "seq": chance.choice(self.rolls or [1])}
            case 5:
                return {"act": "end_turn"}
            case 6:
                return {"act": "clear_progress"}
            case _:
                verb = chance.choice(["wound", "heal_wound", "injury", "heal_injury"])
                return {"act": verb, "character": character}

    def garbage(self) -> bytes:
        """Return what is no whole line of JSON, or no line of this language at all."""
        chance = self.chance
        match chance.randrange(4):
            case 0:
                return chance.randbytes(chance.randrange(1, 200)) + b"\r"
            case 1:
                return b"roll 3D+2B vs 9\rodds 4D vs 9\rroll 99D vs x\r"
            case 2:
                # A line of which the end is lost.
                return b'{"jsonrpc":"2.0","id":1,"method":"roll","par'
            case _:
                return b"x" * chance.randrange(4000, 6000)
