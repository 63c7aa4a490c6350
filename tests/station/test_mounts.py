"""Which disk a folder lies on, by the kernel's table of mounts."""

from pathlib import Path

import pytest

from station.mounts import Mount, mount_of, shortcoming

TABLE = """overlayroot / overlay rw,relatime,upperdir=/media/root-rw/overlay 0 0
/dev/mmcblk0p3 /var/lib/dice-station ext4 rw,relatime 0 0
tmpfs /run tmpfs rw,nosuid 0 0
/dev/sda1 /media/a\\040stick vfat rw 0 0
tmpfs /media/a\\040stick tmpfs rw 0 0
short line
"""


@pytest.mark.parametrize(
    ("path", "place", "kind"),
    [
        ("/home/pi", "/", "overlay"),
        ("/var/lib/dice-station", "/var/lib/dice-station", "ext4"),
        ("/var/lib/dice-station/deep", "/var/lib/dice-station", "ext4"),
        ("/var/lib/dice-stations", "/", "overlay"),
        ("/run/dice", "/run", "tmpfs"),
        ("/media/a stick/dice", "/media/a stick", "tmpfs"),
    ],
)
def test_the_deepest_and_latest_mount_counts(path: str, place: str, kind: str) -> None:
    assert mount_of(path, TABLE) == Mount(place, kind)


def test_without_a_table_nothing_is_known(tmp_path: Path) -> None:
    assert mount_of("/home", "") == Mount()
    assert not Mount().in_memory
    assert shortcoming(tmp_path, tmp_path / "none") == ""


@pytest.mark.parametrize("kind", ["tmpfs", "ramfs", "overlay", "ext4", "vfat"])
def test_a_folder_in_memory_is_told(tmp_path: Path, kind: str) -> None:
    real = tmp_path / "real"
    (real / "state").mkdir(parents=True)
    link = tmp_path / "link"
    link.symlink_to(real)
    table = tmp_path / "mounts"
    table.write_text(f"/dev/root / ext4 rw 0 0\nx {real.resolve()} {kind} rw 0 0\n")
    found = shortcoming(link / "state", table)
    if kind in ("ext4", "vfat"):
        assert found == ""
    else:
        told = f"{link}/state is kept in memory: what is recorded is lost with the power"
        assert found == told


def test_the_kernel_has_such_a_table() -> None:
    assert shortcoming(Path("/proc")) == ""
