"""The station's language on a line, without any port: bytes in, actions out.

    bytes -> lines -> session -> actions: send these bytes, or have the station call a method
               jsonrpc | typed

Nothing here blocks, reads a clock or opens a device; time comes in as a value.
"""
