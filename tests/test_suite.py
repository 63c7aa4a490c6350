"""The suite's own guards bite."""

import threading
from pathlib import Path
from typing import Any

import pytest

CONFTEST = str(Path(__file__).parent / "conftest.py")


@pytest.fixture
def shared(pytestconfig: pytest.Config) -> Any:
    """The module of shared fixtures, which no test can import by name."""
    plugins = pytestconfig.pluginmanager.get_plugins()
    return next(plugin for plugin in plugins if getattr(plugin, "__file__", None) == CONFTEST)


def test_a_thread_left_running_is_named_and_one_that_ended_is_not(shared: Any) -> None:
    before = set(threading.enumerate())
    let_go = threading.Event()
    stray = threading.Thread(target=let_go.wait, name="stray")
    stray.start()
    try:
        assert shared.leaked_since(before, 0.01) == ["stray"]
    finally:
        let_go.set()
        stray.join()
    assert shared.leaked_since(before, 0.01) == []
