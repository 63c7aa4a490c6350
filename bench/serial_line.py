"""Measure round trips over a serial line: a daemon at the one end of a pty, this at the other.

    python bench/serial_line.py [--seconds 2] [--rounds 3] [--state DIR]

The daemon keeps to one core and its ledger lies in memory (/dev/shm, unless --state says where).
Each request is sent when the answer to the one before has come. The best round counts: in the
others, something else had the machine. Ends with status 1 where fewer `resolve` or committed
`roll` come back in a second than was promised.
"""

import argparse
import json
import os
import pty
import statistics
import subprocess
import sys
import tempfile
import time
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

PROMISED = {"resolve": 1_500, "keyed roll": 400}
"""Round trips in a second, by the name of the measurement."""

BASIC = {"system": "seven-kingdoms", "kind": "basic", "rank": 3, "bonus": 2, "difficulty": 9}
PATIENCE = 20.0
"""Seconds within which the daemon must answer for the first time."""

WARM_UP = 200
"""Round trips before the clock runs."""


def line(method: str, **params: Any) -> bytes:
    """Return a request of JSON-RPC 2.0."""
    asked = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return json.dumps(asked, separators=(",", ":")).encode() + b"\n"


def resolve(_: int) -> bytes:
    """Return a request that records nothing."""
    return line("resolve", request=BASIC, faces=[6, 5, 3, 2, 1])


def typed_resolve(_: int) -> bytes:
    """Return the same as a person types it."""
    return b"resolve 3D+2B vs 9 faces=6,5,3,2,1\n"


def roll(number: int) -> bytes:
    """Return a request for a committed roll with a key that no other has."""
    return line("roll", request=BASIC, key=f"bench-{number:08}")


def brief_roll(number: int) -> bytes:
    """Return the same for a small board."""
    return line("roll", request=BASIC, key=f"brief-{number:08}", brief=True)


def answered(far: int, request: bytes) -> bytes:
    """Send a request and return the answer.

    Raises:
        RuntimeError: the station refused.
    """
    os.write(far, request)
    reply = os.read(far, 65536)
    while not reply.endswith(b"\n"):
        reply += os.read(far, 65536)
    if reply.startswith((b'{"jsonrpc":"2.0","error"', b"err")):
        raise RuntimeError(reply.decode())
    return reply


def measured(
    far: int, request: Callable[[int], bytes], numbers: Iterator[int], seconds: float
) -> list[int]:
    """Return how long each round trip took, in ns."""
    times: list[int] = []
    for _ in range(WARM_UP):
        answered(far, request(next(numbers)))
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        asked = request(next(numbers))
        begun = time.perf_counter_ns()
        answered(far, asked)
        times.append(time.perf_counter_ns() - begun)
    return times


def processor_time(pid: int) -> float:
    """Return how many seconds a process has computed so far, all threads together; see proc(5)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    user, system = fields[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


@contextmanager
def daemon(state: Path) -> Iterator[tuple[int, int]]:
    """Run a station on one core; yield the far end of its line, and its process's number."""
    far, near = pty.openpty()
    tty.setraw(near)
    options = ["--pins", "mock", "--display", "memory", "--state", str(state)]
    command = [sys.executable, "-I", "-m", "station", "run", *options]
    core = max(os.sched_getaffinity(0))
    process = subprocess.Popen(  # noqa: S603 - nothing here comes from outside
        [*command, "--serial", os.ttyname(near)]
    )
    os.sched_setaffinity(process.pid, {core})
    try:
        wait_for(far, process)
        yield far, process.pid
    finally:
        process.terminate()
        process.wait()
        os.close(near)
        os.close(far)


def wait_for(far: int, process: "subprocess.Popen[bytes]") -> None:
    """Wait until the station answers.

    Raises:
        TimeoutError: it does not, or it has ended.
    """
    os.set_blocking(far, False)
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and process.poll() is None:
        os.write(far, b"*IDN?\n")
        time.sleep(0.2)
        try:
            if os.read(far, 4096).count(b"\n"):
                os.set_blocking(far, True)
                return
        except BlockingIOError:
            continue
    raise TimeoutError("the station does not answer")


def main() -> int:
    """Measure and print a table; return 1 where a promise is not kept."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--state", type=Path)
    chosen = parser.parse_args()
    shm = Path("/dev/shm")  # noqa: S108 - only a new folder in it is used
    memory = tempfile.TemporaryDirectory(prefix="bench-", dir=shm if shm.is_dir() else None)
    requests = {
        "resolve": resolve,
        "typed resolve": typed_resolve,
        "keyed roll": roll,
        "brief keyed roll": brief_roll,
    }
    kept = True
    with memory as folder, daemon(chosen.state or Path(folder)) as (far, pid):
        for name, request in requests.items():
            numbers = count()
            before = processor_time(pid)
            rounds = (measured(far, request, numbers, chosen.seconds) for _ in range(chosen.rounds))
            times = min(rounds, key=statistics.mean)
            computed = 1e3 * (processor_time(pid) - before) / next(numbers)
            rate = 1e9 / statistics.mean(times)
            last = statistics.quantiles(times, n=100)[-1] / 1e6
            median = statistics.median(times) / 1e6
            promised = PROMISED.get(name, 0)
            kept = kept and rate >= promised
            print(
                f"{name:>16} {rate:7,.0f} /s   median {median:.3f} ms   99 % {last:.3f} ms"
                f"   computing {computed:.3f} ms",
                f"   promised {promised:,} /s" if promised else "",
            )
    return int(not kept)


if __name__ == "__main__":
    sys.exit(main())
