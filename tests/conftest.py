"""What every test shares: hypothesis profiles, a fourth system, and a check for leaked threads."""

import importlib.util
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from rules.model import RuleSystem
from rules.registry import DEFAULT, Registry

# No deadline: one slow example on a busy two-core machine is no fault of the code.
settings.register_profile("default", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
DEFAULT_PROFILE = "ci" if "CI" in os.environ else "default"
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", DEFAULT_PROFILE))

HIGH_DIE = Path(__file__).parent / "systems" / "high_die.py"

LAST_GASP = 1.0
"""Seconds that a thread which was already told to end may take to do so."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that draws the golden images anew."""
    told = "draw the images in tests/golden anew, then fail: someone must look at them"
    parser.addoption("--regold", action="store_true", help=told)


def _loaded(path: Path) -> RuleSystem:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    system: RuleSystem = module.SYSTEM
    return system


@pytest.fixture(scope="session")
def high_die() -> RuleSystem:
    """A small fourth system, loaded from its one file."""
    return _loaded(HIGH_DIE)


@pytest.fixture(scope="session")
def toy_registry(high_die: RuleSystem) -> Registry:
    """The station's own systems and the fourth, known by one registration."""
    return DEFAULT.register(high_die)


def leaked_since(before: set[threading.Thread], patience: float = LAST_GASP) -> list[str]:
    """Return the names of threads that live on and were not there before."""
    fresh = [thread for thread in threading.enumerate() if thread not in before]
    for thread in fresh:
        thread.join(patience)
    return sorted(thread.name for thread in fresh if thread.is_alive())


@pytest.fixture(autouse=True)
def no_leaked_threads() -> Iterator[None]:
    """Fail a test that leaves a thread running."""
    before = set(threading.enumerate())
    yield
    if leaked := leaked_since(before):
        pytest.fail(f"threads left running: {', '.join(leaked)}")
