# SPDX-License-Identifier: Apache-2.0
"""Files that are there whole or not at all, however the process ends."""
import os
import pathlib
import shutil
import tempfile

PREFIX = "part-"  # of what is being written, with the number of the process


def write(path, text):
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, part = tempfile.mkstemp(prefix=f"{PREFIX}{os.getpid()}-", dir=path.parent)
    try:
        with os.fdopen(handle, "w") as file:
            file.write(text)
        os.chmod(part, path.stat().st_mode & 0o777 if path.exists() else 0o644)
        os.replace(part, path)
    except BaseException:
        os.unlink(part)
        raise


def make_folder(parent):
    """For one run; the caller removes it, or forget_killed() of a later process."""
    return pathlib.Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-", dir=parent))


def forget_killed(parent):
    """Removes what processes were writing that are no more."""
    for path in pathlib.Path(parent).glob(f"{PREFIX}*"):
        number = path.name.split("-")[1]
        if number.isdigit() and not pathlib.Path("/proc", number).exists():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
