"""Check the chain of a ledger without any code of the station: sqlite3, hashlib and json suffice.

    python check_ledger.py /var/lib/dice-station/ledger.db

docs/ledger.md says what is computed here. Whether each outcome follows from its faces is what
`dice-station verify` adds; that needs the rules.
"""

import hashlib
import json
import sqlite3
import sys

db = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
db.text_factory = lambda data: data.decode("ascii", "surrogateescape")  # show damage, don't fail
carried = db.execute("SELECT detail FROM entry WHERE kind = 'carried'")
gaps = {first: last for (detail,) in carried for first, last in json.loads(detail)["lost"]}
seq, head = 0, bytes(32)
for *columns, prev, digest in db.execute("SELECT * FROM entry ORDER BY seq"):
    after_gap = gaps.get(seq + 1) == columns[0] - 1
    if columns[0] != seq + 1 and not after_gap:
        sys.exit(f"row {seq + 1} is missing")
    if prev != head and not after_gap:
        sys.exit(f"row {columns[0]} does not follow from the row before")
    text = json.dumps(columns, separators=(",", ":"), ensure_ascii=True)
    if hashlib.sha256(prev + text.encode("ascii")).digest() != digest:
        sys.exit(f"row {columns[0]}: its contents and its hash differ")
    seq, head = columns[0], digest
print(f"good: {seq} rows, head {seq}:{head.hex()}")
