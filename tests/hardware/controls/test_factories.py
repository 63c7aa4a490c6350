import sys
from types import SimpleNamespace
from typing import Any

import pytest
from gpiozero.pins.mock import MockFactory

from hardware.controls import factories, gpiod_factory
from hardware.controls.errors import FactoryUnavailable


def test_mock_pins_come_only_by_name() -> None:
    backend = factories.build("mock")
    assert isinstance(backend.factory, MockFactory)
    assert (backend.name, backend.alive(), backend.nanoseconds) == ("mock", True, None)


def test_the_default_is_gpiod_and_never_falls_back(monkeypatch: pytest.MonkeyPatch) -> None:
    class NoChips:
        def paths(self) -> tuple[str, ...]:
            return ()

    monkeypatch.setattr(gpiod_factory, "LinuxKernel", NoChips)
    with pytest.raises(FactoryUnavailable, match="there is no GPIO chip at all"):
        factories.build()


def test_gpiod_is_built_with_the_configured_chip(
    monkeypatch: pytest.MonkeyPatch, kernel: Any
) -> None:
    monkeypatch.setattr(gpiod_factory, "LinuxKernel", lambda: kernel)
    backend = factories.build("gpiod", "/dev/gpiochip0")
    assert backend.alive()
    assert backend.nanoseconds is not None
    assert backend.nanoseconds(12) == 12
    backend.factory.close()
    assert not backend.alive()


def test_a_missing_gpiod_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "hardware.controls.gpiod_factory", None)
    with pytest.raises(FactoryUnavailable, match=r"needs the library gpiod 2: pip install"):
        factories.build("gpiod")


def test_a_missing_lgpio_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lgpio", None)
    with pytest.raises(FactoryUnavailable, match="needs the library lgpio: apt install"):
        factories.build("lgpio")


def test_lgpio_is_alive_while_its_thread_and_its_chip_are(monkeypatch: pytest.MonkeyPatch) -> None:
    class Error(Exception):
        pass

    living = {"thread": True, "chip": True}

    def chip_info(_: int) -> None:
        if not living["chip"]:
            raise Error

    thread = SimpleNamespace(is_alive=lambda: living["thread"])
    lgpio = SimpleNamespace(error=Error, _notify_thread=thread, gpio_get_chip_info=chip_info)
    pins = SimpleNamespace(LGPIOFactory=lambda: SimpleNamespace(_handle=0))
    monkeypatch.setitem(sys.modules, "lgpio", lgpio)
    monkeypatch.setitem(sys.modules, "gpiozero.pins.lgpio", pins)
    backend = factories.build("lgpio")
    assert backend.alive()
    living["chip"] = False
    assert not backend.alive()
    living.update(thread=False, chip=True)
    assert not backend.alive()


def test_lgpio_without_a_chip_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    class Error(Exception):
        pass

    def no_chip() -> None:
        raise Error("can not open gpiochip")

    monkeypatch.setitem(sys.modules, "lgpio", SimpleNamespace(error=Error))
    monkeypatch.setitem(sys.modules, "gpiozero.pins.lgpio", SimpleNamespace(LGPIOFactory=no_chip))
    with pytest.raises(FactoryUnavailable, match="found no usable GPIO chip: can not open"):
        factories.build("lgpio")


def test_an_unknown_name_is_refused_with_the_ones_there_are() -> None:
    with pytest.raises(FactoryUnavailable, match=r"pins \(='rpigpio'\) must be one of gpiod"):
        factories.build("rpigpio")
