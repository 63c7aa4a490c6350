"""What can be wrong with the controls' side of the machine.

HardwareError
└── ControlsError
    ├── PinUnavailable       a pin is missing, busy, reserved or unable to do what is asked
    ├── DeviceUnavailable    an input device is missing, forbidden or taken
    └── FactoryUnavailable   the configured GPIO back end has no library or no chip here
"""

from hardware.errors import HardwareError


class ControlsError(HardwareError):
    """Something the controls need is missing, busy or lost; the message is one sentence."""


class PinUnavailable(ControlsError):  # noqa: N818 (reads as what it says: `except PinUnavailable`)
    """A named line cannot have its GPIO; the message says which, and why."""


class DeviceUnavailable(ControlsError):  # noqa: N818 (as above)
    """An input device cannot be used; the message says which, and why."""


class FactoryUnavailable(ControlsError):  # noqa: N818 (as above)
    """The GPIO back end cannot be used on this machine; the message says what to install."""
