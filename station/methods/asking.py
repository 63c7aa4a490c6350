"""Methods that tell something and change nothing, and the one that sets the dial."""

from collections.abc import Mapping
from typing import Any

from rules.engine import checked_faces, resolve
from rules.model import odds_plain, outcome_plain
from rules.registry import request_plain, system_plain
from station.covering import shown_state
from station.inbox import Selected
from station.ledger.absent import NoLedger
from station.ledger.reader import MOST_ROLLS
from station.ledger.tally import EVERYTHING
from station.methods import params as checked
from station.methods.means import Means
from station.methods.told import in_history
from station.protocol.errors import Code, MethodError, wrong
from station.protocol.seam import Caller

Params = Mapping[str, Any]

CAPABILITIES = ("keys", "hidden", "table")
"""What a station can do beyond what every session can; and `panel` where it has one."""


class Pure:
    """The methods that need nothing of the station's state, so that any thread may call them."""

    def __init__(self, means: Means) -> None:
        self._means = means

    def systems(self, params: Params, _: Caller) -> dict[str, Any]:
        """Tell every system, or one, with its fields."""
        wanted = params.get("system")
        registry = self._means.registry
        found = registry if wanted is None else (registry.system(wanted),)
        return {"systems": [self._played_here(system_plain(system)) for system in found]}

    def _played_here(self, system: dict[str, Any]) -> dict[str, Any]:
        """Return a system with the defaults that a request gets at this table."""
        options = self._means.options
        for kind in system["kinds"]:
            for field in kind["fields"]:
                here = (system["id"], field["name"])
                field.update({"default": options[here]} if here in options else {})
        return system

    def odds(self, params: Params, _: Caller) -> dict[str, Any]:
        """Tell the exact chances of a request."""
        request = self._means.request(params["request"])
        return odds_plain(self._means.system_of(request).odds(request))

    def resolve(self, params: Params, _: Caller) -> dict[str, Any]:
        """Tell how dice that fell so come out; nothing is recorded."""
        request = self._means.request(params["request"])
        faces = checked_faces(params["faces"])
        choices = checked.choices(params)
        outcome = resolve(self._means.system_of(request), request, faces, choices)
        return {
            "request": request_plain(request),
            "faces": list(faces),
            "outcome": outcome_plain(outcome),
        }


class Asking:
    """The methods that read the ledger, the table's state, the panel and the parts' health."""

    def __init__(self, means: Means) -> None:
        self._means = means

    def hello(self, _: Params, __: Caller) -> dict[str, Any]:
        """Tell what the station is."""
        means = self._means
        panel = ("panel",) if means.front.dialled() is not None else ()
        ledger = ("ledger",) if not isinstance(means.book.ledger, NoLedger) else ()
        return {
            "station": means.name,
            "version": means.version,
            "capabilities": [*CAPABILITIES, *ledger, *panel],
            "systems": [system.id for system in means.registry],
            "entropy": means.vitals.told().get("entropy"),
        }

    def history(self, params: Params, _: Caller) -> dict[str, Any]:
        """Tell rolls, newest first, or from `after` (0: the beginning) onwards oldest first."""
        lowest = {"before": 1, "after": 0}
        edges = {name: checked.seq(params, name, lowest[name]) for name in lowest if name in params}
        if len(edges) > 1:
            raise wrong("after", params["after"], "before or after, not both")
        limit = checked.whole(params, "limit", 1, MOST_ROLLS) if "limit" in params else MOST_ROLLS
        page = self._means.book.ledger.history(**edges, limit=limit)
        return {"rolls": [in_history(record) for record in page.records], "more": page.more}

    def fairness(self, params: Params, _: Caller) -> dict[str, Any]:
        """Tell how often each face fell, and what that means."""
        ledger = self._means.book.ledger
        source = params.get("source")
        sources = [found.source for found in ledger.fairness_all() if found.source]
        if source is not None and source not in sources:
            allowed = ", ".join(sources) or "nothing, as no source has rolled yet"
            raise wrong("source", source, allowed)
        found = ledger.fairness(EVERYTHING if source is None else source)
        return {} if found is None else {**found.plain(), "sources": sources}

    def health(self, _: Params, __: Caller) -> dict[str, Any]:
        """Tell how each part of the station fares."""
        return self._means.vitals.told()

    def state(self, _: Params, __: Caller) -> dict[str, Any]:
        """Tell what the table keeps count of."""
        book = self._means.book
        return shown_state(book.ledger, book.table)

    def selection(self, _: Params, __: Caller) -> dict[str, Any]:
        """Tell what the dial shows."""
        request = self._means.front.dialled()
        if request is None:
            raise MethodError(Code.NOT_POSSIBLE, "there is no panel with a dial here")
        return {"request": request_plain(request)}

    def select(self, params: Params, caller: Caller) -> dict[str, Any]:
        """Put a request on the dial, for a person to press."""
        request = self._means.request(params["request"])
        if self._means.front.dialled() is None:
            raise MethodError(Code.NOT_POSSIBLE, "there is no panel with a dial here")
        self._means.front.tell(Selected(request, self._means.clock()))
        self._means.announcer.selected(request, caller.port)
        return {"request": request_plain(request)}
