"""The scenes of the gallery: what to do in front of the station until a screen is in a state.

A step is words of a script, or ``>Table`` to press an item, ``=Arya`` to spell a word,
``@wg 8 vs 3`` to dial as another program does, and ``home`` to go back to the dial.
"""

from rules.frozen import frozen

ROSTER = """
[[character]]
name = "Ser Brus"
endurance = 4
abilities = { Fighting = 4, Agility = 3 }
specialties = { "Fighting (Axes)" = 2 }
scores = { Strength = 3, Wits = -1 }

[[character]]
name = "Daenerys Stormborn"
endurance = 3
abilities = { Persuasion = 5 }
scores = { Strength = 1 }
"""
"""Who sits at the table."""


@frozen
class Scene:
    """A screen in one state: its name, the steps from the scene before, and the dice to come.

    `faces` are 1–6 pips each, in the order the dice are asked for.
    """

    name: str
    steps: tuple[str, ...] = ()
    faces: tuple[int, ...] = ()


SEVEN_KINGDOMS = (
    Scene("greeting"),
    Scene("dial-resting", ("wait:7s",)),
    Scene("dial", ("turn+1",)),
    Scene("dial-bonus", ("push turn+2",)),
    Scene("dial-more", ("push push",)),
    Scene("dial-penalty", ("push turn+1",)),
    Scene("dial-warning", ("hold", ">Reset dial", "@sk 1D vs 9")),
    Scene("dial-automatic", ("@sk 3D vs 0",)),
    Scene("verdict-automatic", ("roll wait:2s",)),
    Scene("verdict-not-attempted", ("home", "@sk 1D vs 21", "roll wait:2s")),
    Scene("nothing-rolled", ("home", "@sk 3D+2B vs 9", "roll wait:2s")),
    Scene("nothing-rolled-end", ("turn+9",)),
    Scene("reveal", ("home", "roll wait:150ms"), (2, 5, 1, 6, 3)),
    Scene("verdict-success", ("wait:2s",)),
    Scene("verdict-dice", ("turn+1",)),
    Scene("verdict-arithmetic", ("turn+1",)),
    Scene("verdict-complication", ("push roll wait:2s",), (1, 2, 2, 1, 1)),
    Scene("verdict-shared-failure", ("home", "@sk 2D vs 12 aided=true", "roll wait:2s"), (1, 2, 1)),
    Scene("verdict-also", ("turn+1",)),
    Scene("tie-of-a-discard", ("home", "@sk 2D+1B-1P vs 9", "roll wait:2s"), (6, 2, 6)),
    Scene("verdict-struck", ("turn+1 push wait:1s",)),
    Scene("verdict-struck-dice", ("turn+1",)),
    Scene("verdict-twenty-and-twenty", ("home", "@sk 20D+20B vs 99", "roll wait:3s"), (6,) * 40),
    Scene("menu", ("home", "hold")),
    Scene("menu-end", ("turn+99",)),
    Scene("kinds", (">Kind: Basic",)),
    Scene("systems", ("hold", ">Seven Kingdoms")),
    Scene("dial-conflict", ("home", "@sk conflict 4D+1B vs 11")),
    Scene("dial-extended", ("home", "@sk extended 3D+1B vs 9 needed=3")),
    Scene("words", ("hold", ">Who and what")),
    Scene("word-cost", (">Cost",)),
    Scene("word-name", (">time", ">Name")),
    Scene("dial-named", (">Ser Brus", "home")),
    Scene("verdict-extended", ("roll wait:2s",), (6, 5, 1, 1)),
    Scene("verdict-progress", ("turn+1",)),
    Scene("running-tests", ("home", "hold", ">People & table", ">Running tests")),
    Scene("running-test", (">Ser Brus",)),
    Scene("dial-goes-on", (">Go on with it",)),
    Scene("dial-competition", ('@sk competition Arya:3D+1B "Bran Stark":4D Cersei:2D',)),
    Scene("contestant-waits", ("roll wait:2s",), (6, 5, 4, 1)),
    Scene("contestant-falls", ("roll wait:100ms",), (6, 2, 1, 3)),
    Scene("verdict-competition", ("wait:2s roll wait:2s",), (3, 3)),
    Scene("verdict-ranking", ("turn+1",)),
    Scene("verdict-contestants-dice", ("turn+1",)),
)
"""What a table sees of the Seven Kingdoms."""

WRATH_AND_GLORY = (
    Scene("wrath-dial", ("hold", ">Seven Kingdoms", ">Wrath & Glory")),
    Scene("wrath-dial-warning", ("@wg 2 vs 5",)),
    Scene("wrath-reveal", ("@wg attack 8 vs 3", "roll wait:300ms"), (6, 6, 6, 4, 2, 5, 1, 3)),
    Scene("shifts", ("wait:2s",)),
    Scene("shifts-last", (">Extra Damage Die",)),
    Scene("verdict-critical", (">+1 Glory", "wait:1s")),
    Scene("verdict-critical-also", ("turn+1",)),
    Scene("wrath-dice", ("turn+1",)),
    Scene("offer", ("push",)),
    Scene("done", ("push",)),
    Scene("wrath-complication", ("home", "roll wait:2s"), (1, 5, 5, 4, 4, 2, 2, 3)),
    Scene("wrath-failure", ("home", "@wg 3 vs 5", "roll wait:2s"), (6, 4, 1)),
    Scene("wrath-forty-icons", ("home", "@wg 40 vs 12", "roll wait:2s"), (4,) * 40),
    Scene("wrath-forty-dice", ("turn+1",)),
)
"""What a table sees of Wrath & Glory."""

OPPOSED = (
    Scene("opposed-dial", ("@oa 3 vs -1",)),
    Scene("opposed-dial-modifiers", ("push push push turn+2",)),
    Scene("opposed-words", ("home", "hold", ">Who and what")),
    Scene("opposed-attribute", (">Attribute",)),
    Scene("opposed-named", (">Strength", ">Attacker", ">Ser Brus", "home")),
    Scene("opposed-both", ("hold", ">People & table", ">Daenerys Stormborn", ">Roll as Defender")),
    Scene("opposed-attacker-falls", ("roll wait:150ms",), (1, 2, 4, 5)),
    Scene("opposed-defender-waits", ("wait:2s",)),
    Scene("verdict-opposed", ("roll wait:2s",), (1, 1, 6, 6)),
    Scene("verdict-sides", ("turn+1",)),
    Scene("offer-of-reserve", ("push",)),
    Scene("left-to-be-resumed", ("home", "roll wait:2s hold", "hold"), (4, 4, 2, 1)),
    Scene("reserve", ("home", "hold", ">People & table", ">Ser Brus", ">Strength")),
    Scene("reserve-lost", (">Lose Reserve", "turn+6")),
    Scene("reserve-hurt", ("push",)),
    Scene("score", (">Score", "turn-2")),
)
"""What a table sees of opposed tests."""

TABLE = (
    Scene("table", ("hold", ">People & table")),
    Scene("character", (">Ser Brus",)),
    Scene("pools", (">Pools",)),
    Scene("dial-pool", (">Fighting (Axes)",)),
    Scene("character-hurt", ("hold", ">People & table", ">Ser Brus", ">Wound +1", ">Injury +1")),
    Scene("endurance", (">Endurance", "turn+2")),
    Scene("table-hurt", ("push hold",)),
    Scene("undo", (">Undo a change",)),
    Scene("undone", ("push",)),
    Scene("spelling", ("wait:6s", ">New character")),
    Scene("spelling-goes-on", ("turn+17 push",)),
    Scene("joined", ("hold", "=Ro")),
    Scene(
        "dead", ("home", "hold", ">People & table", ">Ro", ">Endurance", "turn-9 push", ">Wound +1")
    ),
    Scene("dial-dead", (">Roll for them",)),
    Scene("refused", ("hold", ">People & table", ">Ser Brus", *(">Injury +1",) * 4)),
    Scene("hidden", ("home", "hold", ">Reset dial", "hold:roll wait:1s"), (6, 5, 4)),
    Scene("revealed", ("hold wait:2s",)),
    Scene("by-hand", ("home", "hold", ">Dice by hand")),
    Scene("by-hand-goes-on", ("turn+4 push turn-1",)),
    Scene("by-hand-verdict", ("push push wait:2s",)),
    Scene("history", ("home", "hold:roll wait:1s push hold", ">History"), (3, 3, 3)),
    Scene("history-roll", ("turn+1 push",)),
    Scene("history-offer", ("push",)),
    Scene("voided", (">Void: Mistake",)),
    Scene("history-void", ("push",)),
    Scene("fairness", ("hold", ">Fairness")),
    Scene("settings", ("hold", ">Settings")),
    Scene("settings-end", ("turn+99",)),
    Scene("about", ("hold", ">About")),
    Scene("about-end", ("turn+9",)),
    Scene("power-off", ("hold", ">Power off")),
    Scene("power-refused", (">Power off now",)),
)
"""What a table sees besides its rolls."""

ACTS = (SEVEN_KINGDOMS, WRATH_AND_GLORY, OPPOSED, TABLE)
"""All scenes, in acts that each begin at a new table."""
