"""The way to a read-only root and back, as docs/install.md tells it: its lines do what it says."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

DOCUMENT = (Path(__file__).parents[2] / "docs/install.md").read_text()
GENERATOR = Path("/usr/lib/systemd/system-generators/systemd-fstab-generator")
WORDS = "console=serial0,115200 console=tty1 root=PARTUUID=1-02 rootfstype=ext4 rootwait quiet\n"


def fstab_line() -> str:
    """Return the line for /etc/fstab."""
    (line,) = re.findall(r"^ +(LABEL=dice .+)$", DOCUMENT, re.MULTILINE)
    return str(line)


def edits() -> list[str]:
    """Return the edits of the kernel's command line, in their order."""
    found = re.findall(r"sed -i '([^']+)' /boot/firmware/cmdline\.txt", DOCUMENT)
    return [str(each) for each in found]


def edited(text: str, script: str) -> str:
    """Return what sed makes of a text."""
    words = [shutil.which("sed") or "sed", script]
    done = subprocess.run(words, input=text, capture_output=True, text=True, check=True)  # noqa: S603 - ours
    return done.stdout


def test_the_way_back_undoes_the_way_there() -> None:
    there, back = edits()
    overlaid = edited(WORDS, there)
    assert overlaid == f"overlayroot=tmpfs:recurse=0 {WORDS}"
    assert edited(overlaid, back) == WORDS


def test_the_way_back_takes_any_form_of_the_word_wherever_it_stands() -> None:
    _, back = edits()
    for word in ("overlayroot=tmpfs", "overlayroot=tmpfs:recurse=0,swap=1"):
        assert edited(f"{word} {WORDS}", back) == WORDS
        assert edited(f"a {word} b\n", back) == "a b\n"
        assert "overlayroot" not in edited(f"{WORDS.strip()} {word}\n", back)


@pytest.mark.skipif(not GENERATOR.exists(), reason="systemd is not installed")
@pytest.mark.parametrize("more", ["", ",x-systemd.required-by=dice-station.service"])
def test_a_missing_partition_keeps_nobody_waiting_for_long(more: str, tmp_path: Path) -> None:
    assert not more or more.lstrip(",") in DOCUMENT
    fstab = tmp_path / "fstab"
    fstab.write_text(fstab_line().replace("noatime", f"noatime{more}") + "\n")
    out = tmp_path / "units"
    out.mkdir()
    env = os.environ | {"SYSTEMD_FSTAB": str(fstab), "SYSTEMD_PROC_CMDLINE": "quiet"}
    done = subprocess.run([GENERATOR, out, out, out], env=env, capture_output=True, check=False)  # noqa: S603 - systemd's
    assert done.returncode == 0, done.stderr
    unit = out / "var-lib-dice\\x2dstation.mount"
    assert re.search(r"^Before=.*dice-station\.service$", unit.read_text(), re.MULTILINE)
    (device,) = (path for path in out.rglob("*.conf") if "label-dice" in path.parent.name)
    assert "JobRunningTimeoutSec=5s" in device.read_text()
    # Neither form may keep the machine itself from starting.
    assert not (out / "local-fs.target.requires" / unit.name).exists()
    assert (out / "dice-station.service.requires" / unit.name).is_symlink() == bool(more)
