import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.acts import (
    ACTS,
    Act,
    AddCharacter,
    AdvanceTest,
    ClearTest,
    EditCharacter,
    EndTurn,
    GiveGlory,
    HealInjury,
    HealReserve,
    HealWound,
    Injury,
    LoseReserve,
    RemoveCharacter,
    Score,
    Wound,
    act_from_plain,
    act_of,
    act_plain,
    apply,
)
from rules.changes import (
    Change,
    between,
    change_from_plain,
    change_plain,
    changed,
    undone,
)
from rules.engine import resolve
from rules.errors import RulesError
from rules.model import Consequence
from rules.opposed_attribute import SYSTEM as OPPOSED
from rules.opposed_attribute import Opposed, Side
from rules.pool_kinds import ExtendedTest
from rules.seven_kingdoms import SYSTEM as KINGDOMS
from rules.table import (
    EMPTY,
    Character,
    Progress,
    Reserve,
    Table,
    state_plain,
    table_from_plain,
    table_plain,
)
from rules.wrath_and_glory import SYSTEM as WRATH
from rules.wrath_and_glory import WrathAttack

STRENGTH = Score(attribute="Strength", score=3)
ARYA = AddCharacter(character="Arya", endurance=3, scores=(STRENGTH,))
BRAN = AddCharacter(character="Bran", scores=())


def after(*acts: Act, table: Table = EMPTY) -> Table:
    for act in acts:
        table = apply(table, act)
    return table


def refused(table: Table, act: Act) -> str:
    with pytest.raises(RulesError) as caught:
        apply(table, act)
    return str(caught.value)


def strength(*acts: Act) -> Reserve:
    return after(ARYA, *acts).reserve("Arya", "Strength")


def lose(count: int, *, residual: bool = False) -> LoseReserve:
    return LoseReserve(character="Arya", attribute="Strength", count=count, residual=residual)


def heal(count: int = 0, *, end_residual: bool = False) -> HealReserve:
    return HealReserve(
        character="Arya", attribute="Strength", count=count, end_residual=end_residual
    )


def test_wounds_that_reach_endurance_kill() -> None:
    wounded = after(ARYA, Wound(character="Arya", count=2))
    assert (wounded.character("Arya").wounds, wounded.character("Arya").dead) == (2, False)
    assert after(Wound(character="Arya"), table=wounded).character("Arya").dead
    healed = after(Wound(character="Arya"), HealWound(character="Arya"), table=wounded)
    assert not healed.character("Arya").dead


def test_without_a_known_endurance_no_one_dies() -> None:
    assert not after(BRAN, Wound(character="Bran", count=20)).character("Bran").dead


def test_injuries_cannot_exceed_endurance() -> None:
    full = after(ARYA, Injury(character="Arya", count=3))
    assert full.character("Arya").injuries == 3
    assert refused(full, Injury(character="Arya")) == (
        "injuries is 4 (Endurance is the limit); allowed: 0–3"
    )
    assert after(HealInjury(character="Arya", count=2), table=full).character("Arya").injuries == 1


@pytest.mark.parametrize("kind", [HealWound, HealInjury])
def test_what_is_not_there_cannot_be_healed(kind: type[HealWound] | type[HealInjury]) -> None:
    assert "allowed: nothing" in refused(after(ARYA), kind(character="Arya"))
    harmed = after(ARYA, Wound(character="Arya"), Injury(character="Arya"))
    assert "allowed: 1–1" in refused(harmed, kind(character="Arya", count=2))


def test_wounds_have_an_end() -> None:
    assert "wounds is 21" in refused(
        after(BRAN, Wound(character="Bran", count=20)), Wound(character="Bran")
    )


def test_glory_is_gained_and_spent_but_never_below_none() -> None:
    table = after(GiveGlory(count=3), GiveGlory(count=-2))
    assert table.glory == 1
    assert refused(table, GiveGlory(count=-2)) == (
        "count is -2 (beyond what is left); allowed: -1 and above"
    )


@pytest.mark.parametrize(
    ("glory", "cap", "gain", "then"),
    [(4, 6, 3, 6), (4, 6, 1, 5), (8, 6, 1, 8), (8, 6, -1, 7), (4, None, 99, 103), (0, 0, 5, 0)],
)
def test_a_cap_stops_gains_and_takes_nothing(
    glory: int, cap: int | None, gain: int, then: int
) -> None:
    table = Table(glory=glory, glory_cap=cap, characters=(), progress=())
    assert apply(table, GiveGlory(count=gain)).glory == then


def test_each_ten_points_lost_lower_the_score_by_one() -> None:
    reserve = strength(lose(34))
    assert (reserve.score, reserve.lost, reserve.current, reserve.left) == (3, 34, 0, 6)
    assert (strength().current, strength().left) == (3, 10)
    assert [strength(lose(lost)).current for lost in (9, 10, 20)] == [3, 2, 1]
    assert strength(lose(130)).current == -10
    assert strength(lose(999)).current == -10


def test_healing_brings_the_score_back_and_stops_at_nothing_lost() -> None:
    assert strength(lose(34), heal(5)).current == 1
    assert strength(lose(34), heal(99)) == strength()


def test_residual_damage_adds_up_and_is_taken_at_the_end_of_each_turn() -> None:
    begun = (lose(10, residual=True), lose(10, residual=True))
    assert strength(*begun).lost == 20
    assert strength(*begun, EndTurn()).lost == 22
    assert strength(*begun, EndTurn(), EndTurn()).lost == 24
    assert strength(*begun, EndTurn(), heal(end_residual=True), EndTurn()).lost == 22
    assert strength(*begun, EndTurn(), heal(2), EndTurn()).lost == 22


def test_the_end_of_a_turn_harms_only_those_who_bleed() -> None:
    table = after(ARYA, BRAN, lose(3), EndTurn())
    assert (table.turn, table.reserve("Arya", "Strength").lost) == (2, 3)


def test_characters_stand_in_the_order_of_their_names() -> None:
    assert after(BRAN, ARYA) == after(ARYA, BRAN)
    assert [each.name for each in after(BRAN, ARYA).characters] == ["Arya", "Bran"]


def test_a_character_is_added_once() -> None:
    assert "there is one already" in refused(after(ARYA), ARYA)


def test_a_character_is_put_right_without_losing_its_harm() -> None:
    edit = EditCharacter(
        character="Arya",
        name="Cat",
        endurance=5,
        scores=(Score(attribute="Strength", score=4), Score(attribute="Wits", score=-1)),
    )
    cat = after(ARYA, lose(12), Wound(character="Arya"), edit).character("Cat")
    assert (cat.endurance, cat.wounds) == (5, 1)
    assert cat.reserves == (
        Reserve(attribute="Strength", score=4, lost=12),
        Reserve(attribute="Wits", score=-1),
    )


def test_an_edit_leaves_alone_what_it_does_not_say() -> None:
    table = after(ARYA, lose(12))
    assert apply(table, EditCharacter(character="Arya", scores=())) == table


def test_an_edit_keeps_names_apart_and_injuries_within_endurance() -> None:
    table = after(ARYA, BRAN, Injury(character="Arya", count=2))
    taken = EditCharacter(character="Bran", name="Arya", scores=())
    assert "no one at the table has" in refused(table, taken)
    assert "0–1" in refused(table, EditCharacter(character="Arya", endurance=1, scores=()))


def test_a_character_leaves_with_all_that_was_its_own() -> None:
    assert after(ARYA, BRAN, lose(3), RemoveCharacter(character="Arya")) == after(BRAN)


def test_names_that_are_not_at_the_table_are_named() -> None:
    assert "did you mean Arya?" in refused(after(ARYA), Wound(character="Aria"))
    assert refused(EMPTY, Wound(character="Arya")) == (
        'character is "Arya" (there is no such character); allowed: none is known yet'
    )
    wits = LoseReserve(character="Arya", attribute="Wits", count=1)
    assert refused(after(ARYA), wits) == (
        'attribute is "Wits" (there is no such attribute); allowed: Strength'
    )


def test_an_extended_test_is_counted_by_name() -> None:
    first = AdvanceTest(name="Gendry", gained=1, needed=3, roll_number=1, cost="a day")
    second = AdvanceTest(name="Gendry", gained=1, needed=3, roll_number=2, cost="ore")
    third = AdvanceTest(name="Gendry", gained=3, needed=3, roll_number=3, cost="a day")
    other = AdvanceTest(gained=0, needed=2)
    table = after(first, other, second, third)
    sword = table.test("Gendry")
    assert sword is not None
    assert (sword.gained, sword.rolls, sword.complete) == (3, 3, True)
    assert {cost.label: cost.count for cost in sword.costs} == {"a day": 2, "ore": 1}
    assert table.test(None) == Progress(name=None, gained=0, needed=2, rolls=1, costs=())
    assert after(first, table=table).test("Gendry") == after(first).test("Gendry")
    assert after(ClearTest(name="Gendry"), ClearTest(), table=table) == EMPTY


def test_only_a_running_test_can_be_cleared() -> None:
    assert "no extended test is running" in refused(EMPTY, ClearTest(name="Gendry"))
    running = after(AdvanceTest(gained=0, needed=2), AdvanceTest(name="A", gained=0, needed=2))
    assert "the one without a name, A" in refused(running, ClearTest(name="Gendry"))


def test_what_rolls_do_to_the_table() -> None:
    attack = WrathAttack(pool=3, dn=5)
    critical = WRATH.consequences(attack, resolve(WRATH, attack, [6, 4, 1]))
    assert [act_of(each) for each in critical] == [GiveGlory(count=1)]
    round_ = Opposed(
        attacker=Side(score=-10, name="Arya"), defender=Side(score=0), attribute="Strength"
    )
    (lost,) = OPPOSED.consequences(round_, resolve(OPPOSED, round_, [1] * 8))
    assert act_of(lost) == lose(10, residual=True)
    forging = ExtendedTest(rank=2, difficulty=6, needed=3, gained=1, roll_number=4, name="Gendry")
    (step,) = KINGDOMS.consequences(forging, resolve(KINGDOMS, forging, [6, 5]))
    assert act_of(step) == AdvanceTest(name="Gendry", gained=2, needed=3, roll_number=4)


def test_a_consequence_nobody_knows_is_refused() -> None:
    with pytest.raises(RulesError, match="act is"):
        act_of(Consequence("dance", ()))


@pytest.mark.parametrize(
    ("data", "field", "says"),
    [
        ([], None, "an object with act"),
        ({}, "act", "act is missing"),
        ({"act": "wund"}, "act", "wound, injury"),
        ({"act": ["wound"]}, "act", "wound, injury"),
        ({"act": "wound"}, "character", "character is missing"),
        ({"act": "wound", "character": "A", "count": 0}, "count", "1–20"),
        ({"act": "wound", "character": "A", "count": True}, "count", "1–20"),
        ({"act": "wound", "character": "A", "sore": 1}, "sore", "no field"),
        ({"act": "glory"}, "count", "count is missing"),
        ({"act": "reserve", "character": "A", "count": 1}, "attribute", "is missing"),
        ({"act": "heal_reserve", "character": "A"}, "attribute", "is missing"),
        ({"act": "add", "character": "A", "scores": [{"score": 1}]}, "scores[0].attribute", ""),
        ({"act": "end_turn", "count": 1}, "count", "no field"),
    ],
)
def test_an_act_that_makes_no_sense(data: Any, field: str | None, says: str) -> None:
    with pytest.raises(RulesError) as caught:
        act_from_plain(data)
    assert caught.value.field == field
    assert says in str(caught.value)


def test_lists_may_be_left_out_of_an_act() -> None:
    assert act_from_plain({"act": "add", "character": "Bran"}) == BRAN
    edit = EditCharacter(character="Bran", endurance=4, scores=())
    assert act_from_plain({"act": "edit", "character": "Bran", "endurance": 4}) == edit


@pytest.mark.parametrize(
    ("characters", "progress", "says"),
    [
        ([{"name": "A", "reserves": []}] * 2, [], "characters[1] is"),
        ([], [{"gained": 0, "needed": 1, "rolls": 0, "costs": []}] * 2, "progress[1] is"),
        (
            [{"name": "A", "reserves": [{"attribute": "Wits", "score": 0}] * 2}],
            [],
            "characters[0].reserves[1] is",
        ),
        ([{"reserves": []}], [], "characters[0].name is missing"),
        ([{"name": "A", "reserves": [{"score": 0}]}], [], "reserves[0].attribute is missing"),
        (
            [],
            [{"gained": 0, "needed": 1, "rolls": 0, "costs": [{"count": 1}]}],
            "costs[0].label is missing",
        ),
        (
            [{"name": "A", "endurance": 1, "injuries": 2, "reserves": []}],
            [],
            "characters[0].injuries is 2",
        ),
    ],
)
def test_a_table_that_makes_no_sense(characters: list[Any], progress: list[Any], says: str) -> None:
    with pytest.raises(RulesError) as caught:
        table_from_plain({"characters": characters, "progress": progress})
    assert says in str(caught.value)


def test_a_table_in_any_order_is_the_same_table() -> None:
    wits = {"attribute": "Wits", "score": 0}
    strong = {"attribute": "Strength", "score": 3}
    names = [{"name": "Bran", "reserves": []}, {"name": "Arya", "reserves": [wits, strong]}]
    costs = [{"label": "ore", "count": 1}, {"label": "day", "count": 2}]
    running = [
        {"name": "B", "gained": 0, "needed": 1, "rolls": 3, "costs": costs},
        {"gained": 0, "needed": 1, "rolls": 0, "costs": []},
    ]
    table = table_from_plain({"characters": names, "progress": running})
    back = {"characters": names[::-1], "progress": running[::-1]}
    assert table_from_plain(back) == table
    assert [each.attribute for each in table.characters[0].reserves] == ["Strength", "Wits"]


def test_the_state_as_others_read_it() -> None:
    table = after(ARYA, lose(34, residual=True), Wound(character="Arya", count=3))
    advanced = after(AdvanceTest(gained=1, needed=1, cost="a day"), table=table)
    assert state_plain(advanced) == {
        "glory": 0,
        "glory_cap": None,
        "turn": 1,
        "characters": [
            {
                "name": "Arya",
                "endurance": 3,
                "wounds": 3,
                "injuries": 0,
                "dead": True,
                "reserves": [
                    {
                        "attribute": "Strength",
                        "score": 3,
                        "current": 0,
                        "reserve": 6,
                        "lost": 34,
                        "residual": 1,
                    }
                ],
            }
        ],
        "progress": [
            {
                "name": None,
                "gained": 1,
                "needed": 1,
                "rolls": 1,
                "complete": True,
                "costs": {"a day": 1},
            }
        ],
    }


def test_a_tally_is_taken_back_though_others_came_after() -> None:
    table, wound = changed(after(ARYA), Wound(character="Arya"))
    later = after(
        Wound(character="Arya"), GiveGlory(count=2), Injury(character="Arya"), table=table
    )
    arya = undone(later, wound).character("Arya")
    assert (arya.wounds, arya.injuries) == (1, 1)
    assert undone(later, wound).glory == 2


def test_only_what_was_really_gained_is_taken_back() -> None:
    start = Table(glory=5, glory_cap=6, characters=(), progress=())
    table, gain = changed(start, GiveGlory(count=4))
    assert undone(table, gain) == start
    table, healing = changed(after(ARYA, lose(3)), heal(10))
    assert undone(table, healing) == after(ARYA, lose(3))


def test_taking_back_a_glory_shift_leaves_the_critical() -> None:
    table = after(GiveGlory(count=1))
    table, shift = changed(table, GiveGlory(count=1))
    assert undone(table, shift).glory == 1


def test_what_was_spent_since_cannot_be_taken_back_first() -> None:
    table, gain = changed(EMPTY, GiveGlory(count=2))
    spent, spending = changed(table, GiveGlory(count=-2))
    with pytest.raises(RulesError, match="must be undone first"):
        undone(spent, gain)
    assert undone(undone(spent, spending), gain) == EMPTY


def test_a_character_changed_since_is_not_taken_away() -> None:
    table, coming = changed(EMPTY, ARYA)
    with pytest.raises(RulesError, match="must be undone first"):
        undone(after(Wound(character="Arya"), table=table), coming)
    rescored = EditCharacter(character="Arya", scores=(Score(attribute="Wits", score=1),))
    with pytest.raises(RulesError, match="must be undone first"):
        undone(after(rescored, table=table), coming)
    assert undone(table, coming) == EMPTY


def test_a_setting_changed_since_is_not_taken_back_first() -> None:
    harder = EditCharacter(character="Arya", endurance=5, scores=())
    hardest = EditCharacter(character="Arya", endurance=6, scores=())
    table, edit = changed(after(ARYA), harder)
    with pytest.raises(RulesError, match="as it was left, 5"):
        undone(after(hardest, table=table), edit)


def test_an_undo_can_be_undone() -> None:
    table, wound = changed(after(ARYA), Wound(character="Arya"))
    assert undone(undone(table, wound), wound.inverse) == table


def test_an_act_that_changed_nothing_is_an_empty_change() -> None:
    assert changed(after(ARYA), heal(3))[1] == Change()
    assert between(EMPTY, EMPTY).differences == ()


@pytest.mark.parametrize(
    ("data", "field"),
    [
        ({}, None),
        ("x", None),
        ([[["glory"], 0]], "[0]"),
        ([[["glory"], 0, 1], [[], 0, 1]], "[1]"),
        ([[["glory", 3], 0, 1]], "[0][0]"),
        ([["glory", 0, 1]], "[0]"),
        ([[["glory"], 0, 1.5]], "[0]"),
    ],
)
def test_a_change_that_makes_no_sense(data: Any, field: str | None) -> None:
    with pytest.raises(RulesError) as caught:
        change_from_plain(data)
    assert caught.value.field == field


# Names that are also names of fields must not confuse what belongs to whom.
names = st.sampled_from(["Arya", "Bran", "reserves", "name"])
attributes = st.sampled_from(["Strength", "Wits", "costs"])
counts = st.integers(1, 12)
scores = st.lists(
    st.builds(Score, attribute=attributes, score=st.integers(-10, 10)),
    max_size=2,
    unique_by=lambda score: score.attribute,
).map(tuple)
endurances = st.none() | st.integers(1, 6)
tests = st.none() | names
ANY_ACT: st.SearchStrategy[Act] = st.one_of(
    st.builds(Wound, character=names, count=counts),
    st.builds(Injury, character=names, count=counts),
    st.builds(HealWound, character=names, count=counts),
    st.builds(HealInjury, character=names, count=counts),
    st.builds(GiveGlory, count=st.integers(-4, 4)),
    st.builds(
        LoseReserve,
        character=names,
        attribute=attributes,
        count=st.integers(0, 10),
        residual=st.booleans(),
    ),
    st.builds(
        HealReserve,
        character=names,
        attribute=attributes,
        count=st.integers(0, 30),
        end_residual=st.booleans(),
    ),
    st.builds(EndTurn),
    st.builds(AddCharacter, character=names, endurance=endurances, scores=scores),
    st.builds(
        EditCharacter,
        character=names,
        name=st.none() | names,
        endurance=endurances,
        scores=scores,
    ),
    st.builds(RemoveCharacter, character=names),
    st.builds(
        AdvanceTest,
        name=tests,
        gained=st.integers(0, 9),
        needed=st.integers(1, 9),
        roll_number=st.integers(1, 3),
        cost=st.none() | attributes,
    ),
    st.builds(ClearTest, name=tests),
)
evenings = st.lists(ANY_ACT, max_size=8) | st.lists(ANY_ACT, min_size=30, max_size=50)
START = after(
    AddCharacter(
        character="Arya",
        endurance=4,
        scores=(STRENGTH, Score(attribute="costs", score=0)),
    ),
    AddCharacter(character="reserves", scores=(Score(attribute="Wits", score=2),)),
)


def played(acts: list[Act]) -> list[tuple[Table, Change]]:
    """Return the states that acts led to, each with what changed; refused acts change nothing."""
    steps = [(START, Change())]
    for act in acts:
        try:
            steps.append(changed(steps[-1][0], act))
        except RulesError:
            continue
    return steps


@given(acts=evenings)
def test_an_evening_is_taken_back_step_by_step(acts: list[Act]) -> None:
    steps = played(acts)
    for (before, _), (table, change) in zip(reversed(steps[:-1]), reversed(steps[1:]), strict=True):
        assert undone(table, change) == before


@given(acts=evenings, data=st.data())
def test_changes_taken_back_in_any_order_lead_to_the_start(
    acts: list[Act], data: st.DataObject
) -> None:
    steps = played(acts)
    table = steps[-1][0]
    pending = data.draw(st.permutations([change for _, change in steps[1:]]))
    progress = True
    while pending and progress:
        progress = False
        for change in list(pending):
            try:
                table = undone(table, change)
            except RulesError:
                continue
            pending.remove(change)
            progress = True
    if not pending:
        assert table == START


@given(acts=evenings)
def test_states_acts_and_changes_survive_json(acts: list[Act]) -> None:
    for act in acts:
        assert act_from_plain(json.loads(json.dumps(act_plain(act)))) == act
    for table, change in played(acts):
        assert table_from_plain(json.loads(json.dumps(table_plain(table)))) == table
        assert change_from_plain(json.loads(json.dumps(change_plain(change)))) == change
        assert json.loads(json.dumps(state_plain(table))) == state_plain(table)


@given(acts=evenings)
def test_the_rules_hold_whatever_is_done(acts: list[Act]) -> None:
    for table, _ in played(acts):
        assert table.glory >= 0
        for character in table.characters:
            assert character.endurance is None or character.injuries <= character.endurance
            for reserve in character.reserves:
                assert -10 <= reserve.current <= reserve.score
                assert 1 <= reserve.left <= 10
                assert (reserve.lost + reserve.left) % 10 == 0


def test_every_act_is_known_by_its_name() -> None:
    assert all(ACTS[name].act == name for name in ACTS)
    assert {"wound", "injury", "heal_wound", "heal_injury", "glory", "reserve"} <= set(ACTS)
    assert {"heal_reserve", "end_turn", "add", "edit", "remove"} <= set(ACTS)


def test_a_character_is_built_by_hand_too() -> None:
    assert Character(name="Bran", reserves=()) == after(BRAN).character("Bran")
