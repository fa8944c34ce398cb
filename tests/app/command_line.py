# SPDX-License-Identifier: Apache-2.0
"""What the tests of the command line share: running the program, and what every error must look like.

A test file ends in `main()`; its usage is FILE BERTH."""
import json
import os
import pathlib
import pty
import resource
import signal
import subprocess
import sys
import tempfile
import unittest

SMALL = "zoo:rnnlm,batch=4,unroll=3,hidden=16,vocab=100"  # a few hundred ops
MEMORY_LIMIT = 3 << 30  # bytes; a hostile file must end in an error well below it
PATIENCE = 900  # seconds for what takes a few: the computer may be slow, and busy with others
BERTH = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else "berth"


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))


def sanitized():
    """AddressSanitizer reserves terabytes of address space, so that limits on it make no sense."""
    return b"__asan_init" in pathlib.Path(BERTH).read_bytes()


def berth(*args, limited=False, env=None, timeout=PATIENCE):
    searches = args and args[0] in ("place", "compare")
    if searches and not any(arg in ("--budget", "--evaluations", "--help") for arg in args):
        args = (args[0], "--evaluations", "100", *args[1:])  # enough to see that it works, and quick
    return subprocess.run([BERTH, *map(str, args)], capture_output=True, text=True, timeout=timeout, env=env,
                          preexec_fn=limit_memory if limited and not sanitized() else None)


class CommandLineTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    def json_of(self, *args, code=0):
        done = berth(*args, "--json")
        self.assertEqual(done.returncode, code, done.stderr)
        return json.loads(done.stdout)

    def text_of(self, *args, code=0):
        done = berth(*args)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout

    def assert_one_line_error(self, done, *parts, code=2):
        self.assertEqual(done.returncode, code, done.stderr or done.stdout)
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertTrue(lines[0].startswith("berth: "), lines[0])
        self.assertLess(len(lines[0]), 600)
        for part in parts:
            self.assertIn(part, lines[0])

    def assert_refused(self, args, *parts, limited=False):
        done = berth(*args, limited=limited)
        self.assertEqual(done.stdout, "")
        self.assert_one_line_error(done, *parts)

    def interrupted(self, *args):
        """A command whose first planner is under way when the interrupt comes."""
        ours, theirs = pty.openpty()
        process = subprocess.Popen([BERTH, *args], stdout=subprocess.PIPE, stderr=theirs, text=True)
        os.close(theirs)
        shown = b""
        while b"plans/s" not in shown:  # a search is under way: its progress line is there
            shown += os.read(ours, 1000)
        process.send_signal(signal.SIGINT)
        page = process.communicate(timeout=PATIENCE)[0]
        os.close(ours)
        self.assertIn(process.returncode, [0, 1], "as if the budget were over")
        return page


def main():
    unittest.main(verbosity=1)
