"""Measure how long a station takes until it is ready, beside what its libraries alone take.

    python bench/start.py [--rounds 15] [--state DIR] [-- OPTIONS OF dice-station run]

Both are whole processes that notify a socket, started in turn, so that their ratio tells more than
either time; the best round of each counts as well, as in the others something else had the
machine. The ledger lies in memory (/dev/shm, unless --state says where). A desktop has no GPIO
chip: the driver is loaded and finds none. Ends with status 1 where the station takes more than
its share by either measure of the time that the processor gave.
"""

import argparse
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

PROMISED = 1.5
"""How much longer the station may take than its libraries."""

LIBRARIES = (
    "import gpiozero, luma.oled.device, serial, socket, os, time;"
    "s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM);"
    "s.connect(os.environ['NOTIFY_SOCKET']); s.send(b'READY=1'); time.sleep(1000)"
)
PATIENCE = 60.0


class Start(NamedTuple):
    """One start: seconds until it was ready, and seconds of a processor that it had by then."""

    passed: float
    computed: float


def started(command: list[str], folder: Path) -> Start:
    """Start a process and kill it once it says that it is ready."""
    address = folder / "notify"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(address))
        manager.settimeout(PATIENCE)
        begun = time.perf_counter()
        process = subprocess.Popen(  # noqa: S603 - nothing here comes from outside
            command,
            env={**os.environ, "NOTIFY_SOCKET": str(address)},
            stderr=subprocess.DEVNULL,
        )
        try:
            while manager.recv(4096) != b"READY=1":
                pass
            process.send_signal(signal.SIGSTOP)
            passed = time.perf_counter() - begun
            computed = processor_time(process.pid)
        finally:
            process.kill()
            process.wait()
            address.unlink()
    return Start(passed, computed)


def processor_time(pid: int) -> float:
    """Return how many seconds all threads of a process have computed; see proc(5), schedstat."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9


def told(name: str, starts: list[Start]) -> None:
    """Print the medians and the best of some starts, in ms."""
    parts = zip(("passed", "computed"), zip(*starts, strict=True), strict=True)
    figures = (
        f"{what} {1e3 * statistics.median(times):6.1f} ms, at best {1e3 * min(times):6.1f} ms"
        for what, times in parts
    )
    print(f"{name:>10}  {'   '.join(figures)}")


def main() -> int:
    """Measure and print; return 1 where the promise is not kept."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--state", type=Path)
    parser.add_argument("options", nargs="*", metavar="OPTION")
    chosen = parser.parse_args()
    shm = Path("/dev/shm")  # noqa: S108 - only a new folder in it is used
    with tempfile.TemporaryDirectory(prefix="bench-", dir=shm if shm.is_dir() else None) as made:
        folder = Path(made)
        state = str(chosen.state or folder / "state")
        python = [sys.executable, "-I"]
        station = [*python, "-m", "station", "run", "--state", state, *chosen.options]
        libraries = [*python, "-c", LIBRARIES]
        for command in (station, libraries):
            started(command, folder)
        pairs = [
            (started(station, folder), started(libraries, folder)) for _ in range(chosen.rounds)
        ]
    ours, theirs = ([pair[side] for pair in pairs] for side in (0, 1))
    told("station", ours)
    told("libraries", theirs)
    usual = statistics.median(a.computed for a in ours) / statistics.median(
        a.computed for a in theirs
    )
    best = min(a.computed for a in ours) / min(a.computed for a in theirs)
    print(f"     ratio  {usual:.2f}, of the best {best:.2f}   promised {PROMISED} at most")
    return int(min(usual, best) > PROMISED)


if __name__ == "__main__":
    sys.exit(main())
