"""A running station from a shell: ``ctl``, and ``roll`` by whoever keeps the ledger."""

import json
import subprocess
import sys
from typing import Any

import pytest

from station.cli.ctl import params_of
from station.cli.parser import UsageError

PROGRAM = (sys.executable, "-m", "station")


def shell(*words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(  # noqa: S603 - our own program
        [*PROGRAM, *words], capture_output=True, text=True, check=False
    )


def test_any_method_of_a_running_station_can_be_called(start: Any) -> None:
    daemon = start()
    where = ("--state", str(daemon.state))
    rolled = shell("ctl", "roll", "request=3D+2B vs 9", "note=by hand", *where)
    assert rolled.returncode == 0, rolled.stderr
    told = json.loads(rolled.stdout)
    assert (told["seq"], told["keyed"], told["note"]) == (2, True, "by hand")
    changed = shell("ctl", "change", '{"act": "glory", "count": 2}', *where)
    assert json.loads(changed.stdout)["state"]["glory"] == 2
    refused = shell("ctl", "change", "act=glory", "count=-9", "--socket", str(daemon.socket))
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "count is -9" in refused.stderr


def test_events_are_printed_as_they_come(start: Any) -> None:
    daemon = start()
    with subprocess.Popen(  # noqa: S603 - our own program
        [*PROGRAM, "ctl", "subscribe", "events=rolled", "brief=true", "--socket", daemon.socket],
        stdout=subprocess.PIPE,
        text=True,
    ) as listening:
        assert listening.stdout is not None
        assert json.loads(listening.stdout.readline()) == {"events": ["rolled"], "brief": True}
        with daemon.client() as station:
            rolled = station.roll({"system": "wrath-and-glory", "kind": "test", "pool": 6})
        event = json.loads(listening.stdout.readline())
        assert event["method"] == "rolled"
        assert event["params"]["faces"] == list(rolled.faces)
        listening.kill()


def test_a_roll_is_made_by_the_station_that_keeps_the_ledger(start: Any) -> None:
    daemon = start()
    where = ("--state", str(daemon.state))
    by_station = json.loads(shell("roll", "wg 6 vs 3", "--json", *where).stdout)
    assert (by_station["recorded"], by_station["keyed"]) == (True, True)
    with daemon.client() as station:
        assert station.history().rolls[0]["hash"] == by_station["hash"]
    assert daemon.end() == 0
    alone = json.loads(shell("roll", "wg 6 vs 3", "--json", *where).stdout)
    assert (alone["recorded"], alone["keyed"]) == (True, False)
    assert alone["seq"] == by_station["seq"] + 2


def test_a_socket_that_a_dead_station_left_is_passed_over(start: Any) -> None:
    daemon = start()
    daemon.close()
    assert daemon.socket.exists()
    ran = shell("roll", "3D vs 9", "--json", "--state", str(daemon.state))
    assert json.loads(ran.stdout)["recorded"] is True
    nobody = shell("ctl", "state", "--state", str(daemon.folder))
    assert nobody.returncode == 2
    assert "no station listens" in nobody.stderr


@pytest.mark.parametrize(
    ("words", "params"),
    [
        ([], {}),
        (['{"seq": 7, "reason": "no"}'], {"seq": 7, "reason": "no"}),
        (["seq=7", "reason=no good"], {"seq": 7, "reason": "no good"}),
        (["hidden=true", "note=12a"], {"hidden": True, "note": "12a"}),
        (["events=rolled,changed"], {"events": ["rolled", "changed"]}),
        (['choices={"struck":[0]}'], {"choices": {"struck": [0]}}),
        (
            ["request=wg 6 vs 3"],
            {"request": {"system": "wrath-and-glory", "kind": "test", "pool": 6, "dn": 3}},
        ),
    ],
)
def test_params_are_json_or_named_words(words: list[str], params: dict[str, Any]) -> None:
    assert params_of(words) == params


@pytest.mark.parametrize(
    "words",
    [["seven"], ["a=1", "a=2"], ["{"], ['{"a": 1, "a": 2}'], ["a=NaN"], ["request=dance"]],
)
def test_params_that_are_neither_are_refused(words: list[str]) -> None:
    with pytest.raises(UsageError):
        params_of(words)
