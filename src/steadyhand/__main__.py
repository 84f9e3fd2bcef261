"""Lets `python -m steadyhand` run the command line; it must hold no behaviour of its own."""

import sys

STOPPED = 130

try:
    from steadyhand.cli.main import main

    main()
except KeyboardInterrupt:  # before the command line itself can answer; nothing has begun
    sys.exit(STOPPED)
