"""What a roll does to the table's state: some at once, the rest when someone says so.

The progress of an extended test counts with the roll itself; what befalls people (Reserve, Glory)
waits for the act `apply`, as the table decides about it.
"""

from rules.acts import Act, AdvanceTest, act_of, apply
from rules.model import Outcome, Request, RuleSystem
from rules.table import Table


def at_once(system: RuleSystem, request: Request, outcome: Outcome) -> tuple[Act, ...]:
    """Return what happens to the state with the roll."""
    return tuple(act for act in _all(system, request, outcome) if isinstance(act, AdvanceTest))


def on_request(system: RuleSystem, request: Request, outcome: Outcome) -> tuple[Act, ...]:
    """Return what happens to the state once someone applies the roll."""
    return tuple(act for act in _all(system, request, outcome) if not isinstance(act, AdvanceTest))


def _all(system: RuleSystem, request: Request, outcome: Outcome) -> tuple[Act, ...]:
    return tuple(act_of(each) for each in system.consequences(request, outcome))


def after(table: Table, acts: tuple[Act, ...]) -> Table:
    """Return the state after several acts, one after the other.

    Raises:
        RulesError: one of them is refused; none counts.
    """
    for act in acts:
        table = apply(table, act)
    return table
