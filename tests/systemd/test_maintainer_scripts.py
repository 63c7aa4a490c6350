"""The package where it meets others' things: what it says, and that a purge takes only its own."""

import os
import re
import subprocess
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[2] / "packaging/deb"
HUMAN = "dice-station:x:1000:1000:Ann:/home/ann:/bin/bash"
OURS = "dice-station:x:994:994:Dice station:/var/lib/dice-station:/usr/sbin/nologin"
SYSTEM = "etc/systemd/system"


def command(folder: Path, name: str, script: str) -> None:
    """Put a command there, for a PATH."""
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)


class Purge:
    """A machine in small from which the package has been removed, and its purge."""

    def __init__(self, root: Path, tools: Path) -> None:
        """Lay out the folders that stay after a removal."""
        self.root = root
        self.tools = tools
        for folder in (
            "etc/dice-station",
            "var/lib/dice-station",
            f"{SYSTEM}/multi-user.target.wants",
        ):
            (root / folder).mkdir(parents=True)
        (root / "etc/dice-station/station.toml").touch()
        (root / "var/lib/dice-station/ledger.db").touch()
        self.account(OURS)
        command(tools, "userdel", f"echo $* >> {root}/deleted")
        command(tools, "deb-systemd-helper", "")

    def account(self, line: str) -> None:
        """Let the station's user be this one."""
        command(self.tools, "getent", f"echo '{line}'")

    def run(self) -> str:
        """Purge, and return what is said of it."""
        path = f"{self.tools}:{os.environ['PATH']}"
        env = os.environ | {"DPKG_ROOT": str(self.root), "PATH": path}
        words = [SCRIPTS / "postrm", "purge"]
        done = subprocess.run(words, capture_output=True, text=True, check=False, env=env)  # noqa: S603 - ours
        assert done.returncode == 0, done.stderr
        return done.stderr

    def left(self) -> set[str]:
        """Return what bears the station's name still."""
        return {str(path.relative_to(self.root)) for path in self.root.rglob("*dice-station*")}

    def deleted(self) -> bool:
        """Return whether the user was deleted."""
        return (self.root / "deleted").exists()


@pytest.fixture
def purge(tmp_path: Path) -> Purge:
    """A machine in small."""
    return Purge(tmp_path / "root", tmp_path / "tools")


def test_a_purge_takes_everything_and_every_link_of_systemctl(purge: Purge) -> None:
    for link, target in (
        ("multi-user.target.wants/dice-station-gadget.service", "/lib/systemd/system/gone.service"),
        ("multi-user.target.wants/dice-station.service", "/lib/systemd/system/gone.service"),
        ("dice-station-poweroff.path", "/dev/null"),
    ):
        (purge.root / SYSTEM / link).symlink_to(target)
    assert purge.run() == ""
    assert purge.left() == set()
    assert purge.deleted()


def test_a_purge_leaves_what_an_administrator_wrote_and_enabled(purge: Purge) -> None:
    other = purge.root / "usr.service"
    other.touch()
    (purge.root / SYSTEM / "multi-user.target.wants/dice-station.service").symlink_to(other)
    (purge.root / SYSTEM / "dice-station.service.d").mkdir()
    assert "dice-station.service.d stays" in purge.run()
    assert purge.left() == {
        f"{SYSTEM}/multi-user.target.wants/dice-station.service",
        f"{SYSTEM}/dice-station.service.d",
    }


@pytest.mark.parametrize(
    "account", [HUMAN, OURS.replace(":994:", ":1994:", 1), OURS.replace("/var/lib", "/home")]
)
def test_a_purge_never_deletes_an_account_that_is_not_ours(purge: Purge, account: str) -> None:
    purge.account(account)
    assert (
        purge.run() == "dice-station: the user dice-station stays: this package did not make it\n"
    )
    assert not purge.deleted()


def installed(root: Path, tools: Path, account: str) -> str:
    """Return what the package says when it is configured on a machine in small."""
    for name in ("sysusers", "tmpfiles"):
        command(tools, f"systemd-{name}", "")
    for name in ("systemctl", "udevadm", "deb-systemd-helper", "deb-systemd-invoke"):
        command(tools, name, "")
    command(tools, "getent", f"[ -n '{account}' ] && echo '{account}'")
    (root / "usr/lib/dice-station").mkdir(parents=True)
    command(root / "usr/lib/dice-station", "configure", "")
    env = os.environ | {"DPKG_ROOT": str(root), "PATH": f"{tools}:{os.environ['PATH']}"}
    words = [SCRIPTS / "postinst", "configure", ""]
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=env)  # noqa: S603 - ours
    assert done.returncode == 0, done.stderr
    return done.stderr


def test_an_installation_says_that_it_takes_anothers_account(tmp_path: Path) -> None:
    said = installed(tmp_path / "root", tmp_path / "tools", HUMAN)
    assert "the user dice-station that was here before" in said


@pytest.mark.parametrize("account", [OURS, ""])
def test_an_installation_says_nothing_of_its_own_account(account: str, tmp_path: Path) -> None:
    assert installed(tmp_path / "root", tmp_path / "tools", account) == ""


def test_an_installation_says_which_station_hides_it(tmp_path: Path) -> None:
    other = tmp_path / "root/usr/local/lib/dice-station"
    other.mkdir(parents=True)
    (other / "manifest").touch()
    said = installed(tmp_path / "root", tmp_path / "tools", OURS)
    assert "the station in /usr/local, of `make install`, hides this one" in said


def test_installation_and_purge_know_the_same_account_for_ours() -> None:
    scripts = [(SCRIPTS / name).read_text() for name in ("postinst", "postrm")]
    known = [
        re.findall(r"^made_by_us\(\) \{\n.*?^\}", each, re.MULTILINE | re.DOTALL)
        for each in scripts
    ]
    assert known[0] == known[1] != []


def test_a_purge_takes_a_link_and_leaves_where_it_leads(purge: Purge) -> None:
    elsewhere = purge.root / "srv"
    (purge.root / "var/lib/dice-station").rename(elsewhere)
    (purge.root / "var/lib/dice-station").symlink_to(elsewhere)
    assert f"the ledger in {elsewhere} stays" in purge.run()
    assert purge.left() == set()
    assert (elsewhere / "ledger.db").exists()


def test_a_purge_says_what_cannot_be_removed_and_goes_on(purge: Purge) -> None:
    command(purge.tools, "find", "exit 1")
    told = purge.run()
    assert "could not remove all of /var/lib/dice-station" in told
    assert "could not remove the folder" in told
    assert purge.left() == {"var/lib/dice-station"}
    assert purge.deleted()


def test_a_purge_leaves_everything_to_the_station_in_usr_local(purge: Purge) -> None:
    (purge.root / "usr/local/lib/dice-station").mkdir(parents=True)
    (purge.root / "usr/local/lib/dice-station/manifest").touch()
    link = purge.root / SYSTEM / "multi-user.target.wants/dice-station.service"
    link.symlink_to("/lib/systemd/system/gone.service")
    # Debian's helper takes the link that it once made, wherever it leads by now.
    command(purge.tools, "deb-systemd-helper", f"rm -f {link}")
    before = purge.left()
    assert "the station in /usr/local uses them" in purge.run()
    assert purge.left() == before
    assert link.readlink() == Path("/usr/local/lib/systemd/system/dice-station.service")
    assert not purge.deleted()
