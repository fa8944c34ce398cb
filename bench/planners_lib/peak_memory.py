# SPDX-License-Identifier: Apache-2.0
"""A run of berth with what it took of the computer."""
import json
import os
import subprocess
import sys
import tempfile


def json_and_usage(command):
    """(answer, resource usage of the process). Ends the bench if the command fails."""
    with tempfile.TemporaryFile() as answer:
        process = subprocess.Popen(command, stdout=answer, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 1):
            sys.exit(f"{' '.join(command)} ended with {process.returncode}")
        answer.seek(0)
        return json.load(answer), usage
