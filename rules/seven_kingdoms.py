"""Seven Kingdoms: roll test and bonus dice, keep the highest, reach what the test demands.

The system's kinds are tests of one pool (`rules.pool_test`) and competitions of several
(`rules.competition`); here they become one `SYSTEM`.
"""

from collections.abc import Callable
from typing import Any

from rules import competition, pool_test, pool_words
from rules.competition import Competition
from rules.model import RuleSystem
from rules.pool_kinds import BasicTest, ConflictTest, ExtendedTest
from rules.struck import STRUCK, struck_choices


def _by_kind(of_competition: Callable[..., Any], of_test: Callable[..., Any]) -> Callable[..., Any]:
    def chosen(request: Any, *more: Any) -> Any:
        return (of_competition if isinstance(request, Competition) else of_test)(request, *more)

    return chosen


def _parse(kind: str, words: str) -> dict[str, Any]:
    parse = competition.parse if kind == Competition.kind else pool_words.parse
    return parse(words)


SYSTEM: RuleSystem = RuleSystem(
    id="seven-kingdoms",
    title="Seven Kingdoms",
    alias="sk",
    kinds=(BasicTest, ExtendedTest, ConflictTest, Competition),
    advance=_by_kind(competition.advance, pool_test.advance),
    choose=_by_kind(competition.choose, pool_test.choose),
    choices=struck_choices,
    odds=_by_kind(competition.odds, pool_test.odds),
    chances=_by_kind(competition.chances, pool_test.chances),
    spread=_by_kind(competition.spread, pool_test.spread),
    headline=_by_kind(competition.headline, pool_words.headline),
    caption=_by_kind(competition.caption, pool_words.caption),
    consequences=_by_kind(competition.consequences, pool_test.consequences),
    parse=_parse,
    format=_by_kind(competition.written, pool_words.written),
    continued=_by_kind(lambda _request, _outcome: None, pool_test.continued),
    choice_forms={"struck": STRUCK},
)
"""The system as the station knows it."""
