"""``python -m station`` is ``dice-station``."""

import sys

from station.cli import main

if __name__ == "__main__":
    sys.exit(main())
