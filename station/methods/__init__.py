"""The station's methods: what other programs can ask of it, and nothing else.

`StationMethods.call` is the one way in, for the serial line, the socket and the command line.
All of it belongs to the thread that owns the station's state.
"""
