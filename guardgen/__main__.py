"""`python -m guardgen`."""

import sys

from guardgen.cli import main

if __name__ == "__main__":
    sys.exit(main())
