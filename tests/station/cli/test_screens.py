"""``dice-station screens``: pictures of every screen."""

from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from station.simulator.scenes import ACTS

NAMES = sorted(scene.name for act in ACTS for scene in act)


def test_every_screen_is_written_for_both_panels(run: Any, tmp_path: Path) -> None:
    done = run("screens", str(tmp_path / "out"), "--scale", "2")
    assert done.out == f"{2 * len(NAMES)} screens are in {tmp_path / 'out'}\n"
    for size in ((128, 64), (128, 32)):
        folder = tmp_path / "out" / f"{size[0]}x{size[1]}"
        assert sorted(path.stem for path in folder.iterdir()) == NAMES
        with Image.open(folder / "verdict-success.png") as picture:
            assert picture.size == (2 * size[0], 2 * size[1])


@pytest.mark.parametrize("scale", ["0", "17"])
def test_a_scale_out_of_range_is_refused(run: Any, tmp_path: Path, scale: str) -> None:
    done = run("screens", str(tmp_path), "--scale", scale)
    assert done.status == 2
    assert f"--scale is {scale}; allowed: 1–16" in done.err
