"""What is enabled, found, permitted and stolen on this machine, and how to mend what is not.

`examine` asks a `Machine` (this one, or a folder that looks like one) and gives `Finding`s.
"""

from station.doctor.examine import examine
from station.doctor.findings import Finding, Level
from station.doctor.machine import LinuxMachine, Machine

__all__ = ["Finding", "Level", "LinuxMachine", "Machine", "examine"]
