"""What touches the world: entropy, controls, display, serial port.

Each is a small Protocol with a real implementation and a simulated one. Nothing here knows of
rules or of the station.
"""
