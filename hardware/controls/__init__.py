"""The controls: contact edges in, typed events out.

    edges (gpio, evdev, simulated) -> panel (quadrature, debounce, gestures) -> control events

Everything from the edge to the event is pure: time is a value that comes with the edge.
"""
