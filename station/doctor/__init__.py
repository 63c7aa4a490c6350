"""What is enabled, found, permitted and stolen on this machine, and how to mend what is not.

`examine.examine` asks a `machine.Machine` (this one, or a folder that looks like one) and gives
`findings.Finding`s. Nothing is imported here: where a library is missing, that is a finding too.
"""
