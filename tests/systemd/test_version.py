"""The package's version: it grows with the sources, and tells a tarball from a commit."""

import os
import re
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "packaging/version"

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
needs_dpkg = pytest.mark.skipif(shutil.which("dpkg") is None, reason="dpkg is not installed")


def run(*words: str | Path, **environment: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a command, with more in its environment."""
    env = os.environ | {name: str(value) for name, value in environment.items()}
    return subprocess.run(words, capture_output=True, text=True, check=False, env=env)  # noqa: S603 - ours


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """Sources in small, as a tarball has them."""
    top = tmp_path / "sources"
    for folder in ("rules", "hardware", "station", "systemd", "packaging", "docs"):
        (top / folder).mkdir(parents=True)
    (top / "pyproject.toml").touch()
    (top / "station/__init__.py").write_text('__version__ = "0.1.0"\n')
    shutil.copy(SCRIPT, top / "packaging/version")
    return top


def commit(top: Path, seconds: int) -> None:
    """Commit all that is there, at a time."""
    identity = {
        f"GIT_{who}_{what}": "x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    time = {f"GIT_{who}_DATE": f"{seconds} +0200" for who in ("AUTHOR", "COMMITTER")}
    for words in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "-m", "x"]):
        done = run("git", "-C", top, "-c", "commit.gpgsign=false", *words, **identity, **time)
        assert done.returncode == 0, done.stderr


def version(top: Path, *words: str) -> str:
    """Return what the script says of sources."""
    return run(top / "packaging/version", *words).stdout.strip()


def lower(one: str, other: str) -> bool:
    """Return whether dpkg takes a version for the lower one."""
    return run("dpkg", "--compare-versions", one, "lt", other).returncode == 0


def test_a_tarball_has_the_plain_version_and_the_date_of_its_newest_file(sources: Path) -> None:
    for path in sources.rglob("*"):
        os.utime(path, (1000, 1000))
    os.utime(sources / "station/__init__.py", (5000, 5000))
    assert version(sources) == "0.1.0"
    assert version(sources, "date") == "5000"


@needs_git
def test_sources_within_anothers_repository_are_a_tarball_too(sources: Path) -> None:
    commit(sources.parent, 1_700_000_000)
    assert version(sources) == "0.1.0"


@needs_git
@needs_dpkg
def test_the_version_grows_with_the_sources(sources: Path) -> None:
    seen = ["0.0.1", version(sources)]
    for seconds in (1_700_000_000, 1_700_000_007):
        (sources / "station/x.py").write_text(f"{seconds}\n")
        commit(sources, seconds)
        seen.append(version(sources))
        assert version(sources, "date") == str(seconds)
        for edited in (seconds + 10, seconds + 20):
            # The second edition is of the same commit, and still must be taken for the newer one.
            (sources / "station/x.py").write_text(f"{edited}\n")
            os.utime(sources / "station/x.py", (edited + 2**30, edited + 2**30))
            seen.append(version(sources))
    assert re.fullmatch(r"0\.1\.0\+git20231114221320\.[0-9a-f]{7,}", seen[2])
    assert ".dirty" in seen[3]
    assert len(set(seen)) == len(seen)
    for one, other in pairwise(seen):
        assert lower(one, other), (one, other)


@needs_git
def test_what_is_not_shipped_does_not_change_the_version(sources: Path) -> None:
    commit(sources, 1_700_000_000)
    clean = version(sources)
    (sources / "notes.txt").write_text("x")
    assert version(sources) == clean
    (sources / "station/new.py").write_text("x")
    assert version(sources) != clean
