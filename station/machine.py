"""The station's behaviour: every transition lives here; nothing here reads a clock, a pin or a die.

    Dialling --roll--> Drawing --Drawn--> Recording --Recorded--> Revealing
    Revealing --done--> Waiting (someone else's dice) --roll--> Drawing
                     -> Choosing --chosen--> Recording --Recorded--> Reading
                     -> Reading --push--> Dialling
    Dialling --hold--> Browsing --hold--> Dialling;  a hold leads back from everywhere
    Drawing --DrawFailed--> Notice --push--> Dialling

Of a roll nothing shows before `Recorded`. What has no arrow changes nothing.
"""

from dataclasses import dataclass, field, replace
from typing import TypeAlias, assert_never

from hardware.clock import MILLISECOND, SECOND, Nanoseconds
from hardware.controls.events import Clicked, Control, Held, Pressed, Repeated, Turned
from rules.model import AskChoice, AskDice, Chosen, Outcome, Request, Rolled, Verdict
from rules.registry import Registry
from station import dialling, menus
from station.dialling import Stop
from station.effects import Draw, Effect, KeepDial, Record, Signal
from station.events import DrawFailed, Drawn, Event, Recorded, RolledElsewhere, Selected, Tick
from station.pages import badge, page_count
from station.panel import Panel
from station.state import (
    Browsing,
    Choosing,
    Dialling,
    Drawing,
    Notice,
    Page,
    Reading,
    Recording,
    Revealing,
    Roll,
    Screen,
    Stage,
    State,
    Waiting,
)

DIE_FALLS = Nanoseconds(60 * MILLISECOND)
"""Time from one die to the next while they are revealed."""

LONGEST_REVEAL = Nanoseconds(900 * MILLISECOND)
"""The reveal of many dice is squeezed into this."""

MENU_TIMEOUT = Nanoseconds(30 * SECOND)
"""A menu that nobody touches gives way to the dial."""

NOT_RECORDED = "not recorded"
"""What each verdict says while there is no ledger to write to."""

HIDDEN = "Faces and verdict stay covered."
"""What is told of a hidden roll that another program asked for."""

MOST_UNFINISHED = 8
"""Rolls that can wait to be gone on with; an older one stays in the ledger alone."""

Result: TypeAlias = tuple[State, tuple[Effect, ...]]
"""The state after an event, and what is to be done."""


@dataclass(frozen=True, slots=True)
class Turn:
    """The value grows by so many detents, or the cursor of a list moves on by so many places."""

    detents: int
    places: int


@dataclass(frozen=True, slots=True)
class Push:
    """On: the next field, or what is under the cursor."""


@dataclass(frozen=True, slots=True)
class Back:
    """Away from here; on the dial, to the menu."""


@dataclass(frozen=True, slots=True)
class Press:
    """The ROLL button."""


Intent: TypeAlias = Turn | Push | Back | Press
"""What a person means by a control, whichever set of controls there is."""


def intent_of(event: Event) -> Intent | None:
    """Return what a control event means, the same for a knob and for four buttons."""
    match event:
        case Turned(detents=detents):
            return Turn(detents, detents)
        # A larger value is up, but so is the beginning of a list.
        case Clicked(control=Control.UP) | Repeated(control=Control.UP):
            return Turn(1, -1)
        case Clicked(control=Control.DOWN) | Repeated(control=Control.DOWN):
            return Turn(-1, 1)
        case Clicked(control=Control.PUSH | Control.NEXT):
            return Push()
        case Clicked(control=Control.ROLL):
            return Press()
        case Held(control=Control.PUSH | Control.NEXT):
            return Back()
        case _:
            return None


def next_fall(screen: Revealing) -> Nanoseconds:
    """Return when the next die falls, in ns; after the last one, when the reveal is over."""
    dice = len(screen.roll.faces)
    pause = min(DIE_FALLS, LONGEST_REVEAL // dice)
    return Nanoseconds(screen.since + pause * (screen.shown + 1))


@dataclass(frozen=True, slots=True)
class Machine:
    """The transitions, for the systems of one registry and the pages of one panel."""

    registry: Registry
    panel: Panel = field(default_factory=Panel)

    def step(self, state: State, event: Event) -> Result:
        """Return the state after an event, and the effects to carry out, in order."""
        match event:
            case Turned() | Clicked() | Held() | Repeated() | Pressed():
                touched = replace(state, touched=event.at)
                intent = intent_of(event)
                return (touched, ()) if intent is None else self._meant(touched, intent)
            case Tick(at=at):
                return self._timed(state, at)
            case Drawn():
                return self._drawn(state, event)
            case DrawFailed(reason=reason):
                return self._draw_failed(state, reason)
            case Recorded():
                return self._recorded(state, event)
            case Selected(request=request):
                return self._selected(state, request)
            case RolledElsewhere():
                return self._rolled_elsewhere(state, event)
            case _:
                assert_never(event)

    def deadline(self, state: State) -> Nanoseconds | None:
        """Return when a `Tick` next matters, in ns, or None while only events do."""
        match state.screen:
            case Revealing() as screen:
                return next_fall(screen)
            case Browsing():
                return Nanoseconds(state.touched + MENU_TIMEOUT)
            case _:
                return None

    def resume(self, state: State, roll: Roll) -> Result:
        """Return the state that goes on with a roll that was left or cut off, its faces kept."""
        return self._after_reveal(state, roll)

    def span(self, state: State) -> int:
        """Return how many steps the value under the knob ranges over; 0 where it moves a cursor."""
        control = state.dial.control
        return control.span if isinstance(state.screen, Dialling) and control else 0

    def outcome(self, roll: Roll) -> Outcome | None:
        """Return a roll's outcome as it stands, or None while dice are still to be rolled."""
        match self.registry.of(roll.request).advance(roll.request, roll.answers):
            case Verdict(outcome=outcome) | AskChoice(standing=outcome):
                return outcome
            case AskDice():
                return None

    def _meant(self, state: State, intent: Intent) -> Result:
        match state.screen:
            case Dialling():
                return self._dial(state, intent)
            case Browsing() as screen:
                return self._browse(state, screen, intent)
            case Revealing(roll=roll):
                return self._after_reveal(state, roll)
            case Waiting() as screen:
                return self._wait(state, screen, intent)
            case Choosing() as screen:
                return self._choose(state, screen, intent)
            case Reading() as screen:
                return self._read(state, screen, intent)
            case Notice():
                return _show(state, Dialling()), ()
            case Drawing() | Recording():
                return state, ()
            case _:
                assert_never(state.screen)

    def _dial(self, state: State, intent: Intent) -> Result:
        dial = state.dial
        match intent:
            case Turn(detents=detents):
                return _dialled(state, dialling.turn(dial, detents))
            case Push() if dial.focus is Stop.MORE:
                return _dialled(state, dialling.expand(dial))
            case Press():
                return self._begin(state)
            case Push() if dial.focus is Stop.ROLL:
                return self._begin(state)
            case Push():
                return _dialled(state, dialling.next_stop(dial))
            case Back():
                return _show(state, Browsing(Page.TOP)), ()
            case _:
                assert_never(intent)

    def _begin(self, state: State) -> Result:
        folded = replace(state.dial, expanded=False)
        return self._go_on(replace(state, dial=folded), Roll(state.dial.request))

    def _go_on(self, state: State, roll: Roll) -> Result:
        match self.registry.of(roll.request).advance(roll.request, roll.answers):
            case AskDice() as ask:
                return _show(state, Drawing(roll, ask)), (Draw(ask.count),)
            case Verdict() | AskChoice():
                return _record(state, roll, Stage.ROLL)

    def _drawn(self, state: State, drawn: Drawn) -> Result:
        if not isinstance(state.screen, Drawing):
            return state, ()
        roll = state.screen.roll
        rolled = replace(
            roll,
            answers=(*roll.answers, Rolled(drawn.faces)),
            source=drawn.source,
            notice=drawn.notice,
            foretold=roll.foretold or drawn.foretold,
        )
        stage = Stage.DRAWN if self.outcome(rolled) is None else Stage.ROLL
        return _record(state, rolled, stage)

    def _draw_failed(self, state: State, reason: str) -> Result:
        if not isinstance(state.screen, Drawing):
            return state, ()
        roll = state.screen.roll
        begun = (roll,) if roll.answers else ()
        kept = replace(state, unfinished=_most_recent((*state.unfinished, *begun)))
        return _show(kept, Notice("Nothing rolled", reason)), ()

    def _recorded(self, state: State, recorded: Recorded) -> Result:
        if not isinstance(state.screen, Recording):
            return state, ()
        stage = state.screen.stage
        roll = recorded_as(state.screen.roll, stage, recorded.seq)
        if stage is Stage.DECISION or not roll.faces:
            return self._verdict(state, roll)
        return _show(state, Revealing(roll, recorded.at)), ()

    def _after_reveal(self, state: State, roll: Roll) -> Result:
        match self.registry.of(roll.request).advance(roll.request, roll.answers):
            case AskDice() as ask:
                return _show(state, Waiting(roll, ask)), ()
            case AskChoice() | Verdict():
                asked = self._question(roll)
                return (_show(state, asked), ()) if asked else self._verdict(state, roll)

    def _verdict(self, state: State, roll: Roll) -> Result:
        outcome = self.outcome(roll)
        headline = self.registry.of(roll.request).headline(roll.request, outcome)
        return _show(state, Reading(roll)), (Signal(headline.tone, headline.marks),)

    def _wait(self, state: State, screen: Waiting, intent: Intent) -> Result:
        match intent:
            case Push() | Press():
                drawing = Drawing(screen.roll, screen.ask)
                return _show(state, drawing), (Draw(screen.ask.count),)
            case Back():
                left = _most_recent((*state.unfinished, screen.roll))
                return _show(replace(state, unfinished=left), Dialling()), ()
            case Turn():
                return state, ()
            case _:
                assert_never(intent)

    def _choose(self, state: State, screen: Choosing, intent: Intent) -> Result:
        match intent:
            case Turn(places=places):
                last = len(screen.ask.options) - 1
                cursor = min(last, max(0, screen.cursor + places))
                return _show(state, replace(screen, cursor=cursor)), ()
            case Push() | Press():
                return self._chosen(state, screen)
            case Back():
                return self._verdict(state, undecided(screen.roll))
            case _:
                assert_never(intent)

    def _chosen(self, state: State, screen: Choosing) -> Result:
        chosen = answered(screen.roll, screen.ask, screen.cursor)
        if (further := self._question(chosen)) is not None:
            return _show(state, further), ()
        roll = self._past_equals(chosen)
        match self.registry.of(roll.request).advance(roll.request, roll.answers):
            case AskChoice() | Verdict():
                return _record(state, roll, Stage.DECISION)
            case AskDice() as ask:
                return _show(state, Drawing(roll, ask)), (Draw(ask.count),)

    def _read(self, state: State, screen: Reading, intent: Intent) -> Result:
        match intent:
            case Turn(places=places):
                last = page_count(self.registry, screen.roll, self.panel) - 1
                page = min(last, max(0, screen.page + places))
                return _show(state, replace(screen, page=page)), ()
            case Push() if (asked := self._question(screen.roll)) is not None:
                return _show(state, asked), ()
            case Push() | Press() | Back():
                return _show(state, Dialling()), ()
            case _:
                assert_never(intent)

    def _question(self, roll: Roll) -> Choosing | None:
        """Return the next decision of a roll whose options differ, or None."""
        roll = self._past_equals(roll)
        step = self.registry.of(roll.request).advance(roll.request, roll.answers)
        return Choosing(roll, step) if isinstance(step, AskChoice) else None

    def _past_equals(self, roll: Roll) -> Roll:
        """Return a roll with each decision between equals settled as the rules' default has it."""
        advance = self.registry.of(roll.request).advance
        while isinstance(step := advance(roll.request, roll.answers), AskChoice):
            if worth_asking(step):
                break
            roll = answered(roll, step, 0)
        return roll

    def _browse(self, state: State, screen: Browsing, intent: Intent) -> Result:
        lines = menus.items(self.registry, state, screen.page)
        match intent:
            case Turn(places=places):
                cursor = min(len(lines) - 1, max(0, screen.cursor + places))
                return _show(state, replace(screen, cursor=cursor)), ()
            case Push() | Press():
                return self._act(state, lines[screen.cursor].action)
            case Back() if screen.page is not Page.TOP:
                return _show(state, Browsing(Page.TOP)), ()
            case Back():
                return _show(state, Dialling()), ()
            case _:
                assert_never(intent)

    def _act(self, state: State, action: menus.Action) -> Result:
        match action:
            case menus.Open(page=page):
                return _show(state, Browsing(page)), ()
            case menus.SetKind(kind=kind):
                return _dialled(state, dialling.with_kind(state.dial, kind))
            case menus.SetSystem(index=index):
                return _dialled(state, dialling.with_system(state.dial, index))
            case menus.SetRequest(request=request):
                changed, effects = _dialled(state, dialling.with_request(state.dial, request))
                return _show(changed, state.screen), effects
            case menus.Resume(roll=roll):
                left = tuple(each for each in state.unfinished if each is not roll)
                return self.resume(replace(state, unfinished=left), roll)
            case menus.Leave():
                return _show(state, Dialling()), ()
            case _:
                assert_never(action)

    def _timed(self, state: State, at: Nanoseconds) -> Result:
        deadline = self.deadline(state)
        if deadline is None or at < deadline:
            return state, ()
        if not isinstance(state.screen, Revealing):
            return _show(state, Dialling()), ()
        falling = replace(state.screen, shown=state.screen.shown + 1)
        if falling.shown > len(falling.roll.faces):
            return self._after_reveal(state, falling.roll)
        return _show(state, falling), ()

    def _selected(self, state: State, request: Request) -> Result:
        changed, effects = _dialled(state, dialling.with_request(state.dial, request))
        idle = isinstance(state.screen, Dialling | Browsing | Reading | Notice)
        return _show(changed, Dialling() if idle else state.screen), effects

    def _rolled_elsewhere(self, state: State, rolled: RolledElsewhere) -> Result:
        match state.screen:
            case Reading(roll=roll) if self._question(roll) is not None:
                return state, ()
            case Dialling() | Browsing() | Reading() | Notice():
                roll = recorded_as(rolled.roll, Stage.ROLL, rolled.roll.seq)
            case _:
                return state, ()
        if rolled.hidden:
            return _show(state, Notice(f"Hidden roll {badge(roll)}".strip(), HIDDEN)), ()
        return self._verdict(state, roll)


def recorded_as(roll: Roll, stage: Stage, seq: int | None) -> Roll:
    """Return a roll with the number of its new row, or marked where it has none."""
    if seq is None:
        notices = [part for part in (roll.notice, NOT_RECORDED) if part]
        return replace(roll, notice=", ".join(dict.fromkeys(notices)))
    match stage:
        case Stage.DRAWN:
            return replace(roll, first=roll.first or seq)
        case Stage.ROLL:
            return replace(roll, seq=seq)
        case Stage.DECISION:
            return roll
        case _:
            assert_never(stage)


def worth_asking(ask: AskChoice) -> bool:
    """Return whether the options differ for a person: which of two equal dice goes does not."""
    return len({option.label for option in ask.options}) > 1


def answered(roll: Roll, ask: AskChoice, option: int) -> Roll:
    """Return a roll with the option of that index taken."""
    return replace(roll, answers=(*roll.answers, Chosen(ask.options[option].id)))


def undecided(roll: Roll) -> Roll:
    """Return a roll without the choices of a decision that was broken off."""
    return replace(roll, answers=tuple(a for a in roll.answers if isinstance(a, Rolled)))


def _most_recent(rolls: tuple[Roll, ...]) -> tuple[Roll, ...]:
    return rolls[-MOST_UNFINISHED:]


def _show(state: State, screen: Screen) -> State:
    return replace(state, screen=screen)


def _record(state: State, roll: Roll, stage: Stage) -> Result:
    return _show(state, Recording(roll, stage)), (Record(roll, stage),)


def _dialled(state: State, dial: dialling.Dial) -> Result:
    shown = replace(state, dial=dial, screen=Dialling())
    if dial.requests == state.dial.requests and dial.active == state.dial.active:
        return shown, ()
    return shown, (KeepDial(dial.requests, dial.active),)
