from collections.abc import Iterable

import pytest

from hardware.clock import MILLISECOND, Nanoseconds
from hardware.controls.events import (
    Clicked,
    Control,
    ControlEvent,
    Edge,
    Held,
    Pressed,
    Repeated,
    Turned,
)
from hardware.controls.panel import ControlPanel, Knob, Layout


def ms(count: float) -> Nanoseconds:
    return Nanoseconds(int(count * MILLISECOND))


def play(panel: ControlPanel, edges: Iterable[Edge], until: Nanoseconds) -> list[ControlEvent]:
    """Feed the edges, calling `advance` exactly when the panel asks for it."""
    seen: list[ControlEvent] = []
    for edge in edges:
        seen += run(panel, edge.at)
        seen += panel.feed(edge)
    return seen + run(panel, until)


def run(panel: ControlPanel, until: Nanoseconds) -> list[ControlEvent]:
    seen: list[ControlEvent] = []
    while (due := panel.deadline()) is not None and due <= until:
        seen += panel.advance(due)
    return seen


def test_a_click_a_hold_and_a_repeat_come_out_in_order_of_time() -> None:
    edges = [
        Edge("push", closed=True, at=ms(0)),
        Edge("push", closed=False, at=ms(100)),
        Edge("next", closed=True, at=ms(200)),
        Edge("up", closed=True, at=ms(300)),
        Edge("next", closed=False, at=ms(900)),
        Edge("up", closed=False, at=ms(901)),
    ]
    assert play(ControlPanel(), edges, ms(3000)) == [
        Pressed(Control.PUSH, ms(0)),
        Clicked(Control.PUSH, ms(100)),
        Pressed(Control.NEXT, ms(200)),
        Pressed(Control.UP, ms(300)),
        Clicked(Control.UP, ms(300)),
        Repeated(Control.UP, ms(700), 1),
        Held(Control.NEXT, ms(800)),
        Repeated(Control.UP, ms(820), 2),
    ]


def test_one_late_advance_says_the_same_click_as_a_punctual_one() -> None:
    panel = ControlPanel()
    assert panel.feed(Edge("roll", closed=True, at=ms(0))) == ()
    assert panel.feed(Edge("roll", closed=False, at=ms(80))) == (Pressed(Control.ROLL, ms(0)),)
    assert panel.advance(ms(5000)) == (Clicked(Control.ROLL, ms(80)),)
    assert panel.deadline() is None


@pytest.mark.parametrize(("reverse", "sign"), [(False, 1), (True, -1)])
@pytest.mark.parametrize("steps", [4, 2, 1])
def test_the_knob_turns_both_ways(steps: int, reverse: bool, sign: int) -> None:  # noqa: FBT001 (a parametrised case)
    panel = ControlPanel(Layout(knob=Knob(steps, reverse=reverse)))
    cycle = [("knob_a", True), ("knob_b", True), ("knob_a", False), ("knob_b", False)]
    edges = [Edge(line, closed, ms(n)) for n, (line, closed) in enumerate(cycle)]
    back = [Edge(line, not closed, ms(10 + n)) for n, (line, closed) in enumerate(reversed(cycle))]
    turned = [
        event.detents
        for event in play(panel, [*edges, *back], ms(100))
        if isinstance(event, Turned)
    ]
    assert turned == [sign] * (4 // steps) + [-sign] * (4 // steps)


def test_controls_closed_at_start_are_stuck_and_the_knob_is_not() -> None:
    panel = ControlPanel(Layout(knob=Knob(2)))
    for line in ("push", "knob_a", "knob_b"):
        assert panel.feed(Edge(line, closed=True, at=ms(0), found=True)) == ()
    assert panel.stuck() == (Control.PUSH,)
    assert play(panel, [Edge("push", closed=False, at=ms(50))], ms(500)) == []
    assert panel.stuck() == ()


@pytest.mark.parametrize("released", [599, 595, 591])
def test_a_release_that_still_settles_when_the_hold_is_due_is_a_click(released: int) -> None:
    edges = [
        Edge("push", closed=True, at=ms(0)),
        Edge("push", closed=False, at=ms(released)),
    ]
    assert play(ControlPanel(), edges, ms(3000)) == [
        Pressed(Control.PUSH, ms(0)),
        Clicked(Control.PUSH, ms(released)),
    ]


def test_a_release_that_still_settles_when_the_repeat_is_due_repeats_nothing() -> None:
    edges = [Edge("up", closed=True, at=ms(0)), Edge("up", closed=False, at=ms(399.9))]
    panel = ControlPanel()
    assert play(panel, edges, ms(3000)) == [Pressed(Control.UP, ms(0)), Clicked(Control.UP, ms(0))]
    assert panel.deadline() is None


def test_a_late_call_while_a_release_settles_holds_nothing() -> None:
    panel = ControlPanel()
    panel.feed(Edge("push", closed=True, at=ms(0)))
    panel.feed(Edge("push", closed=False, at=ms(598)))
    assert panel.advance(ms(605)) == ()
    assert panel.advance(ms(608)) == (Clicked(Control.PUSH, ms(598)),)


def test_a_contact_that_bounces_while_it_is_held_is_held_when_it_was_due() -> None:
    edges = [
        Edge("push", closed=True, at=ms(0)),
        Edge("push", closed=False, at=ms(596)),
        Edge("push", closed=True, at=ms(604)),
    ]
    assert play(ControlPanel(), edges, ms(900)) == [
        Pressed(Control.PUSH, ms(0)),
        Held(Control.PUSH, ms(600)),
    ]


def test_a_control_let_go_of_unseen_does_nothing_more() -> None:
    edges = [
        Edge("up", closed=True, at=ms(0)),
        Edge("roll", closed=True, at=ms(0)),
        Edge("up", closed=False, at=ms(300), found=True),
        Edge("roll", closed=False, at=ms(300), found=True),
    ]
    assert play(ControlPanel(), edges, ms(3000)) == [
        Pressed(Control.UP, ms(0)),
        Clicked(Control.UP, ms(0)),
        Pressed(Control.ROLL, ms(0)),
    ]


@pytest.mark.parametrize("steps", [4, 2])
def test_a_knob_that_was_turned_unseen_goes_on_from_where_it_is_found(steps: int) -> None:
    panel = ControlPanel(Layout(knob=Knob(steps)))
    panel.feed(Edge("knob_a", closed=True, at=ms(0)))
    for line in ("knob_a", "knob_b"):
        panel.feed(Edge(line, closed=True, at=ms(50), found=True))
    cycle = [("knob_a", False), ("knob_b", False), ("knob_a", True), ("knob_b", True)]
    edges = [Edge(line, closed, ms(100 + n)) for n, (line, closed) in enumerate(cycle)]
    turned = sum(
        event.detents for event in play(panel, edges, ms(200)) if isinstance(event, Turned)
    )
    assert turned == 4 // steps


def test_a_line_that_is_not_wired_is_ignored() -> None:
    panel = ControlPanel(Layout(knob=None, controls=(Control.ROLL,), repeating=()))
    assert panel.feed(Edge("up", closed=True, at=ms(0))) == ()
    assert panel.feed(Edge("knob_a", closed=True, at=ms(0))) == ()
    assert panel.feed(Edge("knob_a", closed=True, at=ms(0), found=True)) == ()
    assert panel.deadline() is None


def test_a_layout_says_its_lines() -> None:
    assert Layout().lines == ("knob_a", "knob_b", "push", "up", "down", "next", "roll")
    assert Layout(knob=None, controls=(Control.NEXT,)).lines == ("next",)


def test_a_control_named_twice_is_refused() -> None:
    with pytest.raises(ValueError, match=r"controls \(=up, up\) must each be named once"):
        Layout(controls=(Control.UP, Control.UP))


def test_a_knob_of_three_steps_is_refused() -> None:
    with pytest.raises(ValueError, match=r"steps_per_detent \(=3\) must be 4, 2 or 1"):
        Knob(3)
