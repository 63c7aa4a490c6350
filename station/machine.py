"""The station's behaviour: what each event makes of each screen.

    Dialling --roll--> Drawing --Drawn--> Recording --Recorded--> Revealing
    Revealing --done--> Waiting (someone else's dice) --roll--> Drawing
                     -> Choosing --chosen--> Recording --Recorded--> Reading
                     -> Reading --push--> Offering (what it does to the table) --> Dialling
    Dialling --hold--> Browsing --hold--> Dialling;  a hold leads back from everywhere
    Browsing --history--> Asking --Found--> Past --push--> Reading;  so for all that is looked up
    Drawing --DrawFailed--> Notice --push--> Dialling

Of a roll nothing shows before `Recorded`. What has no arrow changes nothing. Every transition is
a function in `station.flow`; nothing here or there reads a clock, a pin or a die.
"""

from dataclasses import field, replace
from typing import assert_never

from hardware.clock import MILLISECOND, SECOND, Nanoseconds
from hardware.controls.events import Clicked, ControlEvent, Held, Pressed, Repeated, Turned
from rules.frozen import frozen
from rules.model import Outcome
from rules.registry import Registry
from station import dialling, idle
from station.dialling import Stop
from station.effects import Shine
from station.events import (
    Changed,
    Counted,
    DrawFailed,
    Drawn,
    Event,
    Found,
    Listed,
    Recorded,
    Refused,
    RolledElsewhere,
    Tick,
    Told,
)
from station.flow import browsing, looking, rolling, setting, verdicts
from station.flow.context import Context, Result, dialled, just, show
from station.flow.intents import Back, Intent, LongPress, Press, Push, Turn, intent_of
from station.inbox import Selected
from station.panel import Panel
from station.rolls import Roll
from station.state import (
    Asking,
    Browsing,
    Changes,
    Choosing,
    Covered,
    Dialling,
    Drawing,
    Entering,
    Facts,
    Greeting,
    Notice,
    Offering,
    Page,
    Past,
    Reading,
    Recording,
    Revealing,
    Setting,
    Spelling,
    State,
    Tallies,
    Waiting,
)

MENU_TIMEOUT = Nanoseconds(30 * SECOND)
"""A menu, or what was looked up in it, gives way to the dial when nobody touches it."""

NOTICE_PASSES = Nanoseconds(5 * SECOND)
"""What merely confirms something goes by itself after this."""

IMPATIENT = Nanoseconds(400 * MILLISECOND)
"""So soon after the push that left a verdict nobody has dialled what the next push would roll."""

DIAL_RESTS = Nanoseconds(6 * SECOND)
"""A dial that nobody touches for so long tells what can be done with it."""

GREETING_LASTS = Nanoseconds(6 * SECOND)
"""The station says what it is for so long once it has started."""


@frozen
class Machine:
    """The transitions, for the systems of one registry and the pages of one panel."""

    registry: Registry
    panel: Panel = field(default_factory=Panel)

    @property
    def context(self) -> Context:
        """What every transition works with."""
        return Context(self.registry, self.panel)

    def step(self, state: State, event: Event) -> Result:
        """Return the state after an event, and the effects to carry out, in order."""
        after, effects = self._step(state, event)
        if after.idle.level is state.idle.level:
            return after, effects
        return after, (*effects, Shine(after.idle.level))

    def _step(self, state: State, event: Event) -> Result:
        match event:
            case Turned() | Clicked() | Held() | Repeated() | Pressed():
                return self._touched(state, event)
            case Tick(at=at):
                return self._timed(state, at)
            case Drawn():
                return rolling.drawn(self.context, state, event)
            case DrawFailed(reason=reason):
                return rolling.draw_failed(state, reason)
            case Recorded():
                return rolling.recorded(self.context, state, event)
            case Selected():
                return _selected(state, event)
            case RolledElsewhere():
                return rolling.rolled_elsewhere(self.context, state, event)
            case Changed():
                return looking.changed(self.context, state, event)
            case Refused():
                return looking.refused(state, event)
            case Found() | Counted() | Listed() | Told():
                return looking.answered(self.context, state, event)
            case _:
                assert_never(event)

    def deadline(self, state: State) -> Nanoseconds | None:
        """Return when a `Tick` next matters, in ns, or None while only events do."""
        darker = idle.deadline(state.idle, state.settings.timeouts)
        times = [time for time in (self._due(state), darker) if time is not None]
        return min(times, default=None)

    def _due(self, state: State) -> Nanoseconds | None:
        match state.screen:
            case Revealing() as screen:
                return rolling.next_fall(screen)
            case Browsing() | Past() | Changes() | Tallies() | Facts():
                return Nanoseconds(state.idle.touched + MENU_TIMEOUT)
            case Notice(passing=True):
                return Nanoseconds(state.idle.touched + NOTICE_PASSES)
            case Greeting():
                return Nanoseconds(state.idle.touched + GREETING_LASTS)
            case Dialling() if not state.resting:
                return Nanoseconds(state.idle.touched + DIAL_RESTS)
            case _:
                return None

    def resume(self, state: State, roll: Roll) -> Result:
        """Return the state that goes on with a roll that was left or cut off, its faces kept."""
        return rolling.revealed(self.context, state, roll)

    def span(self, state: State) -> int:
        """Return how many steps the value under the knob ranges over; 0 where it moves a cursor."""
        match state.screen:
            case Dialling() | Greeting():
                control = state.dial.control
                return control.span if control else 0
            case Setting(quantity=quantity):
                return quantity.high - quantity.low
            case _:
                return 0

    def outcome(self, roll: Roll) -> Outcome | None:
        """Return a roll's outcome as it stands, or None while dice are still to be rolled."""
        return self.context.outcome(roll)

    def _touched(self, state: State, event: ControlEvent) -> Result:
        now_idle, means = idle.touched(state.idle, event)
        awake = replace(state, idle=now_idle, resting=False)
        intent = intent_of(event) if means else None
        if intent is None or (isinstance(intent, Push) and _one_too_many(state, event)):
            return awake, ()
        after, effects = self._meant(awake, intent)
        if isinstance(after.screen, Dialling) and isinstance(state.screen, Reading | Offering):
            after = replace(after, settles=Nanoseconds(event.at + IMPATIENT))
        return after, effects

    def _meant(self, state: State, intent: Intent) -> Result:
        context = self.context
        match state.screen:
            case Dialling() | Greeting():
                return self._dial(replace(state, screen=Dialling()), intent)
            case Browsing() as screen:
                return browsing.browse(context, state, screen, intent)
            case Revealing(roll=roll):
                return rolling.revealed(context, state, roll)
            case Waiting() as screen:
                return rolling.wait(state, screen, intent)
            case Covered() as screen:
                return rolling.uncover(context, state, screen, intent)
            case Entering() as screen:
                return rolling.enter(context, state, screen, intent)
            case Choosing() as screen:
                return verdicts.choose(context, state, screen, intent)
            case Reading() as screen:
                return verdicts.read(context, state, screen, intent)
            case Offering() as screen:
                return verdicts.offer(state, screen, intent)
            case Past() as screen:
                return looking.past(context, state, screen, intent)
            case Tallies() as screen:
                return looking.tallies(context, state, screen, intent)
            case Facts() as screen:
                return looking.facts(context, state, screen, intent)
            case Spelling() as screen:
                return setting.spell(context, state, screen, intent)
            case Setting() as screen:
                return setting.adjust(state, screen, intent)
            case Changes() as screen:
                return looking.changes(context, state, screen, intent)
            case Notice() as screen:
                return looking.notice(context, state, screen, intent)
            case Drawing() | Recording() | Asking():
                return state, ()
            case _:
                assert_never(state.screen)

    def _dial(self, state: State, intent: Intent) -> Result:
        dial = state.dial
        match intent:
            case Turn(detents=detents):
                return dialled(state, dialling.turn(dial, detents))
            case Push() if dial.focus is Stop.MORE:
                return dialled(state, dialling.expand(dial))
            case Press():
                return rolling.begin(self.context, state)
            case LongPress():
                return rolling.begin(self.context, state, hidden=True)
            case Push() if dial.focus is Stop.ROLL:
                return rolling.begin(self.context, state)
            case Push():
                return dialled(state, dialling.next_stop(dial))
            case Back():
                return just(state, Browsing(Page.TOP))
            case _:
                assert_never(intent)

    def _timed(self, state: State, at: Nanoseconds) -> Result:
        aged = replace(state, idle=idle.passed(state.idle, state.settings.timeouts, at))
        due = self._due(state)
        if due is None or at < due:
            return aged, ()
        match aged.screen:
            case Revealing() as screen:
                return rolling.fall(self.context, aged, screen)
            case Notice(back=back):
                return just(aged, back or Dialling())
            case Dialling() | Greeting():
                return just(replace(aged, resting=True), Dialling())
            case _:
                closed = replace(aged, idle=idle.given_way(aged.idle, at), resting=True)
                return just(closed, Dialling())


def _one_too_many(state: State, event: ControlEvent) -> bool:
    """Return whether a push would roll that was meant to leave the verdict before it."""
    on_roll = isinstance(state.screen, Dialling) and state.dial.focus is Stop.ROLL
    return on_roll and event.at < state.settles


def _selected(state: State, event: Selected) -> Result:
    changed, effects = dialled(state, dialling.with_request(state.dial, event.request))
    gives_way = isinstance(state.screen, Greeting | Browsing | Reading | Notice | Past)
    nobody = gives_way and not rolling.is_at_it(state, event.at)
    if not (nobody or isinstance(state.screen, Dialling)):
        return show(changed, state.screen), effects
    settles = Nanoseconds(event.at + IMPATIENT)
    return replace(show(changed, Dialling()), settles=settles), effects
