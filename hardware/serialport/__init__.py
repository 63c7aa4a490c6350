"""Lines to other machines: serial ports that survive unplug and replug, and local sockets.

`interface.Transport` says what a line promises; `port.SerialPort` is a real one (a pty, a USB
gadget, ``socket://host:port``), `local` a Unix socket, `simulated.Cable` a pty with the world's
end in the test's hand.
"""
