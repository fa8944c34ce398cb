# SPDX-License-Identifier: Apache-2.0
"""Where things are."""
import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BERTH = ROOT / "build" / "release" / "berth"
RESULTS = ROOT / "docs" / "results.md"


def data(*parts):
    """A file of the data folder, which is no part of the repository: BERTH_DATA, else shared/data beside it."""
    return pathlib.Path(os.environ.get("BERTH_DATA", ROOT.parent / "shared" / "data"), *parts)


def captured(name):
    """A captured graph, such as nmt8.train."""
    return data("captured", f"{name}.json.gz")
