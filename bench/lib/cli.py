# SPDX-License-Identifier: Apache-2.0
"""What the command lines of all benchmarks have in common."""
import argparse
import pathlib
import shlex
import sys

from lib.berth import Berth, Failed


def parser(text, berth=True):
    """With the help as it is written. `berth`: the program is the first argument."""
    found = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    if berth:
        found.add_argument("berth", type=Berth, help="the program")
    return found


def command(parser, flags, without=()):
    """The command that makes a table again, as the page shows it: what differs from the defaults, without folders."""
    words = [f"bench/{pathlib.Path(sys.argv[0]).name}"]
    for action in parser._actions:
        value = getattr(flags, action.dest, action.default)
        if isinstance(value, Berth):
            words.append("build/release/berth")
        elif not action.option_strings:
            words.append(value)
        elif value != action.default and action.dest not in without:
            words += [action.option_strings[0], *(value if isinstance(value, list) else [value])]
    return " ".join(shlex.quote(f"{word:g}" if isinstance(word, float) else str(word)) for word in words)


def say(*words):
    """On the way; what is printed is the result."""
    print(*words, file=sys.stderr, flush=True)


def run(main):
    """Ends the process with what main() returns (None or an exit code). What a person can mend is told in one line."""
    try:
        sys.exit(main())
    except (Failed, argparse.ArgumentTypeError) as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        say("stopped")
        sys.exit(130)
