"""How the parts fare, and since when."""

import pytest

from hardware.clock import SECOND, Nanoseconds
from hardware.controls.events import Control
from hardware.controls.health import InputHealth
from hardware.controls.simulated import VirtualClock
from hardware.display.link import DisplayHealth
from hardware.entropy.dice import EntropyHealth, EntropyState
from station.ledger.store import Condition, Standing
from station.part import Part, of_controls
from station.vitals import Vitals, of_display, of_entropy, of_ledger

NEVER = Nanoseconds(0)


def test_only_what_fares_otherwise_is_news() -> None:
    clock = VirtualClock(Nanoseconds(5 * SECOND))
    parts = {"one": Part("ok"), "two": Part("ok")}
    vitals = Vitals({"one": lambda: parts["one"], "two": lambda: parts["two"]}, clock)
    assert vitals.news() == {}
    assert vitals.news() == {}
    clock.advance(Nanoseconds(7 * SECOND))
    assert vitals.told()["one"]["seconds"] == 7
    parts["two"] = Part("lost", "unplugged")
    assert {name: told["state"] for name, told in vitals.news().items()} == {"two": "lost"}
    clock.advance(Nanoseconds(2 * SECOND))
    parts["two"] = Part("lost", "unplugged, still")
    (told,) = vitals.news().values()
    assert (told["reason"], told["seconds"]) == ("unplugged, still", 2)
    since = told["since"]
    clock.advance(Nanoseconds(2 * SECOND))
    assert vitals.told()["two"]["since"] == since
    assert vitals.told()["one"]["seconds"] == 11


@pytest.mark.parametrize(
    ("health", "part"),
    [
        (None, Part("degraded", "the panel has not answered yet")),
        (DisplayHealth(found=True, reason="", losses=1, since=NEVER), Part("ok")),
        (DisplayHealth(found=False, reason="gone", losses=1, since=NEVER), Part("lost", "gone")),
    ],
)
def test_a_display_is_there_or_not(health: DisplayHealth | None, part: Part) -> None:
    assert of_display(health) == part


@pytest.mark.parametrize(
    ("alive", "fault", "stuck", "state", "word"),
    [
        (True, None, (), "ok", ""),
        (True, "push: TypeError", (), "degraded", "TypeError"),
        (True, "push: TypeError", (Control.ROLL, Control.UP), "degraded", "roll, up"),
        (False, None, (Control.ROLL,), "lost", "no input"),
    ],
)
def test_controls_are_dead_jammed_faulty_or_well(
    *, alive: bool, fault: str | None, stuck: tuple[Control, ...], state: str, word: str
) -> None:
    found = of_controls(InputHealth("gpiod", alive, int(bool(fault)), fault, stuck, None))
    assert found.state == state
    assert word in found.reason
    assert dict(found.more) == {"backend": "gpiod"}


def test_entropy_and_ledger_tell_their_own() -> None:
    health = EntropyHealth("m", "urandom", EntropyState.DEGRADED, "hwrng silent", NEVER, test=False)
    found = of_entropy(health)
    assert (found.state, found.reason) == ("degraded", "hwrng silent")
    assert dict(found.more) == {"source": "urandom", "mode": "m", "test": False}
    assert of_ledger(Condition(Standing.LOST, "full")) == Part("lost", "full")
