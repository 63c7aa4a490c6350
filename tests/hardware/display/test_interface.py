import pytest
from PIL import Image

from hardware.display.interface import (
    SIZES,
    Bus,
    Driver,
    FrameError,
    PanelSettings,
    PanelSettingsError,
    check_frame,
)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"height": 48}, "size is (128, 48): allowed is 128×64 or 128×32 with the driver ssd1306."),
        ({"width": 64}, "size is (64, 64): allowed is 128×64 or 128×32 with the driver ssd1306."),
        (
            {"height": 128},
            "size is (128, 128): allowed is 128×64 or 128×32 with the driver ssd1306.",
        ),
        ({"rotate": 90}, "rotate is 90: allowed is 0 or 180."),
        ({"address": 0x78}, "address is 120: allowed is a whole number from 8 to 119."),
        (
            {"column_offset": 2},
            "column_offset is 2: allowed is 0, or none, with the driver ssd1306.",
        ),
        (
            {"driver": Driver.SH1106, "column_offset": 5},
            "column_offset is 5: allowed is a whole number from 0 to 4 with the driver sh1106.",
        ),
        ({"contrast_full": 256}, "contrast_full is 256: allowed is a whole number from 0 to 255."),
        (
            {"contrast_full": 20, "contrast_dim": 21},
            "contrast_dim is 21: allowed is a whole number from 0 to 20.",
        ),
        ({"i2c_port": True}, "i2c_port is True: allowed is a whole number from 0 to 255."),
        ({"dc": 28}, "dc is 28: allowed is a whole number from 1 to 27."),
        ({"reset": 0}, "reset is 0: allowed is a whole number from 1 to 27."),
        ({"bus": Bus.SPI, "reset": 24}, "reset is 24: allowed is a GPIO other than dc, or none."),
        (
            {"driver": "ssd1306x"},
            "driver is 'ssd1306x': allowed is ssd1306 or sh1106 or ssd1309 or ssd1327.",
        ),
        ({"bus": "usb"}, "bus is 'usb': allowed is i2c or spi."),
    ],
)
def test_a_wrong_setting_is_named_with_its_value_and_what_is_allowed(
    settings: dict[str, object], sentence: str
) -> None:
    with pytest.raises(PanelSettingsError) as caught:
        PanelSettings(**settings)  # type: ignore[arg-type]  # wrong on purpose
    assert str(caught.value) == sentence
    assert caught.value.field == sentence.split(maxsplit=1)[0]


@pytest.mark.parametrize("driver", Driver)
def test_every_known_size_is_accepted(driver: Driver) -> None:
    for width, height in SIZES[driver]:
        assert PanelSettings(driver=driver, width=width, height=height).size == (width, height)


def test_the_usual_column_offset_belongs_to_the_driver() -> None:
    assert PanelSettings().first_column == 0
    assert PanelSettings(driver=Driver.SH1106).first_column == 2
    assert PanelSettings(driver=Driver.SH1106, column_offset=0).first_column == 0


def test_no_reset_line_is_a_wiring_too() -> None:
    assert PanelSettings(bus=Bus.SPI, reset=None).reset is None


def test_a_frame_of_another_mode_or_size_is_refused() -> None:
    check_frame(Image.new("1", (128, 64)), (128, 64))
    with pytest.raises(FrameError, match="mode 'L'"):
        check_frame(Image.new("L", (128, 64)), (128, 64))
    with pytest.raises(FrameError, match="128×32 pixels: the display has 128×64"):
        check_frame(Image.new("1", (128, 32)), (128, 64))
