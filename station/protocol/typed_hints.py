"""What is wrong with a request, said to a person who types: how it is typed, and no JSON."""

import re

from station.protocol.errors import MethodError

_TYPED = {
    "rank": "dice in front, such as 3D+2B vs 9",
    "difficulty": "a number behind the dice, such as 3D vs 9",
    "attacker": "two Scores, such as 3 vs 1",
    "defender": "two Scores, such as 3 vs 1",
    "contestants": 'names and dice, such as Arya:3D "Ser Jaime":4D',
    "faces": "such as faces=6,5,1",
    "choices": "such as struck=0,3 or shifts=damage:1,glory:1",
    "reason": 'such as reason="wrong dice"',
    "events": "such as rolled or changed",
    "character": "such as character=Arya",
    "attribute": "such as attribute=Strength",
    "scores": "such as scores=Strength:3,Agility:4",
}
"""How a field is typed that JSON tells otherwise, or that stands without its name."""

_OBJECTS = re.compile(r"a list of (\S+) objects")


def sentence(error: MethodError) -> str:
    """Return the sentence of an error as a person at a terminal can use it."""
    data = error.data or {}
    allowed, fault = str(data.get("allowed", "")), error.message.partition("; allowed: ")[0]
    if allowed == "true or false":
        return f"{fault}; allowed: yes or no"
    hint = _TYPED.get(str(data.get("field")))
    is_missing = fault.endswith(" is missing")
    if hint is None or not (is_missing or "object" in allowed or "{" in allowed):
        return error.message
    if (several := _OBJECTS.match(allowed)) is not None:
        told = fault if is_missing else f"{data['field']} is not as many as it must be"
        return f"{told}; allowed: {several[1]} {hint}"
    return f"{fault}; allowed: {hint}"
