"""The ledger: every roll the station ever showed, on the disk before anyone saw it.

`faults.open_ledger` opens it whatever state it is in; `Ledger.append` writes a row made by
`rolled`, `drawn`, `decided`, `voided`, `revealed` or `changed`, and returns once it is safe.
"""
