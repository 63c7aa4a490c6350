"""One client of a line, in a process of its own, until a byte comes on standard input.

    python line_client.py MODE FD

`deaf` asks without end and never reads; `flood` sends up to ten thousand lines a second, nonsense
among them, and reads; `ask` changes what the table counts, and waits for each answer; `late`
subscribes, and reads only at the end. It says `ready`, and at last what came of it, as JSON.
"""

import json
import os
import select
import sys
import time

RATE = 10_000
"""Lines a second of a flood."""

LINES = (b"resolve 3D vs 9 faces=6,5,1\r\n", b"what nonsense is this\r\n")
PAIR = b"".join(LINES)
BURST = 100
PATIENCE = 10.0
DRAIN = 1.0
"""Seconds of silence after which nothing more comes."""


def say(what: object) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def told_to_stop() -> bool:
    return bool(select.select([sys.stdin], [], [], 0)[0])


def write(fd: int, data: bytes) -> int:
    try:
        return os.write(fd, data)
    except BlockingIOError:
        return 0


def read(fd: int, timeout: float = 0.0) -> bytes:
    return os.read(fd, 65536) if select.select([fd], [], [], timeout)[0] else b""


def drained(fd: int) -> bytes:
    """Return all that still comes."""
    data = b""
    while more := read(fd, DRAIN):
        data += more
    return data


def deaf(fd: int) -> dict[str, object]:
    say("ready")
    sent = 0
    while not told_to_stop():
        sent += write(fd, b"history 100\r\n")
        time.sleep(0.001)
    return {"bytes": sent}


def flood(fd: int) -> dict[str, object]:
    say("ready")
    begun = time.monotonic()
    sent, heard = 0, b""
    answers = 0
    stopping = False
    # The last line is written to its end, so that it is answered too.
    while not (stopping and sent % len(PAIR) == 0):
        stopping = stopping or told_to_stop()
        due = int((time.monotonic() - begun) * RATE) * len(PAIR) // len(LINES)
        if stopping:
            due = sent + len(PAIR) - sent % len(PAIR)
        place = sent % len(PAIR)
        sent += write(fd, (PAIR * BURST)[place : place + due - sent])
        *lines, heard = (heard + read(fd, 0.001)).split(b"\r\n")
        answers += sum(line.startswith(b"ok") for line in lines)
    seconds = time.monotonic() - begun
    lines = (heard + drained(fd)).split(b"\r\n")
    answers += sum(line.startswith(b"ok") for line in lines)
    asked = sent // len(PAIR)
    return {"asked": asked, "answers": answers, "per_second": round(2 * asked / seconds)}


def ask(fd: int) -> dict[str, object]:
    say("ready")
    asked = answered = 0
    while not told_to_stop():
        asked += 1
        params = {"act": "glory", "count": 1, "key": f"load-test-{asked}"}
        line = {"jsonrpc": "2.0", "id": asked, "method": "change", "params": params}
        os.write(fd, json.dumps(line).encode() + b"\r\n")
        reply = b""
        while not reply.endswith(b"\n"):
            more = read(fd, PATIENCE)
            if not more:
                return {"asked": asked, "answered": answered}
            reply += more
        told = json.loads(reply)
        answered += told["id"] == asked and told["result"]["state"]["glory"] == asked
    return {"asked": asked, "answered": answered}


def late(fd: int) -> dict[str, object]:
    os.write(fd, b'{"jsonrpc":"2.0","id":1,"method":"subscribe","params":{"events":["changed"]}}\n')
    while not read(fd, PATIENCE).endswith(b"\n"):
        pass
    say("ready")
    while not told_to_stop():
        time.sleep(0.01)
    lines = drained(fd).split(b"\r\n")
    events = [json.loads(line) for line in lines if b'"method":"changed"' in line]
    return {
        "events": len(events),
        "dropped": sum(event["params"].get("dropped", 0) for event in events),
    }


def main() -> None:
    mode, fd = sys.argv[1], int(sys.argv[2])
    os.set_blocking(fd, mode == "ask")
    act = {"deaf": deaf, "flood": flood, "ask": ask, "late": late}[mode]
    say(act(fd))


main()
