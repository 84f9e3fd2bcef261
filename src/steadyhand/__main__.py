"""Lets `python -m steadyhand` run the command line; it must hold no behaviour of its own."""

from steadyhand.cli.main import main

if __name__ == "__main__":
    main()
