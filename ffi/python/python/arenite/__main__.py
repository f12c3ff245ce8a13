"""The command line: `python -m arenite --help`."""

import signal
import sys

from arenite import _native


def main():
    """Runs the command line of this process. Returns its exit status."""
    # The program runs no Python code that could handle Ctrl-C.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _native.run_command(["arenite", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
