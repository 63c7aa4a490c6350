"""A station that has no descriptor left goes on drawing: all that it needs for that is loaded."""

import pickle
import subprocess
import sys
from pathlib import Path

from station.simulator.gallery import PANELS, shots

DRAW = """
import pickle, resource, sys
import station.appliance
from pathlib import Path
from station.screens.layout import paint

views = pickle.loads(Path(sys.argv[1]).read_bytes())
_, most = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (0, most))
for view, panel in views:
    paint(view, panel)
"""


def test_every_screen_is_drawn_without_opening_anything(tmp_path: Path) -> None:
    views = [(shot.view, panel) for panel in PANELS for shot in shots(panel)]
    file = tmp_path / "views"
    file.write_bytes(pickle.dumps(views))
    command = [sys.executable, "-c", DRAW, str(file)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - our own program
    assert ran.returncode == 0, ran.stderr[-2000:]
