"""The command line: `python -m arenite --help`."""

import os
import signal
import sys

from arenite import _native, plugins


def main():
    """Runs the command line of this process. Returns its exit status."""
    # The program runs no Python code that could handle Ctrl-C.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    folders = [os.environ.get("ARENITE_PLUGIN_PATH"), *plugins.folders()]
    os.environ["ARENITE_PLUGIN_PATH"] = os.pathsep.join(filter(None, folders))
    return _native.run_command(["arenite", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
