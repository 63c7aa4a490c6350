"""What can be wrong with a line to another machine.

HardwareError
└── SerialPortError          a setting that no port has
    └── PortLostError        the port is missing, busy or gone; opening it again may help
"""

from hardware.errors import HardwareError


class SerialPortError(HardwareError):
    """A line can't be used as it was set up; the message is one sentence."""


class PortLostError(SerialPortError):
    """A line is missing, busy or gone; the message says which, and why."""
