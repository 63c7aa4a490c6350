"""The `machine` module of a board that is not there; `world` is the host's side of it."""

import world  # type: ignore[import-not-found]  # the host registers it before it runs this


class Pin:
    IN = 0
    OUT = 1
    PULL_UP = 1

    def __init__(self, _: object, mode: int = 0, pull: int = 0) -> None:
        self._is_button = mode == Pin.IN and pull == Pin.PULL_UP
        self._level = 0

    def value(self, level: "int | None" = None) -> int:
        if level is not None:
            self._level = int(level)
        return int(not world.held()) if self._is_button else self._level


class UART:
    def __init__(self, number: int, **settings: object) -> None:
        pass

    def read(self) -> "bytes | None":
        return world.read().encode() or None

    def write(self, data: bytes) -> int:
        world.write(data.decode())
        return len(data)
